// Where ranks that are threads of one process meet.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "xpose/ranks.hpp"

namespace xpose {

class Meeting {
 public:
  explicit Meeting(int size);

  // As DeviceRanks::gather(). A notice begins with 0 at the begin of a route alone. Throws Error
  // failed that names a rank which does not come, or which has given up.
  std::vector<DeviceRanks::Notice> gather(int rank, const DeviceRanks::Notice& own, double seconds);

  // Ends all waits but those for ranks that have all come.
  void give_up(int rank) noexcept;

 private:
  struct Round {
    std::vector<DeviceRanks::Notice> notices;
    std::vector<bool> is_here;
    int here = 0, left = 0;
  };

  void check_given_up(int rank) const;

  int size_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::uint64_t> next_;  // round, by rank
  std::map<std::uint64_t, Round> rounds_;
  int given_up_by_ = -1;
};

}  // namespace xpose
