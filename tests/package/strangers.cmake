# A plugin that its author installs among those of the library stays a stranger: the figures of its quote count for
# nothing before they were measured, and it buys no estimate with them.
include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)
file(REMOVE_RECURSE ${SCRATCH})
file(COPY ${PREFIX}/ DESTINATION ${SCRATCH}/prefix)
set(plugins ${SCRATCH}/prefix/${LIB}/xpose/plugins)
file(COPY ${STRANGER} DESTINATION ${plugins})
run_well(${SCRATCH}/prefix/${LIB}/xpose/xpose-trial --describe ${plugins}/claims.so ${plugins}/claims.so.description)

# Runs the installed command and leaves its document in `output`; what it says beside that, such as that it waits for
# another process, is no part of it.
function(tune)
  execute_process(COMMAND ${environment} ${SCRATCH}/prefix/${BIN}/xpose tune --device host --shape 1024x1024 --json - ${ARGN}
    OUTPUT_VARIABLE output ERROR_VARIABLE words RESULT_VARIABLE status)
  if(status)
    message(FATAL_ERROR "tune ${ARGN} ended with ${status}:\n${words}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

# Leaves the discount of a strategy's trial in `discount`, NOTFOUND where it was not tried.
function(discount_of strategy)
  set(discount NOTFOUND)
  string(JSON count LENGTH "${output}" trials)
  math(EXPR last "${count} - 1")
  foreach(at RANGE ${last})
    string(JSON name GET "${output}" trials ${at} strategy)
    if(name STREQUAL strategy)
      string(JSON discount GET "${output}" trials ${at} discount)
    endif()
  endforeach()
  set(discount "${discount}" PARENT_SCOPE)
endfunction()

tune(--budget 0)
string(JSON is_estimate GET "${output}" is_estimate)
string(JSON winner GET "${output}" winner)
if(NOT is_estimate OR winner MATCHES "claims")
  message(FATAL_ERROR "the estimate is ${winner}\n${output}")
endif()

tune(--budget 1 --strategy host_naive_row --strategy claims)
discount_of(host_naive_row)
if(NOT discount EQUAL 1)
  message(FATAL_ERROR "host_naive_row came with the library, and its discount is '${discount}'\n${output}")
endif()
discount_of(claims)
if(NOT discount STREQUAL "")
  message(FATAL_ERROR "claims is a stranger, and its discount is '${discount}'\n${output}")
endif()
