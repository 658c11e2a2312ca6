# ridgepoint_add_isa_variants(target ENTRY name SOURCES a.cpp … [ISAS scalar avx2 …] [OPTIONS -O3 …] [LINK library …])
#
# Compiles the sources, together as one, once per instruction set and links all copies into `target`. They define one
#   extern "C" const void* RIDGEPOINT_ISA_SYMBOL(name)()
# which returns a table of plain data. It is the only symbol of a copy that the linker sees: inline functions shared by
# two copies (or the rest of the program) cannot replace each other. `target` gains the list
#   extern "C" const ridgepoint_isa_variant name_variants[]
# for ridgepoint::simd::pick_variant() (ridgepoint/simd/variants.hpp). The copies are position independent and hidden:
# `target` may be, or be linked into, a shared library, which exports none of them.
include_guard()

# ridgepoint_add_sealed(target objects KEEP entry,… SOURCE a.cpp [OPTIONS -O3 …] [LINK library …]): compiles the
# source and links it into `target`; the linker sees only the symbols in KEEP. The compiler launcher does the sealing:
# targets that link `target` would wait for a separate command before compiling.
function(ridgepoint_add_sealed target objects)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "KEEP;SOURCE" "OPTIONS;LINK")
  # GNU ld: CMake uses lld for Clang if installed, which lacks --force-group-allocation.
  find_program(RIDGEPOINT_GNU_LD NAMES ld.bfd ld REQUIRED)
  mark_as_advanced(RIDGEPOINT_GNU_LD)
  add_library(${objects} OBJECT EXCLUDE_FROM_ALL ${arg_SOURCE})
  target_link_libraries(${objects} PRIVATE ridgepoint::ridgepoint ${arg_LINK})
  target_compile_options(${objects} PRIVATE ${arg_OPTIONS} $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>)
  set(launcher sh ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/seal.sh ${arg_KEEP} ${RIDGEPOINT_GNU_LD} ${CMAKE_OBJCOPY} ${CMAKE_CXX_COMPILER_LAUNCHER})
  set_target_properties(${objects} PROPERTIES INTERPROCEDURAL_OPTIMIZATION OFF POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
                        CXX_COMPILER_LAUNCHER "${launcher}")
  set_source_files_properties(${arg_SOURCE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:${objects}>)
endfunction()

function(ridgepoint_add_isa_variants target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "ENTRY" "SOURCES;ISAS;OPTIONS;LINK")
  if(NOT arg_ENTRY OR NOT arg_SOURCES OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "ridgepoint_add_isa_variants(${ARGV}): needs ENTRY and SOURCES, and nothing but ISAS, OPTIONS and LINK besides")
  endif()
  include(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/isa.cmake)        # here: a parent project calls this from its own scope
  include(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/this_cpu.cmake)
  if(NOT arg_ISAS)
    set(arg_ISAS ${RIDGEPOINT_ISAS})
  endif()
  foreach(isa IN LISTS arg_ISAS)
    if(NOT isa IN_LIST RIDGEPOINT_ALL_ISAS)
      message(FATAL_ERROR "ridgepoint: the instruction sets are ${arg_ISAS}; each must be one of ${RIDGEPOINT_ALL_ISAS}")
    endif()
  endforeach()

  set(source ${arg_SOURCES})
  list(LENGTH arg_SOURCES count)
  if(count GREATER 1)                                          # sealing needs one object
    set(source ${CMAKE_CURRENT_BINARY_DIR}/${target}.${arg_ENTRY}.sources.cpp)
    set(includes "")
    foreach(path IN LISTS arg_SOURCES)
      cmake_path(ABSOLUTE_PATH path)
      string(APPEND includes "#include \"${path}\"\n")
    endforeach()
    file(CONFIGURE OUTPUT ${source} CONTENT "${includes}" @ONLY)
  endif()
  set(declarations "")
  set(rows "")
  foreach(isa IN LISTS RIDGEPOINT_ALL_ISAS)                    # weakest first, whatever the order of ISAS
    if(NOT isa IN_LIST arg_ISAS)
      continue()
    endif()
    ridgepoint_add_sealed(${target} ${target}.${arg_ENTRY}.${isa} KEEP ${arg_ENTRY}_${isa} SOURCE ${source}
                          OPTIONS ${arg_OPTIONS} ${RIDGEPOINT_FLAGS_${isa}} LINK ${arg_LINK})
    string(APPEND declarations "const void* ${arg_ENTRY}_${isa}();\n")
    string(APPEND rows "  {\"${isa}\", ${arg_ENTRY}_${isa}},\n")
  endforeach()

  set(list ${CMAKE_CURRENT_BINARY_DIR}/${target}.${arg_ENTRY}.cpp)
  file(CONFIGURE OUTPUT ${list} CONTENT "#include <ridgepoint/simd/variants.hpp>
extern \"C\" {
${declarations}extern const ridgepoint_isa_variant ${arg_ENTRY}_variants[];
const ridgepoint_isa_variant ${arg_ENTRY}_variants[] = {
${rows}  {nullptr, nullptr},
};
}
" @ONLY)
  target_sources(${target} PRIVATE ${list})
  target_link_libraries(${target} PRIVATE ridgepoint::ridgepoint ${arg_LINK})
endfunction()
