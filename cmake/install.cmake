# Headers, CMake package and pkg-config file: nothing in them depends on the architecture. The command and what it reads (its peers
# and their shapes, the chart library) are the component tool.
include_guard()
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_DATADIR}/cmake/ridgepoint)

install(TARGETS ridgepoint ridgepoint_native EXPORT ridgepointTargets FILE_SET HEADERS)
install(FILES include/ridgepoint/cpu/dispatch_unit.cpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ridgepoint/cpu)
install(EXPORT ridgepointTargets NAMESPACE ridgepoint:: DESTINATION ${package_dir})

configure_package_config_file(cmake/ridgepointConfig.cmake.in ${PROJECT_BINARY_DIR}/package/ridgepointConfig.cmake
                              INSTALL_DESTINATION ${package_dir} PATH_VARS CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/ridgepointConfigVersion.cmake COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES ${PROJECT_BINARY_DIR}/package/ridgepointConfig.cmake ${PROJECT_BINARY_DIR}/package/ridgepointConfigVersion.cmake
              cmake/components.cmake cmake/dispatch.cmake cmake/isa.cmake cmake/isa_variants.cmake cmake/FindDNNL.cmake
        DESTINATION ${package_dir})

configure_file(cmake/ridgepoint.pc.in ${PROJECT_BINARY_DIR}/package/ridgepoint.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/package/ridgepoint.pc DESTINATION ${CMAKE_INSTALL_DATADIR}/pkgconfig)
if(TARGET ridgepoint_tool)
  install(TARGETS ridgepoint_tool COMPONENT tool)
endif()
