#include "process/local_file_system.hpp"

#include <linux/magic.h>
#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace xpose {

bool on_local_file_system(const std::filesystem::path& folder) {
  constexpr std::array<std::uint32_t, 10> kLocal = {
      EXT4_SUPER_MAGIC,      XFS_SUPER_MAGIC,  BTRFS_SUPER_MAGIC, TMPFS_MAGIC,
      OVERLAYFS_SUPER_MAGIC, F2FS_SUPER_MAGIC, RAMFS_MAGIC,       ECRYPTFS_SUPER_MAGIC,
      0x2fc12fc1 /* zfs */,  0xca451a4e /* bcachefs */};
  struct statfs system {};
  return statfs(folder.c_str(), &system) == 0 &&
         std::find(kLocal.begin(), kLocal.end(), static_cast<std::uint32_t>(system.f_type)) !=
             kLocal.end();
}

}  // namespace xpose
