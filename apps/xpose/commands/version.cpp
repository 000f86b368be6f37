#include "commands/version.hpp"

#include "xpose/plugin.h"
#include "xpose/xpose.h"

namespace xpose::app {

std::string version_text() {
  return std::string("xpose ") + xpose_version() + "\nplugin ABI " +
         std::to_string(XPOSE_ABI_MAJOR) + '.' + std::to_string(XPOSE_ABI_MINOR) + ", C API " +
         std::to_string(xpose_c_version()) +
         "\nbuilt by " XPOSE_COMPILER ", " XPOSE_CUDA_BUILD "\n";
}

}  // namespace xpose::app
