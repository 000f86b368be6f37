#pragma once

#include <filesystem>

#include "output/file_descriptor.hpp"

namespace xpose::app {

// Whether a path names an open descriptor of this process, as /dev/stdout and /dev/fd/3 do. A file
// behind it is written there, behind what others have written to it, and not replaced.
bool is_named_descriptor(const std::filesystem::path& path);

// Opens what the path names for writing: a named descriptor as it is, another file at its begin.
// Throws std::runtime_error with the name.
FileDescriptor opened_stream(const std::filesystem::path& path, const std::string& name);

}  // namespace xpose::app
