# xpose_add_plugin(NAME [NO_SIMULATOR] [FOLDER name] [SOURCES file...] [LIBRARIES target...])
#
# Builds the plugin NAME.so from the sources (default: NAME.cu, NAME.cpp and NAME.c in the current folder)
# with hidden visibility, one exported symbol, every symbol resolved at link time and a static CUDA
# runtime; writes beside it what it offers (NAME.so.description), for which a worker loads it; installs both
# where the library looks; and registers three kinds of tests: symbols.NAME; the
# conformance suite, conformance.STRATEGY.BYTES for each strategy and element size; and for strategies
# that have a simulator the suite on that, simulator.STRATEGY.BYTES, which needs no device.
#
# Every CUDA source is compiled a second time, by the C++ compiler, for the simulator: there the kernels
# run on the host and each access is seen (xpose explain). XPOSE_PLUGIN stands in a CUDA source then.
# FOLDER is where it goes beside the folder plugins, for what is not to be tried (default: plugins).
# NO_SIMULATOR leaves that out, for sources that only nvcc can compile. Without the CUDA Toolkit a CUDA
# plugin can be explained, but not run; with NO_SIMULATOR it is left out.
include_guard(GLOBAL)
cmake_policy(PUSH)  # whatever the author's project asks for, or does not
cmake_policy(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/XposeAuthorHints.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/XposeSimulator.cmake)

function(xpose_add_plugin name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "NO_SIMULATOR" "FOLDER" "SOURCES;LIBRARIES")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "xpose_add_plugin(${name}): unknown arguments ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT arg_SOURCES)
    foreach(ending cu cpp c)
      if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${name}.${ending})
        list(APPEND arg_SOURCES ${name}.${ending})
      endif()
    endforeach()
  endif()
  if(NOT arg_SOURCES)
    message(FATAL_ERROR "xpose_add_plugin(${name}): none of ${name}.cu, ${name}.cpp and ${name}.c is in "
      "${CMAKE_CURRENT_SOURCE_DIR}, and no SOURCES were given")
  endif()

  if(NOT arg_FOLDER)
    set(arg_FOLDER plugins)
  endif()
  set(cuda_sources ${arg_SOURCES})
  list(FILTER cuda_sources INCLUDE REGEX "\\.cu$")
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if(cuda_sources AND NOT arg_NO_SIMULATOR AND NOT "CXX" IN_LIST languages)
    message(FATAL_ERROR "xpose_add_plugin(${name}): the simulator of a CUDA plugin needs a C++ compiler. Write "
      "project(... LANGUAGES CXX CUDA), or xpose_add_plugin(${name} NO_SIMULATOR)")
  endif()
  if(cuda_sources AND NOT "CUDA" IN_LIST languages)
    if(arg_NO_SIMULATOR)
      xpose_say_no_cuda(${name} "it is left out")
      return()
    endif()
    xpose_say_no_cuda(${name} "it can be explained, but not run")
    list(REMOVE_ITEM arg_SOURCES ${cuda_sources})
    xpose_simulator_sources(without_cuda ${name} without_cuda ${cuda_sources})
    list(APPEND arg_SOURCES ${without_cuda})
  endif()

  add_library(${name} MODULE ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE xpose::plugin ${arg_LIBRARIES})
  if(without_cuda)
    target_compile_definitions(${name} PRIVATE XPOSE_SIMULATOR XPOSE_NO_CUDA)
    xpose_simulator_hints(${name} ${name})
  endif()
  xpose_optimise(${name})
  if(cuda_sources AND NOT arg_NO_SIMULATOR)
    xpose_add_simulator(${name} SOURCES ${cuda_sources} LIBRARIES ${arg_LIBRARIES})
    if(arg_FOLDER STREQUAL "plugins")
      set_property(GLOBAL APPEND PROPERTY XPOSE_SIMULATED_PLUGINS ${name})  # for the simulator's own tests
    endif()
  endif()
  if(NOT DEFINED XPOSE_PLUGIN_OUTPUT_DIRECTORY)
    set(XPOSE_PLUGIN_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib/xpose/${arg_FOLDER})
  endif()
  set_target_properties(${name} PROPERTIES
    PREFIX "" SUFFIX ".so"
    LIBRARY_OUTPUT_DIRECTORY ${XPOSE_PLUGIN_OUTPUT_DIRECTORY}
    C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden CUDA_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
    CUDA_RUNTIME_LIBRARY Static
    LINK_DEPENDS ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/plugin.map)
  if(NOT CMAKE_CUDA_ARCHITECTURES)  # of projects older than the variable: what nvcc takes by itself
    set_property(TARGET ${name} PROPERTY CUDA_ARCHITECTURES OFF)
  endif()
  target_link_options(${name} PRIVATE
    "LINKER:--version-script=${CMAKE_CURRENT_FUNCTION_LIST_DIR}/plugin.map" "LINKER:-z,defs" "LINKER:-z,now")

  include(GNUInstallDirs)
  install(TARGETS ${name} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/xpose/${arg_FOLDER})

  if(NOT CMAKE_CROSSCOMPILING)
    add_custom_command(TARGET ${name} POST_BUILD VERBATIM
      COMMAND ${CMAKE_COMMAND} -DTRIAL=$<TARGET_FILE:xpose::trial> -DPLUGIN=$<TARGET_FILE:${name}>
        -P ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/describe_plugin.cmake)
    if(TARGET xpose_trial)
      add_dependencies(${name} xpose_trial)
      # A description is of one build of xpose: another worker writes it anew.
      set_property(TARGET ${name} APPEND PROPERTY LINK_DEPENDS $<TARGET_FILE:xpose_trial>)
    endif()
    install(FILES $<TARGET_FILE:${name}>.description
      DESTINATION ${CMAKE_INSTALL_LIBDIR}/xpose/${arg_FOLDER} OPTIONAL)
  endif()

  xpose_expect_tests()
  add_test(NAME symbols.${name}
    COMMAND ${CMAKE_COMMAND} -DPLUGIN=$<TARGET_FILE:${name}> -DNM=${CMAKE_NM}
      -P ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/check_symbols.cmake)

  # The strategies are known once the plugin is built, so its tests are listed when ctest starts.
  set(listing ${CMAKE_CURRENT_BINARY_DIR}/${name}_conformance_$<CONFIG>.cmake)
  file(GENERATE OUTPUT ${listing} CONTENT
"set(XPOSE_COMMAND [==[$<TARGET_FILE:xpose::command>]==])
set(PLUGIN [==[$<TARGET_FILE:${name}>]==])
include([==[${CMAKE_CURRENT_FUNCTION_LIST_DIR}/list_conformance.cmake]==])
")
  set(include_file ${CMAKE_CURRENT_BINARY_DIR}/${name}_conformance.cmake)
  file(WRITE ${include_file} "include(\"${CMAKE_CURRENT_BINARY_DIR}/${name}_conformance_\${CTEST_CONFIGURATION_TYPE}.cmake\" OPTIONAL)\n")
  if(CMAKE_CONFIGURATION_TYPES)
    set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${include_file})
  else()
    set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES
      ${CMAKE_CURRENT_BINARY_DIR}/${name}_conformance_${CMAKE_BUILD_TYPE}.cmake)
  endif()
endfunction()

cmake_policy(POP)
