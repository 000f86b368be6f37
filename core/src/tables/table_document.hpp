// The measurements of a device class as a JSON document, "xpose.table/1".
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "xpose/cache.hpp"

namespace xpose {

inline constexpr std::size_t kMostTableBytes = std::size_t{8} << 20;
inline constexpr std::size_t kMostTableVariants = 3;  // of a row, each of another strategy

// A variant, and the plugin that it was measured of: its name and version, not its digest, so that
// another build of that version is meant as well.
struct TableVariant {
  std::string plugin;
  std::string version;
  Variant variant;
  bool operator==(const TableVariant&) const = default;
};

// The fastest variants of a problem on a class of devices.
struct TableRow {
  std::string device;   // see table_device()
  std::string problem;  // as CacheKey::problem
  bool warm = false;
  std::vector<TableVariant> variants;  // the fastest first
  bool operator==(const TableRow&) const = default;
};

// The class of a key's device for tables: of a host without the number of its processors, since a
// choice without a trial does not depend on the threads that a process may use.
std::string table_device(const CacheKey& key);
bool is_of_host(const CacheKey& key);

// The rows of a document. Throws Error failed with one sentence: the place of the fault, and the
// expectation there.
std::vector<TableRow> table_rows(std::string_view document);

}  // namespace xpose
