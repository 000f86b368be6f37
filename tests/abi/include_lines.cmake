# Holds each outside library to the one place that includes it, so that it can be replaced there.
# cmake -DSOURCE_DIR=DIR -P include_lines.cmake
set(violations "")

# Leaves in `lines` every "FILE:#include ..." under the folders, FILE relative to SOURCE_DIR.
function(collect_includes)
  set(found "")
  foreach(folder IN LISTS ARGN)
    file(GLOB_RECURSE files RELATIVE ${SOURCE_DIR} ${SOURCE_DIR}/${folder}/*.h
      ${SOURCE_DIR}/${folder}/*.hpp ${SOURCE_DIR}/${folder}/*.cpp ${SOURCE_DIR}/${folder}/*.c
      ${SOURCE_DIR}/${folder}/*.cu ${SOURCE_DIR}/${folder}/*.cuh)
    foreach(file IN LISTS files)
      file(STRINGS ${SOURCE_DIR}/${file} includes REGEX "^[ \t]*#[ \t]*include")
      foreach(include IN LISTS includes)
        string(REGEX MATCH "[<\"][^>\"]+" header "${include}")
        list(APPEND found "${file}:${header}")
      endforeach()
    endforeach()
  endforeach()
  if(NOT found)
    message(FATAL_ERROR "no include line under ${ARGN} of ${SOURCE_DIR}: this test looks at nothing")
  endif()
  set(lines "${found}" PARENT_SCOPE)
endfunction()

# Of `lines`, those that include a header that matches must all stand in a file that matches.
function(allow_only library header_pattern file_pattern)
  foreach(line IN LISTS lines)
    if(line MATCHES ":[<\"](${header_pattern})" AND NOT line MATCHES "^(${file_pattern}):")
      list(APPEND violations "${line}  (${library} belongs to ${file_pattern} alone)")
    endif()
  endforeach()
  set(violations "${violations}" PARENT_SCOPE)
endfunction()

# ... and there must be at least one.
function(expect_in library header_pattern file_pattern)
  set(used OFF)
  foreach(line IN LISTS lines)
    if(line MATCHES "^(${file_pattern}):[<\"](${header_pattern})")
      set(used ON)
    endif()
  endforeach()
  if(NOT used)
    list(APPEND violations "${file_pattern} does not include ${library}")
  endif()
  set(violations "${violations}" PARENT_SCOPE)
endfunction()

# A header of the C++ or C library has no folder and no ending but .h.
set(standard "<[a-z_0-9]+(\\.h)?$")

collect_includes(core/src)
allow_only("Boost.DLL" "boost/" "core/src/plugin_library\\.cpp")
allow_only("Eigen" "Eigen/" "core/src/verify\\.cpp")
allow_only("the CUDA runtime" "cuda" "core/src/device_cuda\\.cu")
allow_only("SQLite" "sqlite" "no file yet")
allow_only("nlohmann/json" "nlohmann/" "apps")
expect_in("Boost.DLL" "boost/dll" "core/src/plugin_library\\.cpp")
expect_in("Eigen" "Eigen/" "core/src/verify\\.cpp")
expect_in("the CUDA runtime" "cuda" "core/src/device_cuda\\.cu")

collect_includes(core/include)
foreach(line IN LISTS lines)
  if(NOT line MATCHES ":<xpose/" AND NOT line MATCHES ":${standard}")
    list(APPEND violations "${line}  (public headers include the standard library alone)")
  endif()
endforeach()

collect_includes(apps)
allow_only("Boost.DLL" "boost/dll" "core/src/plugin_library\\.cpp")
allow_only("Eigen" "Eigen/" "core/src/verify\\.cpp")
allow_only("the CUDA runtime" "cuda" "core/src/device_cuda\\.cu")

collect_includes(plugins)
foreach(line IN LISTS lines)
  if(line MATCHES "^(.*)/[^/]*:\"(.*)")
    get_filename_component(own ${SOURCE_DIR}/${CMAKE_MATCH_1}/${CMAKE_MATCH_2} ABSOLUTE)
    if(NOT own MATCHES "^${SOURCE_DIR}/plugins/")
      list(APPEND violations "${line}  (outside plugins)")
    endif()
  elseif(NOT line MATCHES ":<xpose/(plugin\\.h|plugin\\.hpp|cuda\\.hpp)$" AND NOT line MATCHES ":<(cuda|cooperative_groups)"
      AND NOT line MATCHES ":${standard}")
    list(APPEND violations "${line}  (plugins see the SDK, their own headers and their toolkit)")
  endif()
endforeach()

if(violations)
  list(JOIN violations "\n  " violations)
  message(FATAL_ERROR "include lines out of place:\n  ${violations}")
endif()
