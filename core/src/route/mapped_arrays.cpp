#include "route/mapped_arrays.hpp"

#include <algorithm>

namespace xpose {

void MappedArrays::refuse() {
  unmap_all();
  may_reach_ = false;
}

bool MappedArrays::has(const std::vector<MemoryName>& names) const {
  return std::ranges::equal(names, names_, [](const MemoryName& a, const MemoryName& b) {
    return a.has_allocation_of(b);
  });
}

bool MappedArrays::map(const std::vector<MemoryName>& names, const std::vector<int>& ranks) {
  unmap_all();
  names_ = names;
  for (const int rank : ranks) {
    const MemoryName& name = names[static_cast<std::size_t>(rank)];
    void* const begin = backend_.map(name);
    if (begin == nullptr) return false;
    mappings_[rank] = {name, begin};
  }
  return true;
}

std::byte* MappedArrays::at(int rank, const MemoryName& name) const {
  const auto found = mappings_.find(rank);
  if (found == mappings_.end()) return nullptr;  // this rank has no message for it
  return static_cast<std::byte*>(found->second.begin) + name.offset;
}

void MappedArrays::unmap_all() noexcept {
  for (const auto& [rank, mapping] : mappings_) backend_.unmap(mapping.name, mapping.begin);
  mappings_.clear();
}

}  // namespace xpose
