// The arrays of other ranks that a rank's device writes into, where these are not of peer_ranks():
// those of threads of this process, and of processes of this host, whose memory is mapped.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "device/device.hpp"

namespace xpose {

class MappedArrays {
 public:
  explicit MappedArrays(Backend& backend) : backend_(backend) {}
  ~MappedArrays() { unmap_all(); }
  MappedArrays(const MappedArrays&) = delete;  // owns the mappings
  MappedArrays& operator=(const MappedArrays&) = delete;

  // False once refuse() was called: not all ranks reach what they write to.
  bool may_reach() const { return may_reach_; }
  void refuse();

  // Whether all arrays, by rank, lie in the allocations that all ranks agreed on the last time.
  bool has(const std::vector<MemoryName>& names) const;
  // Maps the arrays of those ranks, and of no others from now on. False where the device does not
  // reach one of them.
  bool map(const std::vector<MemoryName>& names, const std::vector<int>& ranks);
  std::byte* at(int rank, const MemoryName& name) const;

 private:
  struct Mapping {
    MemoryName name;
    void* begin;
  };

  void unmap_all() noexcept;

  Backend& backend_;
  bool may_reach_ = true;
  std::vector<MemoryName> names_;  // that the last map() had
  std::map<int, Mapping> mappings_;
};

}  // namespace xpose
