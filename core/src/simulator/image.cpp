#include "simulator/image.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>

namespace xpose::simulator {
namespace {

// Reading it makes the loader allocate the plugin's thread-local storage, which is lazy.
thread_local volatile char anchor;

struct Found {
  Range image, storage;
};

int look(dl_phdr_info* info, std::size_t, void* context) {
  Found found;
  uintptr_t first = UINTPTR_MAX, last = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info->dlpi_phdr[i];
    const uintptr_t begin = info->dlpi_addr + header.p_vaddr;
    if (header.p_type == PT_LOAD) {
      first = std::min(first, begin);
      last = std::max(last, begin + header.p_memsz);
    } else if (header.p_type == PT_TLS) {
      found.storage = {reinterpret_cast<uintptr_t>(info->dlpi_tls_data), header.p_memsz};
    }
  }
  if (last != 0) found.image = {first, last - first};
  if (!found.image.holds(reinterpret_cast<uintptr_t>(&hot), 1)) return 0;
  *static_cast<Found*>(context) = found;
  return 1;
}

Found find() {
  static_cast<void>(anchor);
  Found found;
  dl_iterate_phdr(&look, &found);
  if (found.storage.begin == 0) found.storage.bytes = 0;
  return found;
}

}  // namespace

Range own_image() { return find().image; }
Range own_thread_local_storage() { return find().storage; }

}  // namespace xpose::simulator
