// Which file systems the cache may use a write-ahead log on.
#pragma once

#include <filesystem>

namespace xpose {

// Whether processes can share memory through files of this folder, which write-ahead logging needs:
// true for file systems known to belong to this machine alone.
bool on_local_file_system(const std::filesystem::path& folder);

}  // namespace xpose
