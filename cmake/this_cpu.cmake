# ridgepoint_isas_of_this_cpu(out): the instruction sets that this CPU runs, weakest first; all where a program cannot be tried,
# because another machine will run it.
include_guard()

function(ridgepoint_isas_of_this_cpu out)
  set(isas ${RIDGEPOINT_ALL_ISAS})
  if(NOT CMAKE_CROSSCOMPILING)
    set(include ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../include)
    if(NOT EXISTS ${include})
      set(include ${ridgepoint_INCLUDE_DIR})                   # of an installed package
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

# RIDGEPOINT_ISAS=native: the strongest instruction set of this CPU, and nothing else.
if(RIDGEPOINT_ISAS STREQUAL "native")
  ridgepoint_isas_of_this_cpu(isas)
  foreach(isa IN LISTS RIDGEPOINT_SHIPPED_ISAS)
    if(isa IN_LIST isas)
      set(RIDGEPOINT_ISAS ${isa})                              # of a project that has set it for this one
      set(RIDGEPOINT_ISAS ${isa} CACHE STRING "" FORCE)
    endif()
  endforeach()
  message(STATUS "ridgepoint: kernels of ${RIDGEPOINT_ISAS} alone; -DRIDGEPOINT_ISAS=\"${RIDGEPOINT_SHIPPED_ISAS}\" has all")
endif()
