# A caller, a plugin with a library of its own, and the README's caller, as projects outside the tree.
include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)
file(REMOVE_RECURSE ${SCRATCH})

function(build_and_test source)
  cmake_path(GET source FILENAME project)
  run_well(${CMAKE_COMMAND} -S ${source} -B ${SCRATCH}/${project} -DCMAKE_BUILD_TYPE=${CONFIG})
  run_well(${CMAKE_COMMAND} --build ${SCRATCH}/${project} --config ${CONFIG})
  run_well(${CMAKE_CTEST_COMMAND} --test-dir ${SCRATCH}/${project} --build-config ${CONFIG} --output-on-failure
    --no-tests=error)
  set(output "${output}" PARENT_SCOPE)
endfunction()

build_and_test(${CMAKE_CURRENT_LIST_DIR}/caller)

write_example(README.md "Calling it" ${SCRATCH}/source/readme)
file(WRITE ${SCRATCH}/source/readme/CMakeLists.txt "cmake_minimum_required(VERSION 3.25)
project(readme LANGUAGES CXX)
include(CTest)
find_package(xpose REQUIRED)
add_executable(app main.cpp)
target_link_libraries(app PRIVATE xpose::xpose)
add_test(NAME caller COMMAND app)
")
build_and_test(${SCRATCH}/source/readme)

# A project in C alone: no compiler of C++ is asked for.
write_example(core/README.md "From C" ${SCRATCH}/source/from_c)
run_well(${CMAKE_COMMAND} -S ${SCRATCH}/source/from_c -B ${SCRATCH}/from_c -DCMAKE_BUILD_TYPE=${CONFIG})
run_well(${CMAKE_COMMAND} --build ${SCRATCH}/from_c --config ${CONFIG})
run_well(${SCRATCH}/from_c/caller)
expect_match("${output}" "1 4\n2 5\n3 6" "the caller in C")

build_and_test(${CMAKE_CURRENT_LIST_DIR}/plugin)
foreach(test "symbols.my_idea" "conformance.my_idea.4" "conformance.my_idea.8")
  expect_match("${output}" "${test} [.]+ +Passed" "the author's tests")
endforeach()

set(author_plugins ${SCRATCH}/plugin/lib/xpose/plugins)
run_well(xpose plugins --plugins ${author_plugins} --json -)
string(JSON kind ERROR_VARIABLE broken TYPE "${output}")
if(NOT kind STREQUAL "OBJECT")
  message(FATAL_ERROR "xpose plugins --json - did not write a JSON object: ${broken}\n${output}")
endif()
expect_match("${output}" "\"my_idea\"" "xpose plugins beside the author's folder")
expect_match("${output}" "\"host_blocked\"" "xpose plugins beside the author's folder")

run_well(xpose tune --plugins ${author_plugins} --device host --shape 64x64 --bytes 4)
expect_match("${output}" "my_idea{panel=[0-9]+}[^\n]* ok" "xpose tune")
expect_match("${output}" "host_blocked{tile=[0-9]+}[^\n]* ok" "xpose tune")
