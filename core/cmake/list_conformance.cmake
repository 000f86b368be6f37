# Read by ctest: one test a strategy and element size of PLUGIN, as XPOSE_COMMAND lists them. Each
# line of the list is "STRATEGY BYTES LABEL". $XPOSE_CHECK_ELEMENTS bounds the problems, for sanitizers;
# $XPOSE_CHECK_CONFIGS the configs that meet each, where time is short.
execute_process(COMMAND "${XPOSE_COMMAND}" check "${PLUGIN}" --list
  OUTPUT_VARIABLE lines ERROR_VARIABLE words RESULT_VARIABLE failed)
if(failed)
  # The plugin is not built or cannot be loaded: one test that says so.
  add_test("conformance.${PLUGIN}" "${XPOSE_COMMAND}" check "${PLUGIN}")
else()
  string(REGEX MATCHALL "[^\n]+" lines "${lines}")
  foreach(line IN LISTS lines)
    string(REPLACE " " ";" fields "${line}")
    list(GET fields 0 strategy)
    list(GET fields 1 bytes)
    list(GET fields 2 label)
    set(test "conformance.${strategy}.${bytes}")
    set(where)
    set(bound)
    if(DEFINED ENV{XPOSE_CHECK_ELEMENTS})
      set(bound --max-elements $ENV{XPOSE_CHECK_ELEMENTS})
    endif()
    if(DEFINED ENV{XPOSE_CHECK_CONFIGS})
      list(APPEND bound --max-configs $ENV{XPOSE_CHECK_CONFIGS})
    endif()
    if(label STREQUAL "simulator")  # the kernels on the host, see explain.hpp
      set(test "simulator.${strategy}.${bytes}")
      set(where --simulator)
    endif()
    add_test("${test}" "${XPOSE_COMMAND}" check "${PLUGIN}" --strategy "${strategy}" --bytes "${bytes}" ${where} ${bound})
    set_tests_properties("${test}" PROPERTIES LABELS "${label}" SKIP_RETURN_CODE 77 TIMEOUT 900)
  endforeach()
endif()
