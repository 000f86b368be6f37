# The second compilation of a CUDA plugin's sources, for the simulator.
include_guard(GLOBAL)
cmake_policy(PUSH)  # whatever the author's project asks for, or does not
cmake_policy(VERSION 3.25)
include(CheckCXXCompilerFlag)

# The linker of LLVM has no --force-group-allocation before version 19.
set(xpose_simulator_linker ${CMAKE_LINKER})
if(CMAKE_LINKER MATCHES "lld")
  find_program(XPOSE_GNU_LINKER NAMES ld.bfd ld REQUIRED)
  set(xpose_simulator_linker ${XPOSE_GNU_LINKER})
endif()
set_property(GLOBAL PROPERTY xpose_simulator_linker ${xpose_simulator_linker})

# xpose_simulator_sources(VARIABLE NAME FOLDER source...): a C++ source for each CUDA source, which
# includes it behind the words of CUDA. A language set on the source itself would also rule nvcc's.
function(xpose_simulator_sources variable name folder)
  set(wrappers)
  foreach(source IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH source NORMALIZE)
    cmake_path(GET source STEM stem)
    set(wrapper ${CMAKE_CURRENT_BINARY_DIR}/${name}_${folder}/${stem}.cpp)
    file(CONFIGURE OUTPUT ${wrapper} @ONLY
      CONTENT "#include <xpose/cuda.hpp>\n#include \"@source@\"\n")
    list(APPEND wrappers ${wrapper})
  endforeach()
  set(${variable} ${wrappers} PARENT_SCOPE)
endfunction()

# Leaves in VARIABLE what makes the C++ compiler call the simulator before every access: one call for
# each access of the source, at an address with the line of the source.
function(xpose_simulator_flags variable)
  set(flags -O1 -g1 -w -fvisibility=hidden -fno-sanitize=all -fsanitize=thread -fsanitize=bounds
    -fsanitize-recover=bounds -U_FORTIFY_SOURCE -U__SANITIZE_THREAD__ -fno-lto)
  foreach(flag -fno-gnu-unique -fno-store-merging -fno-tree-vectorize -fno-tree-slp-vectorize
      -fno-tree-sra -fno-ipa-sra -fno-vectorize -fno-slp-vectorize)
    string(MAKE_C_IDENTIFIER "xpose_takes${flag}" takes)
    check_cxx_compiler_flag(${flag} ${takes})
    if(${takes})
      list(APPEND flags ${flag})
    endif()
  endforeach()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    list(APPEND flags "SHELL:--param tsan-instrument-func-entry-exit=0")
  elseif(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    list(APPEND flags "SHELL:-mllvm -tsan-instrument-func-entry-exit=0")
  endif()
  set(${variable} ${flags} PARENT_SCOPE)
endfunction()

# xpose_simulator_hints(TARGET PLUGIN): what the simulator lacks of CUDA is said in one line, see simulator_compile.sh.
function(xpose_simulator_hints target plugin)
  set_property(TARGET ${target} PROPERTY CXX_COMPILER_LAUNCHER
    /bin/sh ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/simulator_compile.sh ${plugin} ${CMAKE_READELF} ${CMAKE_CXX_COMPILER_LAUNCHER})
endfunction()

# xpose_add_simulator(PLUGIN SOURCES file... [LIBRARIES target...]): compiles the sources for the simulator
# and adds them to the plugin, with the simulator, as one object file with one symbol. Their kernels
# have the names of nvcc's, and their hooks those of the thread sanitizer's.
function(xpose_add_simulator plugin)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES")
  xpose_simulator_sources(wrappers ${plugin} simulator ${arg_SOURCES})
  xpose_simulator_flags(flags)
  add_library(${plugin}_simulator OBJECT ${wrappers})
  target_link_libraries(${plugin}_simulator PRIVATE xpose::plugin ${arg_LIBRARIES})
  target_compile_definitions(${plugin}_simulator PRIVATE XPOSE_SIMULATOR)
  target_compile_options(${plugin}_simulator PRIVATE ${flags})
  set_target_properties(${plugin}_simulator PROPERTIES
    POSITION_INDEPENDENT_CODE ON INTERPROCEDURAL_OPTIMIZATION OFF)
  xpose_simulator_hints(${plugin}_simulator ${plugin})

  get_property(linker GLOBAL PROPERTY xpose_simulator_linker)
  set(object ${CMAKE_CURRENT_BINARY_DIR}/${plugin}_simulator.o)
  set(whole ${CMAKE_CURRENT_BINARY_DIR}/${plugin}_simulator_whole.o)
  add_custom_command(OUTPUT ${object}
    COMMAND ${linker} -r --force-group-allocation -o ${whole} $<TARGET_OBJECTS:${plugin}_simulator>
      --whole-archive $<TARGET_FILE:xpose::simulator>
    COMMAND ${CMAKE_OBJCOPY} --keep-global-symbol=xpose_simulator_entry ${whole} ${object}
    DEPENDS $<TARGET_OBJECTS:${plugin}_simulator> xpose::simulator $<TARGET_FILE:xpose::simulator>
    COMMAND_EXPAND_LISTS VERBATIM)
  set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  target_sources(${plugin} PRIVATE ${object})
  add_dependencies(${plugin} ${plugin}_simulator)  # Makefiles know the rules of one target alone
  target_compile_definitions(${plugin} PRIVATE XPOSE_HAS_SIMULATOR)
endfunction()

cmake_policy(POP)
