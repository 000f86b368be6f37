# What the scripts of this folder share; CMakeLists.txt says which variables they are given.
cmake_minimum_required(VERSION 3.25)

# The environment of a person with an installed xpose on the PATH, who has CMake configure as this build was.
set(environment ${CMAKE_COMMAND} -E env --unset=XPOSE_PLUGIN_PATH --unset=LD_LIBRARY_PATH --unset=MAKEFLAGS
  --unset=CMAKE_BUILD_TYPE PATH=${PREFIX}/${BIN}:$ENV{PATH} XDG_CACHE_HOME=${SCRATCH}/cache
  CMAKE_TOOLCHAIN_FILE=${TOOLCHAIN})

# Runs a command in the environment and leaves what it said in `output`, its exit status in `status`.
function(run)
  list(JOIN ARGN " " words)
  message(STATUS "${words}")
  execute_process(COMMAND ${environment} ${ARGN} OUTPUT_VARIABLE said ERROR_VARIABLE said RESULT_VARIABLE failed)
  set(output "${said}" PARENT_SCOPE)
  set(status "${failed}" PARENT_SCOPE)
endfunction()

# The same of a command that must succeed.
function(run_well)
  run(${ARGN})
  if(status)
    list(JOIN ARGN " " words)
    message(FATAL_ERROR "ended with ${status}: ${words}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

# Ends the script with a word that ctest knows.
function(skip_test why)
  message(FATAL_ERROR "This test is SKIPPED: ${why}")
endfunction()

function(expect_match text pattern what)
  if(NOT text MATCHES "${pattern}")
    message(FATAL_ERROR "${what}: no '${pattern}' in\n${text}")
  endif()
endfunction()

function(expect_no_match text pattern what)
  if(text MATCHES "${pattern}")
    message(FATAL_ERROR "${what}: '${pattern}' in\n${text}")
  endif()
endfunction()

# Writes the fenced blocks of a section of a page of the repository into a folder: cmake into CMakeLists.txt, sh into
# commands.sh, code into the file that its first line names, else main.cpp.
function(write_example page heading folder)
  file(READ ${REPOSITORY}/${page} text)
  string(FIND "${text}" "\n## ${heading}\n" begin)
  if(begin EQUAL -1)
    message(FATAL_ERROR "${page} has no section '${heading}'")
  endif()
  string(SUBSTRING "${text}" ${begin} -1 text)
  string(SUBSTRING "${text}" 4 -1 text)
  string(FIND "${text}" "\n## " end)
  string(SUBSTRING "${text}" 0 ${end} text)
  string(FIND "${text}" "\n```" begin)
  while(NOT begin EQUAL -1)
    math(EXPR begin "${begin} + 4")
    string(SUBSTRING "${text}" ${begin} -1 text)
    string(FIND "${text}" "\n" line)
    string(SUBSTRING "${text}" 0 ${line} language)
    math(EXPR line "${line} + 1")
    string(SUBSTRING "${text}" ${line} -1 text)
    string(FIND "${text}" "```" end)
    string(SUBSTRING "${text}" 0 ${end} code)
    math(EXPR end "${end} + 3")
    string(SUBSTRING "${text}" ${end} -1 text)
    set(file main.cpp)
    if(language STREQUAL "cmake")
      set(file CMakeLists.txt)
    elseif(language STREQUAL "sh")
      set(file commands.sh)
    elseif(code MATCHES "^// ([a-z_]+[.][a-z]+)\n")
      set(file ${CMAKE_MATCH_1})
    endif()
    file(WRITE ${folder}/${file} "${code}")
    string(FIND "${text}" "\n```" begin)
  endwhile()
endfunction()
