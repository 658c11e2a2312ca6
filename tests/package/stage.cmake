# Installs BUILD's headers and package files into an empty STAGE, and checks that nothing in it depends on the architecture.
file(REMOVE_RECURSE ${STAGE})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${STAGE} --component Unspecified COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
file(GLOB_RECURSE files RELATIVE ${STAGE} ${STAGE}/*)
foreach(file IN LISTS files)
  if(NOT file MATCHES "^(include/ridgepoint/.*\\.(hpp|cpp)|share/cmake/ridgepoint/.*\\.cmake|share/pkgconfig/ridgepoint\\.pc)$")
    message(FATAL_ERROR "installed ${file}; only headers and package files are expected")
  endif()
endforeach()
