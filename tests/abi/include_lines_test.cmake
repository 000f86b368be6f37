# What include_lines.cmake finds: an include that runs up, between two folders, in a copy of the sources.
# cmake -DSOURCE_DIR=DIR -DSCRATCH=DIR -P include_lines_test.cmake
cmake_policy(VERSION 3.22)
file(REMOVE_RECURSE ${SCRATCH})
file(COPY ${SOURCE_DIR}/core ${SOURCE_DIR}/apps ${SOURCE_DIR}/plugins DESTINATION ${SCRATCH})

function(check_tree result output)
  execute_process(COMMAND ${CMAKE_COMMAND} -DSOURCE_DIR=${SCRATCH} -P ${CMAKE_CURRENT_LIST_DIR}/include_lines.cmake
    RESULT_VARIABLE code ERROR_VARIABLE text)
  string(REGEX REPLACE "[ \n]+" " " text "${text}")
  set(${result} ${code} PARENT_SCOPE)
  set(${output} "${text}" PARENT_SCOPE)
endfunction()

# The include stands on a line of its own at the end of the file.
function(expect_found file include words)
  file(READ ${SCRATCH}/${file} whole)
  string(REGEX REPLACE "[^\n]" "" newlines "${whole}")
  string(LENGTH "${newlines}" lines)
  math(EXPR line "${lines} + 1")
  file(APPEND ${SCRATCH}/${file} "#include \"${include}\"\n")
  check_tree(code text)
  file(WRITE ${SCRATCH}/${file} "${whole}")
  string(FIND "${text}" "${file}:${line} includes ${include}: ${words}" place)
  if(code EQUAL 0 OR place EQUAL -1)
    message(FATAL_ERROR "${file} includes ${include}, and the test says (${code}):\n${text}")
  endif()
endfunction()

check_tree(code text)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "the copy itself is refused:\n${text}")
endif()
expect_found(core/src/cache/cache_rows.cpp registry/catalog.hpp "cache -> registry is not allowed")
expect_found(core/src/problem/problem.cpp strategy/candidates.hpp "problem -> strategy is not allowed")
expect_found(core/src/worker/frame.cpp plan.hpp "worker -> the files above all folders is not allowed")

file(WRITE ${SCRATCH}/core/src/attic/lost.cpp "#include <vector>\n")
check_tree(code text)
if(code EQUAL 0 OR NOT text MATCHES "core/src/attic has no line folder_uses")
  message(FATAL_ERROR "a folder without a rule is not named (${code}):\n${text}")
endif()
file(REMOVE_RECURSE ${SCRATCH})
