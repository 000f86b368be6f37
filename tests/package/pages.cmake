# The examples of the pages for authors, built, tested and tried by the commands and with the generator that a reader
# uses: every character comes from the page.
include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)
file(REMOVE_RECURSE ${SCRATCH})

# Writes an example into a folder and runs the page's commands there.
function(follow page heading plugin)
  set(folder ${SCRATCH}/${plugin})
  write_example(plugins/README.md "Adding a plugin outside of the tree" ${folder})  # the commands of that page
  write_example(${page} "${heading}" ${folder})
  if(NOT WITH_CUDA)  # what the page says of a machine without nvcc: the plugin can be explained
    file(READ ${folder}/CMakeLists.txt text)
    string(REPLACE " CUDA" "" text "${text}")
    file(WRITE ${folder}/CMakeLists.txt "${text}")
  endif()
  run_well(CMAKE_GENERATOR=${GENERATOR} sh -ec "cd '${folder}' && . ./commands.sh")
  expect_match("${output}" "symbols.${plugin} [.]+ +Passed" "${page}, ${heading}")
  expect_no_match("${output}" ":[0-9]+: warning:|CMake Warning" "${page}, ${heading}")
  set(output "${output}" PARENT_SCOPE)
endfunction()

follow(README.md "Adding a strategy" my_idea)
expect_match("${output}" "conformance.my_idea.4 [.]+ +Passed" "README.md")
expect_match("${output}" "my_idea{panel=[0-9]+}[^\n]* ok" "README.md: xpose tune")

follow(plugins/README.md "A host plugin, in full" my_plugin)
expect_match("${output}" "conformance.my_idea.4 [.]+ +Passed" "the host plugin")

follow(plugins/C.md "In full" my_c_plugin)
expect_match("${output}" "conformance.my_bands.4 [.]+ +Passed" "the plugin in C")
expect_match("${output}" "my_bands +host +my_c_plugin 1.0 +band=64,256" "xpose plugins")

follow(plugins/CUDA.md "In full" my_tiles)
expect_match("${output}" "simulator.my_tiles.4 [.]+ +Passed" "the CUDA plugin")
expect_match("${output}" "conformance.my_tiles.4 [.]+[*]*(Skipped| +Passed)" "the CUDA plugin")
