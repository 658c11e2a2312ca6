# ridgepoint_isas_of_this_cpu(out): lists the instruction sets of this CPU, weakest first; all if no program can be
# run because another machine is the target.
include_guard()

function(ridgepoint_isas_of_this_cpu out)
  set(isas ${RIDGEPOINT_ALL_ISAS})
  if(NOT CMAKE_CROSSCOMPILING)
    set(include ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../include)
    if(NOT EXISTS ${include})
      set(include ${ridgepoint_INCLUDE_DIR})                   # in an installed package
    endif()
    set(program "#include <cstdio>\n#include <ridgepoint/simd/cpuid.hpp>\nint main() { std::puts(ridgepoint::simd::cpu_isas().c_str()); }\n")
    try_run(status compiles SOURCE_FROM_VAR this_cpu.cpp program NO_CACHE CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON
            CMAKE_FLAGS -DINCLUDE_DIRECTORIES=${include} RUN_OUTPUT_STDOUT_VARIABLE printed)
    if(compiles AND status EQUAL 0)
      string(STRIP "${printed}" printed)
      string(REPLACE " " ";" isas "${printed}")
    endif()
  endif()
  set(${out} ${isas} PARENT_SCOPE)
endfunction()

# RIDGEPOINT_ISAS=native: only the strongest instruction set of this CPU.
if(RIDGEPOINT_ISAS STREQUAL "native")
  ridgepoint_isas_of_this_cpu(isas)
  foreach(isa IN LISTS RIDGEPOINT_SHIPPED_ISAS)
    if(isa IN_LIST isas)
      set(RIDGEPOINT_ISAS ${isa})                              # overrides a parent project's variable
      set(RIDGEPOINT_ISAS ${isa} CACHE STRING "" FORCE)
    endif()
  endforeach()
  message(STATUS "ridgepoint: kernels of ${RIDGEPOINT_ISAS} only; -DRIDGEPOINT_ISAS=\"${RIDGEPOINT_SHIPPED_ISAS}\" has all")
endif()
