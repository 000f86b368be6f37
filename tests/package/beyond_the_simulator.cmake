# What the simulator lacks of CUDA is said by file, line and remedy, in place of a page of the compiler's.
include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)
file(REMOVE_RECURSE ${SCRATCH})
set(source ${CMAKE_CURRENT_LIST_DIR}/beyond_the_simulator)

run_well(${CMAKE_COMMAND} -S ${source} -B "${SCRATCH}/a build" -DXPOSE_CUDA=OFF -DCMAKE_BUILD_TYPE=Release)

# Builds the simulator of a plugin, which must fail with a hint at the line of FILE that is marked HERE, if any is.
function(expect_hint plugin file words)
  run(${CMAKE_COMMAND} --build "${SCRATCH}/a build" --target ${plugin}_simulator)
  if(NOT status)
    message(FATAL_ERROR "the simulator of ${plugin} was built:\n${output}")
  endif()
  set(line "[0-9]+")  # of an include or of its use: not every host has the header
  file(READ ${source}/${file} text)
  if(text MATCHES "^(.*)// HERE")
    string(REGEX REPLACE "[^\n]" "" lines "${CMAKE_MATCH_1}")
    string(LENGTH "${lines}\n" line)
  endif()
  expect_match("${output}" "/${file}:${line}: error: ${plugin} ${words}: the simulator, which runs" "the simulator of ${plugin}")
  expect_match("${output}" "xpose_add_plugin\\(${plugin} NO_SIMULATOR\\)" "the simulator of ${plugin}")
  # The compiler's own words stay away: its excerpts of the source, and the assembler's.
  expect_no_match("${output}" "\n +[0-9]+ [|]|Assembler messages|In file included" "the simulator of ${plugin}")
endfunction()

expect_hint(launches launches.cu "launches with <<<>>>")
expect_hint(array through.cuh "declares an extern __shared__ array")
expect_hint(array through.cuh "declares an extern __shared__ array")  # again: nothing was left that looks built
expect_hint(ptx ptx.cu "has inline PTX")
expect_hint(groups groups.cu "uses cooperative groups")

# Another error is the compiler's to say, with the way out behind it.
run(${CMAKE_COMMAND} --build "${SCRATCH}/a build" --target typo_simulator)
expect_match("${output}" "typo.cu:[0-9]+:[0-9]+: error: [^\n]*__synchthreads[^\n]* was not declared" "a typo")
expect_match("${output}" "xpose: this was the compilation of typo for the simulator[^\n]*NO_SIMULATOR" "a typo")

if(WITH_CUDA)  # NO_SIMULATOR is the way out that the hints name
  run_well(${CMAKE_COMMAND} -S ${source} -B ${SCRATCH}/no_simulation -DCUDA=CUDA -DNO_SIMULATOR=NO_SIMULATOR -DCMAKE_BUILD_TYPE=Release)
  foreach(plugin launches groups)
    run_well(${CMAKE_COMMAND} --build ${SCRATCH}/no_simulation --target ${plugin})
  endforeach()
endif()
