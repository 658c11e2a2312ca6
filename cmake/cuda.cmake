# ridgepoint::cuda, a static library: the CUDA backend, compiled by the C++ compiler alone (ridgepoint/cuda/cuda.hpp).
# It contains the source text of its kernels, which NVRTC compiles for the current GPU when they are first called.
include_guard()

# ridgepoint_embed_device_code(file include_dir): writes a source with every header of cuda/device as a string.
function(ridgepoint_embed_device_code file include_dir)
  file(GLOB headers CONFIGURE_DEPENDS ${include_dir}/ridgepoint/cuda/device/*.hpp)
  set(texts "")
  set(count 0)
  foreach(path IN LISTS headers)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
    file(RELATIVE_PATH name ${include_dir} ${path})
    file(READ ${path} text)
    string(APPEND texts "    {\"${name}\", R\"device(${text})device\"},\n")
    math(EXPR count "${count} + 1")
  endforeach()
  file(CONFIGURE OUTPUT ${file} @ONLY CONTENT "// Made of ridgepoint/cuda/device.
#include <ridgepoint/cuda/runtime/device_text.hpp>

const ridgepoint_device_text ridgepoint_device_texts[] = {
@texts@};
const std::size_t ridgepoint_device_text_count = @count@;
")
endfunction()

function(ridgepoint_define_cuda include_dir)
  set(texts ${CMAKE_CURRENT_BINARY_DIR}/ridgepoint_device_texts.cpp)
  ridgepoint_embed_device_code(${texts} ${include_dir})
  add_library(ridgepoint_cuda STATIC EXCLUDE_FROM_ALL ${include_dir}/ridgepoint/cuda/cuda_unit.cpp
              ${include_dir}/ridgepoint/cuda/compiled_unit.cpp ${texts})
  # In addition to the backend: instantiations of networks on it, so that programs need none (RIDGEPOINT_COMPILED in
  # core/config.hpp).
  set_source_files_properties(${include_dir}/ridgepoint/cuda/compiled_unit.cpp PROPERTIES COMPILE_OPTIONS -march=x86-64
                              COMPILE_DEFINITIONS "RIDGEPOINT_WITH_DISPATCH;RIDGEPOINT_WITH_CUDA")
  target_compile_definitions(ridgepoint_cuda INTERFACE RIDGEPOINT_WITH_CUDA)
  add_library(ridgepoint::cuda ALIAS ridgepoint_cuda)
  set_target_properties(ridgepoint_cuda PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden UNITY_BUILD OFF)
  target_compile_options(ridgepoint_cuda PRIVATE $<$<NOT:$<CONFIG:Debug>>:-O2>)
  target_link_libraries(ridgepoint_cuda PUBLIC ridgepoint::ridgepoint PRIVATE NVIDIA::cuda ${CMAKE_DL_LIBS})
endfunction()
