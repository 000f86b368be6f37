# Installs the build into a scratch prefix and uses it as an author and a caller outside the tree do.
# Called by ctest; see CMakeLists.txt for the variables.
set(prefix ${SCRATCH}/prefix)
set(clean_environment ${CMAKE_COMMAND} -E env --unset=XPOSE_PLUGIN_PATH --unset=LD_LIBRARY_PATH
  XDG_CACHE_HOME=${SCRATCH}/cache)

# Runs a command, which must succeed, and leaves what it said on stdout in `output`.
function(run)
  list(JOIN ARGN " " words)
  message(STATUS "${words}")
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE said ERROR_VARIABLE complained RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "ended with ${failed}: ${words}\n${said}\n${complained}")
  endif()
  set(output "${said}" PARENT_SCOPE)
endfunction()

# Configures, builds and tests one of the projects beside this file against the prefix.
function(build_and_test project)
  run(${CMAKE_COMMAND} -S ${SOURCE}/${project} -B ${SCRATCH}/${project} -G ${GENERATOR}
    -DCMAKE_MAKE_PROGRAM=${MAKE_PROGRAM} -DCMAKE_CXX_COMPILER=${CXX_COMPILER}
    -DCMAKE_BUILD_TYPE=${CONFIG} -DCMAKE_CXX_FLAGS=${CXX_FLAGS}
    -DCMAKE_EXE_LINKER_FLAGS=${EXE_LINKER_FLAGS} -DCMAKE_MODULE_LINKER_FLAGS=${MODULE_LINKER_FLAGS}
    -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF)
  run(${CMAKE_COMMAND} --build ${SCRATCH}/${project} --config ${CONFIG})
  run(${clean_environment} ${CMAKE_CTEST_COMMAND} --test-dir ${SCRATCH}/${project}
    --build-config ${CONFIG} --output-on-failure --no-tests=error)
  set(output "${output}" PARENT_SCOPE)
endfunction()

function(expect_match text pattern what)
  if(NOT text MATCHES "${pattern}")
    message(FATAL_ERROR "${what}: no '${pattern}' in\n${text}")
  endif()
endfunction()

file(REMOVE_RECURSE ${SCRATCH})
run(${CMAKE_COMMAND} --install ${BUILD} --config ${CONFIG} --prefix ${prefix})

build_and_test(caller)

build_and_test(plugin)
foreach(test "symbols.my_idea" "conformance.my_idea.4" "conformance.my_idea.8")
  expect_match("${output}" "${test} [.]+ +Passed" "the author's tests")
endforeach()

set(command ${clean_environment} ${prefix}/${BIN}/xpose)
set(author_plugins ${SCRATCH}/plugin/lib/xpose/plugins)

run(${command} plugins --plugins ${author_plugins} --json -)
string(JSON kind ERROR_VARIABLE broken TYPE "${output}")
if(NOT kind STREQUAL "OBJECT")
  message(FATAL_ERROR "xpose plugins --json - did not write a JSON object: ${broken}\n${output}")
endif()
expect_match("${output}" "\"my_idea\"" "xpose plugins beside the author's folder")
expect_match("${output}" "\"host_blocked\"" "xpose plugins beside the author's folder")

run(${command} tune --plugins ${author_plugins} --device host --shape 64x64 --bytes 4)
expect_match("${output}" "my_idea{panel=[0-9]+}[^\n]* ok" "xpose tune")
expect_match("${output}" "host_blocked{tile=[0-9]+}[^\n]* ok" "xpose tune")

# The n-th C++ block of a page, counted from 0.
function(cpp_block page n variable)
  file(READ ${page} text)
  foreach(i RANGE ${n})
    string(FIND "${text}" "```cpp\n" begin)
    math(EXPR begin "${begin} + 7")
    string(SUBSTRING "${text}" ${begin} -1 text)
    string(FIND "${text}" "```" end)
    string(SUBSTRING "${text}" 0 ${end} code)
    string(SUBSTRING "${text}" ${end} -1 text)
  endforeach()
  set(${variable} "${code}" PARENT_SCOPE)
endfunction()

# The README's caller and plugin, and the CUDA plugin of the page for authors, built as they stand
# there. The CUDA compiler is not enabled, so the latter can be explained alone.
cpp_block(${SOURCE}/../../README.md 0 code)
file(WRITE ${SCRATCH}/source/readme/caller.cpp "${code}")
cpp_block(${SOURCE}/../../README.md 1 code)
file(WRITE ${SCRATCH}/source/readme/plugin.cpp "${code}")
cpp_block(${SOURCE}/../../plugins/README.md 1 code)
file(WRITE ${SCRATCH}/source/readme/my_tiles.cu "${code}")
file(WRITE ${SCRATCH}/source/readme/CMakeLists.txt "cmake_minimum_required(VERSION 3.25)
project(readme LANGUAGES C CXX)
include(CTest)
find_package(xpose REQUIRED)
add_executable(caller caller.cpp)
target_link_libraries(caller PRIVATE xpose::xpose)
add_test(NAME caller COMMAND caller)
xpose_add_plugin(my_idea SOURCES plugin.cpp)
xpose_add_plugin(my_tiles)
")
set(SOURCE ${SCRATCH}/source)
build_and_test(readme)
foreach(test "caller" "symbols.my_idea" "symbols.my_tiles" "conformance.my_idea.4")
  expect_match("${output}" "${test} [.]+ +Passed" "the README's code")
endforeach()
