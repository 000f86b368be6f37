# `cpack -G DEB` in a build folder makes the packages of Debian and Ubuntu, one a component:
#
#   libxpose0     library      the library, its worker and the host strategies: what a program needs that calls it
#   libxpose-dev  development  headers, CMake's and pkg-config's files, the simulator
#   xpose         command      the command, its manual, completion for shells
#   xpose-cuda    cuda         the strategies for GPUs, and the kernels of `xpose lab`
#
# Peers (OpenBLAS, cuBLAS) are the component peers, which no package has: cuBLAS is in no Debian package.
set(CPACK_PACKAGE_NAME xpose)
set(CPACK_PACKAGE_VENDOR "the authors of xpose")
set(CPACK_PACKAGE_CONTACT "the authors of xpose <xpose@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_COMPONENTS_ALL library development command cuda)
set(CPACK_STRIP_FILES OFF)  # a plugin's description states its bytes
set(CPACK_VERBATIM_VARIABLES ON)
# Nobody but root may write where plugins lie.
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/debian_folders.cmake)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/lib)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(same_library "libxpose${PROJECT_VERSION_MAJOR} (= ${PROJECT_VERSION})")

# xpose_debian_package(COMPONENT NAME SECTION DEPENDS DESCRIPTION)
macro(xpose_debian_package component name section depends description)
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name})
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section})
  set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "${depends}")
  set(CPACK_COMPONENT_${upper}_DESCRIPTION "${description}")
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${name} RENAME copyright COMPONENT ${component})
endmacro()
# libdw1 is opened at run time, for the lines of kernels.
xpose_debian_package(library libxpose${PROJECT_VERSION_MAJOR} libs libdw1
  "The library, the worker in which strategies are tried, and the strategies for processors.")
xpose_debian_package(development libxpose-dev libdevel "${same_library}, xpose (= ${PROJECT_VERSION})"
  "Headers for callers in C and C++ and for authors of strategies, with what CMake and pkg-config ask for.")
xpose_debian_package(command xpose utils "${same_library}"
  "The command, its manual, and completion for bash, zsh and fish.")
xpose_debian_package(cuda xpose-cuda libs "${same_library}"
  "The strategies for NVIDIA's GPUs, whose driver is needed to run them, not to explain them.")
set(CPACK_DEBIAN_COMMAND_PACKAGE_SUGGESTS xpose-cuda)
include(CPack)
