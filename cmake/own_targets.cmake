# Compile options of our own sources (tests, benchmarks, tools, examples); users of the headers get none of them.
include_guard()
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo or MinSizeRel" FORCE)
endif()
find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Without these, ccache does not cache sources with a precompiled header: no test. Our sources do not use the time
  # macros.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE_PROGRAM})
endif()
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)

add_library(ridgepoint_own INTERFACE)
target_link_libraries(ridgepoint_own INTERFACE ridgepoint::ridgepoint Threads::Threads)
target_compile_options(ridgepoint_own INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wold-style-cast
                       $<$<BOOL:${RIDGEPOINT_WERROR}>:-Werror>)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  add_compile_options(--param=ggc-min-heapsize=1048576)              # GCC collects garbage only above 1 GiB: saves 6 % of its time
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(ridgepoint_own INTERFACE -Wno-restrict)     # GCC bug 105651: false positive on std::string's operator+
endif()
