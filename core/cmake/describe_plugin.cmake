# cmake -DTRIAL=program -DPLUGIN=file -P describe_plugin.cmake: writes FILE.description, what the plugin offers,
# which spares its first users a worker. A plugin that cannot be described is built all the same, and its
# tests say what is wrong with it.
set(description ${PLUGIN}.description)
file(REMOVE ${description})
execute_process(COMMAND ${TRIAL} --describe ${PLUGIN} ${description}.new
  RESULT_VARIABLE result ERROR_VARIABLE words OUTPUT_QUIET TIMEOUT 60)
if(result EQUAL 0)
  file(RENAME ${description}.new ${description})
else()
  file(REMOVE ${description}.new)
  message("xpose: ${PLUGIN} has no description, so its first use takes longer: ${words}")
endif()
