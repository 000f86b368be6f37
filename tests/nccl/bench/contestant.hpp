// The parts of device_route_bench: arrays on two devices, and what moves them.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "xpose/route.hpp"

namespace xpose::bench {

constexpr int kRanks = 2;

inline void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess)
    throw Error(ErrorKind::device, std::string(what) + ": " + cudaGetErrorString(status));
}

// The matrix has `extent` rows and columns of 4 bytes; rank r holds every array's slab r of rows.
struct Arrays {
  std::uint32_t* in = nullptr;
  std::uint32_t* out = nullptr;
};
// So many that no contestant meets its own in a cache, or one where no more fit.
using RankArrays = std::vector<Arrays>;

// On the current device. The first fills the input with the numbers of its elements, the second
// counts the elements of the output that are not their transpose.
void fill(const RankArrays& arrays, std::int64_t extent, int rank);
std::uint64_t count_wrong(const Arrays& arrays, std::int64_t extent, int rank);

// What both ranks run at the same time, each in a thread of its own.
struct Contestant {
  std::string name;
  std::function<void(int rank, std::size_t pair)> run;
  bool transposes = true;
};

// What a rank needs for a contestant.
struct Rank {
  int number = 0;
  std::int64_t extent = 0;
  const RankArrays* own = nullptr;
  const RankArrays* other = nullptr;
  cudaStream_t stream = nullptr;
  std::uint64_t sent_bytes() const {
    return static_cast<std::uint64_t>(extent / kRanks) *
           static_cast<std::uint64_t>(extent / kRanks) * 4;
  }
};

Placement slabs_of_rows(std::int64_t extent);

// The ranks of NCCL, one for each rank's thread and stream; and its messages alone. Throws Error
// where NCCL was not found when this was built.
class Nccl {
 public:
  virtual ~Nccl() = default;
  virtual std::shared_ptr<DeviceRanks> make_ranks(const Rank& rank) = 0;  // collective
  virtual void exchange(const Rank& rank, std::size_t pair) = 0;          // and waits
};
std::unique_ptr<Nccl> make_nccl();

}  // namespace xpose::bench
