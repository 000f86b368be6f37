# Hints for the author of a project outside of the tree whose plugin would be slow, untested or not run.
include_guard(GLOBAL)
cmake_policy(PUSH)  # whatever the author's project asks for, or does not
cmake_policy(VERSION 3.25)

# A message once a build, however many plugins it has.
function(xpose_say_once key)
  get_property(said GLOBAL PROPERTY xpose_said_${key})
  if(NOT said)
    string(CONCAT text ${ARGN})
    message(NOTICE "xpose: ${text}")
    set_property(GLOBAL PROPERTY xpose_said_${key} ON)
  endif()
endfunction()

# A plugin lives by its speed, and an empty build type asks for no optimisation.
function(xpose_optimise target)
  if(CMAKE_CONFIGURATION_TYPES OR CMAKE_BUILD_TYPE OR "${CMAKE_CXX_FLAGS} ${CMAKE_C_FLAGS}" MATCHES "-O")
    return()
  endif()
  target_compile_options(${target} PRIVATE -O2)
  xpose_say_once(build_type "CMAKE_BUILD_TYPE is empty, so plugins are compiled with -O2. "
    "Configure with -DCMAKE_BUILD_TYPE=Release, or Debug, to choose.")
endfunction()

# Tests that are not enabled by the end of the folder's CMakeLists.txt are dropped without a word.
function(xpose_expect_tests)
  cmake_language(DEFER CALL xpose_say_no_tests)
endfunction()
function(xpose_say_no_tests)
  if(NOT CMAKE_TESTING_ENABLED AND (BUILD_TESTING OR NOT DEFINED BUILD_TESTING))
    xpose_say_once(tests "tests are not enabled, so ctest will not have the conformance suite of the plugins in "
      "${CMAKE_CURRENT_SOURCE_DIR}. Write include(CTest) behind project(), or say with -DBUILD_TESTING=OFF that none are wanted.")
  endif()
endfunction()

# Why the CUDA sources of a plugin are not compiled by nvcc. outcome: "it can be explained, but not run".
function(xpose_say_no_cuda name outcome)
  if(XPOSE_CUDA STREQUAL "OFF")
    message(STATUS "xpose: CUDA is off: ${name}: ${outcome}")
    return()
  endif()
  set(nvcc ${CMAKE_CUDA_COMPILER})
  if(NOT nvcc)
    find_program(XPOSE_NVCC nvcc HINTS $ENV{CUDACXX} ENV CUDA_PATH PATHS /usr/local/cuda PATH_SUFFIXES bin)
    set(nvcc ${XPOSE_NVCC})
  endif()
  if(nvcc)
    message(WARNING "xpose_add_plugin(${name}): ${outcome}, because this project does not enable the language CUDA, "
      "though ${nvcc} is there. Write project(... LANGUAGES CXX CUDA), or enable_language(CUDA) before this line, and "
      "configure with -DCMAKE_CUDA_COMPILER=${nvcc} where it is not on the PATH; -DXPOSE_CUDA=OFF says that it is "
      "meant so.")
  else()
    message(STATUS "xpose: there is no CUDA compiler: ${name}: ${outcome}")
  endif()
endfunction()

cmake_policy(POP)
