# RIDGEPOINT_ALL_ISAS, weakest first, and RIDGEPOINT_FLAGS_<name> of each, as core/isa.hpp lists them; the same source is compiled
# once for each.
set(list ${CMAKE_CURRENT_LIST_DIR}/isa.hpp)                     # in an installed package it lies beside this file
if(NOT EXISTS ${list})
  set(list ${CMAKE_CURRENT_LIST_DIR}/../include/ridgepoint/core/isa.hpp)
endif()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list})
file(READ ${list} listed)
string(REGEX REPLACE "\"[ \n]+\"" "" listed "${listed}")        # adjacent literals are one
string(REGEX MATCHALL "std::string_view (name|flags) =[ \n]*\"[^\"]*\"" listed "${listed}")
set(RIDGEPOINT_ALL_ISAS "")
foreach(entry IN LISTS listed)
  string(REGEX REPLACE ".*\"(.*)\"" "\\1" text "${entry}")
  if(entry MATCHES "name =")
    set(isa ${text})
    list(APPEND RIDGEPOINT_ALL_ISAS ${isa})
  else()
    separate_arguments(RIDGEPOINT_FLAGS_${isa} UNIX_COMMAND "${text}")
  endif()
endforeach()
unset(list)
unset(listed)
set(RIDGEPOINT_ISAS ${RIDGEPOINT_ALL_ISAS} CACHE STRING "Instruction sets to build, test and measure")
