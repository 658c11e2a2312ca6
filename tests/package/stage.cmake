# Installs BUILD into an empty STAGE, and checks that it contains only headers, package files and the one archive.
file(REMOVE_RECURSE ${STAGE})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${STAGE} --component Unspecified COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
file(GLOB_RECURSE files RELATIVE ${STAGE} ${STAGE}/*)
foreach(file IN LISTS files)
  if(NOT file MATCHES "^(include/ridgepoint/.*\\.(hpp|cpp)|lib.*/(cmake/ridgepoint/(.*\\.cmake|isa\\.hpp|seal\\.sh)|pkgconfig/ridgepoint.*\\.pc|libridgepoint_dispatch\\.a))$")
    message(FATAL_ERROR "installed ${file}; only headers, package files and the archive are expected")
  endif()
endforeach()
