# Makes the packages of this build in SCRATCH. Leaves their names in `packages`, and the file of each in a variable of
# its name. Ends the script where there is no dpkg.
macro(make_debs)
  find_program(dpkg_shlibdeps dpkg-shlibdeps)
  find_program(dpkg_deb dpkg-deb)
  if(NOT dpkg_shlibdeps OR NOT dpkg_deb)
    skip_test("packages of Debian are made by dpkg-dev, which is not installed")
  endif()
  file(REMOVE_RECURSE ${SCRATCH})
  run_well(${CMAKE_CPACK_COMMAND} -G DEB -C ${CONFIG} -B ${SCRATCH}/debs --config ${BUILD}/CPackConfig.cmake
    -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip)
  set(packages libxpose0 libxpose-dev xpose xpose-cuda)
  foreach(package IN LISTS packages)
    file(GLOB ${package} ${SCRATCH}/debs/${package}_${VERSION}_*.deb)
    if(NOT ${package})
      message(FATAL_ERROR "cpack made no ${package}:\n${output}")
    endif()
  endforeach()
endmacro()
