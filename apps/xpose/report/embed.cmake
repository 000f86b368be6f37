# Writes the files of this folder into a C++ source, each as a string of its name: a.html as a_html.
# cmake -DOUTPUT=FILE -DFILES=a.html,b.css -P embed.cmake
string(REPLACE "," ";" FILES "${FILES}")
set(source "#include \"report/report_files.hpp\"\n\nnamespace xpose::app::report_files {\n\n")
foreach(file IN LISTS FILES)
  file(READ ${CMAKE_CURRENT_LIST_DIR}/${file} text)
  if(text MATCHES "\\)embedded\"")
    message(FATAL_ERROR "${file} holds the mark that ends a string here")
  endif()
  string(REPLACE "." "_" name ${file})
  string(APPEND source "const std::string_view ${name} = R\"embedded(${text})embedded\";\n\n")
endforeach()
file(WRITE ${OUTPUT} "${source}}  // namespace xpose::app::report_files\n")
