# Chart library of the command's pages: share/ridgepoint/vega.js next to the program's bin/, where the command looks
# for it. Fetched once, at build time. Without network the file is missing, charts on pages are plain SVG, and the
# next build tries again.
include_guard()
option(RIDGEPOINT_FETCH_VEGA "Fetch the chart library of the command's pages from PyPI at build time" ON)
set(RIDGEPOINT_VEGA_BUNDLE ${PROJECT_BINARY_DIR}/share/ridgepoint/vega.js)
find_package(Python3 COMPONENTS Interpreter)
if(RIDGEPOINT_FETCH_VEGA AND Python3_Interpreter_FOUND)
  add_custom_command(OUTPUT ${RIDGEPOINT_VEGA_BUNDLE}
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/fetch_vega.py ${PROJECT_BINARY_DIR}/vega-venv ${RIDGEPOINT_VEGA_BUNDLE}
    DEPENDS ${PROJECT_SOURCE_DIR}/tools/fetch_vega.py COMMENT "Fetching the chart library" VERBATIM)
  add_custom_target(ridgepoint_vega ALL DEPENDS ${RIDGEPOINT_VEGA_BUNDLE})
  if(RIDGEPOINT_INSTALL)
    install(FILES ${RIDGEPOINT_VEGA_BUNDLE} DESTINATION ${CMAKE_INSTALL_DATADIR}/ridgepoint COMPONENT tool OPTIONAL)
  endif()
endif()
