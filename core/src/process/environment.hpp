// The variables of the environment that the library reads.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace xpose {

// Whether this process runs with privileges that its caller does not have (setuid, capabilities):
// then the environment names no folders and no files.
bool is_privileged();

// Environment variable, or null where it is unset, empty, or the process privileged. Valid until
// the variable is changed.
const char* environment(const char* name);

// The folders of such a variable, which colons separate.
std::vector<std::filesystem::path> folders_of(std::string_view path);

}  // namespace xpose
