// The bytes of a pipe as a file, which can be read at any place.
#pragma once

#include <filesystem>
#include <string>

#include "output/file_descriptor.hpp"

namespace xpose::app {

// $TMPDIR, or /var/tmp.
std::filesystem::path spool_folder();

// "cannot be kept in a temporary file in /var/tmp ($TMPDIR names another folder)"
std::string not_kept();

// Reads to the end of `from` and returns a file of it that has no name: in memory where it is
// small, else in $TMPDIR, or /var/tmp. Throws std::runtime_error, which calls it `name`.
FileDescriptor spooled(int from, const std::string& name);

// An empty file without a name in $TMPDIR, or /var/tmp. Throws std::runtime_error, which calls it
// `name`.
FileDescriptor disk_spool(const std::string& name);

}  // namespace xpose::app
