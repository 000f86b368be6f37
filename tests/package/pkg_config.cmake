# Callers without CMake: the flags of pkg-config compile a caller in C and one in C++, wherever the prefix was moved.
include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)
find_program(pkg_config NAMES pkg-config pkgconf)
if(NOT pkg_config)
  skip_test("pkg-config is not installed")
endif()
file(REMOVE_RECURSE ${SCRATCH})
file(COPY ${PREFIX}/ DESTINATION ${SCRATCH}/moved)
list(APPEND environment PKG_CONFIG_PATH=${SCRATCH}/moved/${LIB}/pkgconfig)

run_well(${pkg_config} --modversion xpose)
expect_match("${output}" "^${VERSION}\n$" "pkg-config --modversion")
# Debian's pkgconf and pkg-config differ in blanks and in "moved/lib/pkgconfig/../..": the place is what counts.
run_well(${pkg_config} --variable=libdir xpose)
string(STRIP "${output}" libdir)
file(REAL_PATH "${libdir}" libdir)
file(REAL_PATH ${SCRATCH}/moved/${LIB} expected)
if(NOT libdir STREQUAL expected)
  message(FATAL_ERROR "libdir is ${libdir}, not ${expected}")
endif()

# Compiles a source by the flags of pkg-config alone and runs it.
function(build_and_run compiler source program)
  run_well(sh -ec "${compiler} '${source}' -o '${program}' $('${pkg_config}' --cflags --libs xpose) '-Wl,-rpath,${libdir}'")
  run_well(${program})
  set(output "${output}" PARENT_SCOPE)
endfunction()

write_example(core/README.md "From C" ${SCRATCH}/c)
build_and_run("${CC} -std=c11 -Wall -Wextra -pedantic -Werror" ${SCRATCH}/c/caller.c ${SCRATCH}/c/caller)
expect_match("${output}" "^1 4\n2 5\n3 6\n$" "the caller in C")

write_example(README.md "Calling it" ${SCRATCH}/cxx)
build_and_run("${CXX} -std=c++20" ${SCRATCH}/cxx/main.cpp ${SCRATCH}/cxx/app)
