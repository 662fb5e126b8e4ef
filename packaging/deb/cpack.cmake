# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Four packages: the program, its MPI variant, the headers for plugins, and the Python package.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME weft)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION}${WEFT_STAGE})
set(CPACK_PACKAGE_VENDOR "The Weft authors")
set(CPACK_PACKAGE_CONTACT "The Weft authors <weft@lists.weft.invalid>")
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
set(CPACK_SET_DESTDIR ON)  # install.cmake needs the final prefix, not that of the staging folder
set(CPACK_INSTALL_PREFIX /usr)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL weft dev)
if(TARGET weft-mpi)
  list(APPEND CPACK_COMPONENTS_ALL mpi)
endif()
if(TARGET weft-native)
  list(APPEND CPACK_COMPONENTS_ALL python)
endif()
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION net)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_DEBIAN_WEFT_PACKAGE_NAME weft)
set(CPACK_COMPONENT_WEFT_DESCRIPTION
  "Discovers an InfiniBand subnet, assigns LIDs, computes deadlock-free routes,
verifies them before it writes a table, answers path queries, and reroutes
when links fail. Reads OpenSM's configuration.
Offline it routes, verifies, simulates and reports fabrics from files.")
set(CPACK_DEBIAN_WEFT_PACKAGE_DEPENDS "passwd")  # for useradd, which creates the user if systemd-sysusers is absent
set(CPACK_DEBIAN_WEFT_PACKAGE_SUGGESTS "opensm, infiniband-diags, weft-mpi")
set(CPACK_DEBIAN_WEFT_PACKAGE_CONTROL_EXTRA
  "${CMAKE_CURRENT_LIST_DIR}/preinst;${CMAKE_CURRENT_LIST_DIR}/postinst;${CMAKE_CURRENT_LIST_DIR}/prerm;${CMAKE_CURRENT_LIST_DIR}/postrm;${CMAKE_CURRENT_LIST_DIR}/conffiles")

set(CPACK_DEBIAN_MPI_PACKAGE_NAME weft-mpi)
set(CPACK_COMPONENT_MPI_DESCRIPTION
  "This package contains weft-mpi, which distributes the runs of weft simulate
over the ranks of an MPI job.")
set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS "openmpi-bin")

set(CPACK_DEBIAN_DEV_PACKAGE_NAME weft-dev)
set(CPACK_COMPONENT_DEV_DESCRIPTION
  "This package contains the headers for routing engines and event plugins.")
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-weft)
set(CPACK_COMPONENT_PYTHON_DESCRIPTION
  "This package contains the Python package weft: fabrics, routes, their verdict
and quality, and simulations as NumPy arrays, and routing engines in Python.")
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "${WEFT_PYTHON_DEPENDS}, python3-numpy")
set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS "python3-networkx")
set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "weft, jupyter-notebook")
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA "${CMAKE_CURRENT_LIST_DIR}/python3-weft/postinst;${CMAKE_CURRENT_LIST_DIR}/python3-weft/prerm")
# Variables of finish.cmake, for the bill of materials.
set(CPACK_WEFT_SOURCE ${CMAKE_SOURCE_DIR})
set(CPACK_WEFT_BUILD ${CMAKE_BINARY_DIR})
set(CPACK_WEFT_NINJA ${CMAKE_MAKE_PROGRAM})
set(CPACK_WEFT_COMPILER ${CMAKE_CXX_COMPILER})
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/finish.cmake)
include(CPack)
