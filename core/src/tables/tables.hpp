// The tables that were installed: measurements of a class of devices, made elsewhere. They order
// candidates, and decide nothing else: a variant of a table is quoted, verified and bound as any.
#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "cache/cache.hpp"
#include "tables/table_document.hpp"

namespace xpose {

// [any thread]
class Tables {
 public:
  // Reads nothing yet. A file that may not be used is one warning, and so is a folder, unless it is
  // the one of the installation and is not there.
  Tables(std::vector<std::filesystem::path> folders, Warn warn)
      : folders_(std::move(folders)), warn_(std::move(warn)) {}

  // The variants for a key, the fastest first. Of two rows that of the folder, and then of the
  // file, whose name comes first.
  std::vector<TableVariant> find(const CacheKey& key, bool warm);

 private:
  void read();
  void read_folder(const std::filesystem::path& folder);
  void read_file(const std::filesystem::path& file);

  const std::vector<std::filesystem::path> folders_;
  Warn warn_;
  std::mutex mutex_;  // not std::once_flag, which an exception cannot always leave
  bool was_read_ = false;
  std::map<std::tuple<std::string, std::string, bool>, std::vector<TableVariant>> rows_;
};

}  // namespace xpose
