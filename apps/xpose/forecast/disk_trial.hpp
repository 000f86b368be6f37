// The curves of the disks that a run reads and writes, by trials with its own readers and writers.
#pragma once

#include <filesystem>

#include "forecast/disk_curves.hpp"
#include "run/input_file.hpp"

namespace xpose::app {

// Smaller files are moved before a disk can be measured.
constexpr std::uint64_t kLeastMeasured = std::uint64_t{16} << 20;

// Takes some seconds: each point reads the input, or writes to a file without a name in that
// folder, until bursts that a disk lets through are over, and as long again. input: of
// kLeastMeasured bytes or more. Throws std::runtime_error naming the file, also where the folder
// has no room for as many.
DiskCurves measured_curves(const InputFile& input, const std::filesystem::path& folder);

}  // namespace xpose::app
