# Installs headers, the compiled ridgepoint::dispatch with its sources, the CMake package, and a pkg-config file per
# component. The command and its data (peers and their shapes, the chart library) are the component tool.
include_guard()
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/ridgepoint)

install(TARGETS ridgepoint ridgepoint_native EXPORT ridgepointTargets FILE_SET HEADERS)
install(FILES include/ridgepoint/cpu/dispatch_unit.cpp include/ridgepoint/cpu/ops_unit.cpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ridgepoint/cpu)
install(FILES include/ridgepoint/cuda/cuda_unit.cpp include/ridgepoint/cuda/compiled_unit.cpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ridgepoint/cuda)
install(FILES include/ridgepoint/compiled_unit.cpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ridgepoint)
install(FILES include/ridgepoint/data/synthetic_digits.cpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ridgepoint/data)
install(FILES include/ridgepoint/graph/graph.cpp include/ridgepoint/graph/layers.cpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ridgepoint/graph)
install(FILES include/ridgepoint/roofline/table.cpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ridgepoint/roofline)
install(EXPORT ridgepointTargets NAMESPACE ridgepoint:: DESTINATION ${package_dir})

set_target_properties(ridgepoint_dispatch PROPERTIES EXCLUDE_FROM_ALL FALSE EXPORT_NAME dispatch)
install(TARGETS ridgepoint_dispatch EXPORT ridgepointDispatch)
install(EXPORT ridgepointDispatch NAMESPACE ridgepoint:: DESTINATION ${package_dir})

configure_package_config_file(cmake/ridgepointConfig.cmake.in ${PROJECT_BINARY_DIR}/package/ridgepointConfig.cmake
                              INSTALL_DESTINATION ${package_dir} PATH_VARS CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/ridgepointConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/package/ridgepointConfig.cmake ${PROJECT_BINARY_DIR}/package/ridgepointConfigVersion.cmake
              cmake/components.cmake cmake/dispatch.cmake cmake/cuda.cmake cmake/isa.cmake cmake/isa_variants.cmake cmake/this_cpu.cmake cmake/seal.sh cmake/ridgepoint_flag_matrix.cmake
              cmake/FindDNNL.cmake cmake/FindNVIDIA.cmake include/ridgepoint/core/isa.hpp
        DESTINATION ${package_dir})

# ridgepoint_install_pc(ridgepoint-data "description" [REQUIRES modules] [CFLAGS flags] [LIBS libraries]): for
# pkg-config
function(ridgepoint_install_pc module description)
  cmake_parse_arguments(PARSE_ARGV 2 pc "" "REQUIRES;CFLAGS;LIBS" "")
  cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig OUTPUT_VARIABLE up)
  configure_file(cmake/ridgepoint.pc.in ${PROJECT_BINARY_DIR}/package/${module}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/package/${module}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()
set(self "ridgepoint = ${PROJECT_VERSION}")
ridgepoint_install_pc(ridgepoint "headers" REQUIRES "xsimd >= 8.1" CFLAGS "-std=c++20 -I\${includedir}")
ridgepoint_install_pc(ridgepoint-dispatch "every instruction set" REQUIRES "${self}" CFLAGS -DRIDGEPOINT_WITH_DISPATCH LIBS "-L\${libdir} -lridgepoint_dispatch -pthread")
ridgepoint_install_pc(ridgepoint-data "headers that use zlib" REQUIRES "${self}, zlib")
ridgepoint_install_pc(ridgepoint-png "headers that use libpng" REQUIRES "${self}, libpng")
ridgepoint_install_pc(ridgepoint-json "headers that use nlohmann-json" REQUIRES "${self}, nlohmann_json >= 3.11")
ridgepoint_install_pc(ridgepoint-onednn "headers that use oneDNN" REQUIRES "${self}" LIBS "-ldnnl")
ridgepoint_install_pc(ridgepoint-benchmark "headers that use Google Benchmark" REQUIRES "${self}, benchmark")

if(TARGET ridgepoint_tool)
  install(TARGETS ridgepoint_tool COMPONENT tool)
endif()
