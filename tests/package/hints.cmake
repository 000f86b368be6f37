# What an author is told at configure time, and not told where it does not apply.
include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)
file(REMOVE_RECURSE ${SCRATCH})
write_example(plugins/README.md "A host plugin, in full" ${SCRATCH}/host)
write_example(plugins/CUDA.md "In full" ${SCRATCH}/cuda)

# Configures a folder's source with a CMakeLists.txt of these lines.
function(configure folder lines)
  file(WRITE ${SCRATCH}/${folder}/CMakeLists.txt "${lines}")
  file(REMOVE_RECURSE ${SCRATCH}/${folder}/build)
  # A library without CUDA asks for no nvcc, and CMake would warn of the one that is named below.
  run(${CMAKE_COMMAND} --no-warn-unused-cli -S ${SCRATCH}/${folder} -B ${SCRATCH}/${folder}/build ${ARGN})
  string(REGEX REPLACE "[ \n]+" " " output "${output}")  # CMake breaks the lines of its messages
  set(output "${output}" PARENT_SCOPE)
  set(status "${status}" PARENT_SCOPE)
endfunction()

# The same of lines that must be right.
function(configure_well)
  configure(${ARGV})
  if(status)
    message(FATAL_ERROR "${ARGV0} was not configured:\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

set(no_build_type "CMAKE_BUILD_TYPE is empty, so plugins are compiled with -O2")
set(no_tests "tests are not enabled, so ctest will not have the conformance suite")
set(no_cuda "my_tiles[)]: it can be explained, but not run, because this project does not enable the language CUDA")

# Two lines suffice: no policy of the author's project is needed.
configure_well(host "find_package(xpose REQUIRED)\nxpose_add_plugin(my_plugin)\n" -DCMAKE_CXX_FLAGS=)
expect_match("${output}" "${no_build_type}" "two lines")
expect_match("${output}" "${no_tests}" "two lines")
run_well(${CMAKE_COMMAND} --build ${SCRATCH}/host/build --verbose)
expect_match("${output}" " -O2 " "an empty build type")

# A project of old policies that says everything, the tests last.
set(project "cmake_minimum_required(VERSION 3.5)\nproject(my_plugin)\nfind_package(xpose REQUIRED)\n")
configure_well(host "${project}xpose_add_plugin(my_plugin)\nenable_testing()\n" -DCMAKE_BUILD_TYPE=Debug)
expect_no_match("${output}" "xpose: " "an old project")
configure_well(host "${project}xpose_add_plugin(my_plugin)\n" -DCMAKE_BUILD_TYPE=Debug -DBUILD_TESTING=OFF)
expect_no_match("${output}" "xpose: " "a project without tests")
configure(host "${project}xpose_add_plugin(my_idea)\n")
expect_match("${output}" "none of my_idea.cu, my_idea.cpp and my_idea.c is in" "a plugin without a source")

# nvcc is there, and the language is not enabled. (A build with CUDA names its own.)
set(nvcc -DCMAKE_CUDA_COMPILER=/usr/local/cuda/bin/nvcc)
set(project "cmake_minimum_required(VERSION 3.25)\nproject(my_tiles LANGUAGES CXX)\ninclude(CTest)\nfind_package(xpose REQUIRED)\n")
configure_well(cuda "${project}xpose_add_plugin(my_tiles)\n" ${nvcc} -DCMAKE_BUILD_TYPE=Release)
expect_match("${output}" "${no_cuda}, though /[^ ]+ is there. Write project[(]... LANGUAGES CXX CUDA[)], or enable_language[(]CUDA[)] [^;]* -DCMAKE_CUDA_COMPILER=/" "CUDA not enabled")
configure_well(cuda "${project}xpose_add_plugin(my_tiles NO_SIMULATOR)\n" ${nvcc} -DCMAKE_BUILD_TYPE=Release)
expect_match("${output}" "my_tiles[)]: it is left out, because this project does not enable" "CUDA not enabled, no simulator")
configure_well(cuda "${project}xpose_add_plugin(my_tiles)\n" ${nvcc} -DCMAKE_BUILD_TYPE=Release -DXPOSE_CUDA=OFF)
expect_no_match("${output}" "Warning" "CUDA not wanted")

string(REPLACE "LANGUAGES CXX" "LANGUAGES C" project "${project}")
configure(cuda "${project}xpose_add_plugin(my_tiles)\n" -DCMAKE_BUILD_TYPE=Release)
expect_match("${output}" "the simulator of a CUDA plugin needs a C\\+\\+ compiler. Write project[(]... LANGUAGES CXX CUDA[)]" "no C++")
if(NOT status)
  message(FATAL_ERROR "a CUDA plugin was configured without a C++ compiler")
endif()
if(WITH_CUDA)  # a project of old policies has architectures of its own, or none
  string(REGEX REPLACE "3[.]25(.*)LANGUAGES C" "3.10\\1LANGUAGES CXX CUDA" project "${project}")
  unset(ENV{CUDAARCHS})
  configure_well(cuda "${project}xpose_add_plugin(my_tiles)\n" -DCMAKE_BUILD_TYPE=Release)
endif()
