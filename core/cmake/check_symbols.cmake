# Fails unless PLUGIN exports exactly one symbol, the entry.
execute_process(COMMAND ${NM} --dynamic --defined-only --format=posix ${PLUGIN}
  OUTPUT_VARIABLE symbols RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "${NM} cannot read ${PLUGIN}")
endif()
string(REGEX REPLACE " [^\n]*" "" symbols "${symbols}")
string(STRIP "${symbols}" symbols)
if(NOT symbols STREQUAL "xpose_plugin_entry")
  message(FATAL_ERROR "${PLUGIN} must export xpose_plugin_entry alone, but exports:\n${symbols}")
endif()
