// The curves of disks that were measured before.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "forecast/disk_curves.hpp"
#include "xpose/xpose.hpp"

namespace xpose::app {

// Disks are told apart by their file systems.
std::string disk_name(const std::filesystem::path& path);

// A small document beside the file of remembered decisions: "trials.disks.json". One that cannot
// be read has no disks and is replaced, and one that cannot be written is left: both are told on
// stderr.
class KnownDisks {
 public:
  explicit KnownDisks(const EngineOptions& options);

  // way: the names of both disks.
  std::optional<DiskCurves> find(const std::string& way) const;
  void keep(const std::string& way, const DiskCurves& curves) const;

 private:
  Json document() const;  // throws Error failed where it is none

  std::filesystem::path file_;  // empty: nothing is remembered
};

}  // namespace xpose::app
