cmake_minimum_required(VERSION 3.25)
project(my_idea LANGUAGES CXX)
include(CTest)

# Without a CUDA compiler the strategy can be tested on the simulator and explained, but not run.
include(CheckLanguage)
check_language(CUDA)
if(CMAKE_CUDA_COMPILER)
  enable_language(CUDA)
endif()

find_package(xpose REQUIRED)
xpose_add_plugin(my_idea)

if(BUILD_TESTING)
  add_executable(my_idea_test my_idea_test.cpp)
  target_link_libraries(my_idea_test PRIVATE xpose::xpose)
  add_test(NAME my_idea COMMAND my_idea_test $<TARGET_FILE_DIR:my_idea>)
endif()
