# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Installs the CMake package that find_package(weft) loads.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
foreach(name engine events)
  add_library(weft_${name}_header INTERFACE)
  target_include_directories(weft_${name}_header INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  set_target_properties(weft_${name}_header PROPERTIES EXPORT_NAME ${name})
  install(TARGETS weft_${name}_header EXPORT weft)
endforeach()
set(place ${CMAKE_INSTALL_LIBDIR}/cmake/weft)
install(EXPORT weft NAMESPACE weft:: FILE weft-targets.cmake DESTINATION ${place} COMPONENT dev)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/weft-config.cmake.in ${CMAKE_BINARY_DIR}/generated/weft-config.cmake
  INSTALL_DESTINATION ${place} PATH_VARS CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/generated/weft-config-version.cmake
  VERSION ${PROJECT_VERSION} COMPATIBILITY SameMajorVersion ARCH_INDEPENDENT)
install(FILES ${CMAKE_BINARY_DIR}/generated/weft-config.cmake ${CMAKE_BINARY_DIR}/generated/weft-config-version.cmake
  DESTINATION ${place} COMPONENT dev)
