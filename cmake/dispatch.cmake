# ridgepoint::dispatch, a static library: kernels compiled once for each of RIDGEPOINT_ISAS, chosen at run time
# (ridgepoint/cpu/cpu.hpp), and, compiled once, ops above the watershed, layers, plans and tables. Optimised in every
# build type except Debug. An installed package contains it compiled; otherwise the user's compiler builds it in the
# user's build, only if something links it.
include_guard()
include(${CMAKE_CURRENT_LIST_DIR}/isa.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/isa_variants.cmake)

function(ridgepoint_define_dispatch include_dir)
  add_library(ridgepoint_dispatch STATIC EXCLUDE_FROM_ALL)
  add_library(ridgepoint::dispatch ALIAS ridgepoint_dispatch)
  set_target_properties(ridgepoint_dispatch PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden)
  target_link_libraries(ridgepoint_dispatch PUBLIC ridgepoint::ridgepoint)
  set(kernels ${include_dir}/ridgepoint/cpu/dispatch_unit.cpp)  # compiled under its own name in every build, for ccache
  # GCC's -O3 compiles a second copy of a kernel's loops for strides of 1, and splits a loop at a condition in its
  # prefetches: a fifth of a register tile's code, and none of it is faster.
  set(no_copies "$<$<CXX_COMPILER_ID:GNU>:-fno-version-loops-for-strides;-fno-split-loops>")
  ridgepoint_add_isa_variants(ridgepoint_dispatch ENTRY ridgepoint_dispatch SOURCES ${kernels}
                              OPTIONS "$<$<NOT:$<CONFIG:Debug>>:-O3;-DNDEBUG;${no_copies}>"
                              LINK Threads::Threads)
  # Code that calls kernels is optimised for size: 1.4 MB instead of 2.2 and half the compile time of -O2, and a product
  # of 2x2 to 16x16 takes as long (GCC 12).
  set(of_callers "-march=x86-64;$<IF:$<CONFIG:Debug>,-O0,-Os;-DNDEBUG>")
  # Ops above the watershed, on those kernels. Sealed, because a program's copies of shared functions could replace
  # theirs.
  ridgepoint_add_sealed(ridgepoint_dispatch ridgepoint_dispatch.ops KEEP ridgepoint_dispatch_ops,ridgepoint_dispatch_threads
                        SOURCE ${include_dir}/ridgepoint/cpu/ops_unit.cpp LINK Threads::Threads
                        OPTIONS "-DRIDGEPOINT_DISPATCH_OPS;${of_callers}")
  # Layers, plans, tables, and instantiations of networks, so that programs need none (RIDGEPOINT_COMPILED in
  # core/config.hpp).
  set(instantiations ${include_dir}/ridgepoint/compiled_unit.cpp)
  set(units ${instantiations})
  foreach(unit graph/layers graph/graph data/synthetic_digits roofline/table)
    list(APPEND units ${include_dir}/ridgepoint/${unit}.cpp)
  endforeach()
  target_sources(ridgepoint_dispatch PRIVATE ${units})
  set_source_files_properties(${units} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON
                              COMPILE_OPTIONS "${of_callers}")
  set_source_files_properties(${instantiations} PROPERTIES COMPILE_DEFINITIONS RIDGEPOINT_DISPATCH_SOURCE)
  target_compile_definitions(ridgepoint_dispatch PUBLIC RIDGEPOINT_WITH_DISPATCH)
  if(CMAKE_BUILD_TYPE STREQUAL "Debug")
    message(STATUS "ridgepoint::dispatch: the build type is Debug, so kernels check themselves and run 200 times slower or worse")
  endif()
endfunction()
