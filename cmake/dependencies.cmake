# External dependencies. Only xsimd's headers are required.
include_guard()
list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR})      # FindDNNL, FindNVIDIA
set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL TRUE)                   # also visible in a parent project
find_package(xsimd REQUIRED)                                  # without a version: it would accept only the same major one
if(xsimd_VERSION VERSION_LESS 8.1)
  message(FATAL_ERROR "xsimd is ${xsimd_VERSION}; must be at least 8.1")
endif()
find_package(OpenMP COMPONENTS CXX)
find_package(Threads REQUIRED)
find_package(ZLIB)
find_package(PNG)
find_package(DNNL MODULE)
set(MPI_CXX_SKIP_MPICXX ON)                                   # the removed C++ bindings
find_package(MPI COMPONENTS CXX)
find_package(NVIDIA 12.8 MODULE)
find_package(nlohmann_json 3.11 CONFIG)
find_package(CLI11 CONFIG)
find_package(benchmark CONFIG)
find_package(doctest CONFIG)
include(GNUInstallDirs)
