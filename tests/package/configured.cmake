# Configures a stranger's project, builds nothing, and looks at what CMake made of it. CASE:
#   no_build_type         the kernels are optimised all the same
#   debug                 they are not, and CMake says so
#   from_source           an installed package compiles ridgepoint::dispatch in the user's build if asked to
#   forgotten_component   whoever links what find_package() was not asked for reads how to ask
file(REMOVE_RECURSE ${WORK})
set(project ${CONSUMER})
if(CASE STREQUAL "no_build_type")
  set(options -DRIDGEPOINT_SOURCE_DIR=${SOURCE})
elseif(CASE STREQUAL "debug")
  set(options -DRIDGEPOINT_SOURCE_DIR=${SOURCE} -DCMAKE_BUILD_TYPE=Debug)
elseif(CASE STREQUAL "from_source")
  set(options -DCMAKE_PREFIX_PATH=${STAGE} -DRIDGEPOINT_DISPATCH_FROM_SOURCE=ON -DCMAKE_BUILD_TYPE=MinSizeRel)
else()
  set(project ${FORGETFUL})
  set(options -DCMAKE_PREFIX_PATH=${STAGE})
endif()
execute_process(COMMAND ${CMAKE_COMMAND} -G ${GENERATOR} -S ${project} -B ${WORK} -DCMAKE_CXX_COMPILER=${CXX} -DRIDGEPOINT_ISAS=scalar\\;avx2
                        -DCMAKE_EXPORT_COMPILE_COMMANDS=ON ${options}
                RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
string(REGEX REPLACE "[ \n]+" " " output "${output}")

function(must_say text)
  if(NOT output MATCHES "${text}")
    message(FATAL_ERROR "${CASE}: must say '${text}'; says: ${output}")
  endif()
endfunction()
if(CASE STREQUAL "forgotten_component")
  must_say("ridgepoint::dispatch of find_package\\(ridgepoint COMPONENTS dispatch\\)")
  return()
endif()
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${CASE}: ${output}")
endif()

# The last -O of a command is the one that counts.
file(STRINGS ${WORK}/compile_commands.json commands REGEX "\"command\".*dispatch_unit.cpp")
list(LENGTH commands count)
if(NOT count EQUAL 2)
  message(FATAL_ERROR "${CASE}: ${count} commands compile the kernels; must be 2")
endif()
foreach(command IN LISTS commands)
  string(REGEX MATCHALL " -(O[^ ]*|DNDEBUG)" flags "${command}")
  list(POP_BACK flags last)
  if(CASE STREQUAL "debug" AND last)
    message(FATAL_ERROR "debug: the kernels are compiled with${last}")
  elseif(NOT CASE STREQUAL "debug" AND NOT "${flags}${last}" MATCHES "-O3;? ?-DNDEBUG$")
    message(FATAL_ERROR "${CASE}: the kernels must end with -O3 -DNDEBUG: ${command}")
  endif()
endforeach()
if(CASE STREQUAL "debug")
  must_say("ridgepoint::dispatch: the build type is Debug")
endif()
