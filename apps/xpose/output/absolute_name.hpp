// The absolute name of a file or folder that the user named.
#pragma once

#include <filesystem>
#include <string>

namespace xpose::app {

// Throws Error failed, with the option, for a relative name in a working folder that is gone.
std::filesystem::path absolute_name(const std::string& option, const std::string& name);

}  // namespace xpose::app
