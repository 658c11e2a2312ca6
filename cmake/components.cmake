# Optional parts of the package, the same in ridgepoint's own build, in a parent project and in an installed package:
#   dispatch   static library: the CPU backend once per instruction set, chosen at run time (cpu/cpu.hpp)
#   cuda       static library: the GPU backend (cuda/cuda.hpp), with the libraries of a CUDA toolkit
#   onednn     headers in onednn/, with oneDNN                benchmark  headers for Google Benchmark suites
#   json       headers named *json*.hpp, with nlohmann-json   data       headers in data/, with zlib
#   png        the headers in data/ that read PNG files, with libpng
#   mpi        distributed/mpi.hpp, with the default MPI
include_guard()
include(${CMAKE_CURRENT_LIST_DIR}/dispatch.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/cuda.cmake)
set(RIDGEPOINT_COMPONENTS dispatch cuda onednn benchmark json data png mpi)
set(RIDGEPOINT_COMPONENT_cuda      NVIDIA::cuda)
set(RIDGEPOINT_COMPONENT_onednn    DNNL::dnnl)
set(RIDGEPOINT_COMPONENT_benchmark benchmark::benchmark)
set(RIDGEPOINT_COMPONENT_json      nlohmann_json::nlohmann_json)
set(RIDGEPOINT_COMPONENT_data      ZLIB::ZLIB)
set(RIDGEPOINT_COMPONENT_png       PNG::PNG)
set(RIDGEPOINT_COMPONENT_mpi       MPI::MPI_CXX)

# ridgepoint_define_component(onednn include_dir): defines ridgepoint::onednn if its dependencies have been found.
function(ridgepoint_define_component component include_dir)
  if(TARGET ridgepoint::${component})
    return()
  endif()
  if(component STREQUAL "dispatch")
    ridgepoint_define_dispatch(${include_dir})
  elseif(component STREQUAL "cuda" AND TARGET NVIDIA::cuda)
    ridgepoint_define_cuda(${include_dir})
  elseif(TARGET ${RIDGEPOINT_COMPONENT_${component}})
    add_library(ridgepoint_${component} INTERFACE)
    add_library(ridgepoint::${component} ALIAS ridgepoint_${component})
    target_link_libraries(ridgepoint_${component} INTERFACE ridgepoint::ridgepoint ${RIDGEPOINT_COMPONENT_${component}})
  endif()
endfunction()
