#include "output/absolute_name.hpp"

#include <system_error>

#include "xpose/xpose.hpp"

namespace xpose::app {

std::filesystem::path absolute_name(const std::string& option, const std::string& name) {
  std::error_code failure;
  std::filesystem::path whole = std::filesystem::absolute(name, failure);
  if (failure)
    throw Error(ErrorKind::failed,
                option + ' ' + one_line(name) +
                    " is relative to the working folder, which cannot " +
                    "be found: " + failure.message() +
                    "; give an absolute name, or change into a folder that is there");
  return whole;
}

}  // namespace xpose::app
