# Installs the build into the prefix that the other scripts use.
include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)
file(REMOVE_RECURSE ${PREFIX})
run_well(${CMAKE_COMMAND} --install ${BUILD} --config ${CONFIG} --prefix ${PREFIX})
