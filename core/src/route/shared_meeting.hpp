// Where ranks meet that are processes of one host: in memory that they share. Notices of a
// transport take up to a hundred times as long.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "xpose/detail/host_memory.hpp"
#include "xpose/ranks.hpp"

namespace xpose {

class SharedMeeting {
 public:
  using Name = detail::HostMemory::Name;  // of the memory

  // Null where the system gives no such memory.
  static std::unique_ptr<SharedMeeting> make(int size);
  // Null where this process cannot open it, as in another container.
  static std::unique_ptr<SharedMeeting> open(const Name& name, int size);

  const Name& name() const { return memory_->name(); }

  // As DeviceRanks::gather(), with the same texts as Meeting. [one thread for each rank]
  std::vector<DeviceRanks::Notice> gather(int rank, const DeviceRanks::Notice& own, double seconds);
  // Ends the waits of all others.
  void give_up(int rank) noexcept;

 private:
  struct Seat;

  SharedMeeting(std::unique_ptr<detail::HostMemory> memory, int size);
  static std::size_t bytes(int size);
  Seat& seat(int rank) const;
  void wait_for(int other, int rank, std::uint64_t round, double end, double seconds,
                bool is_begin) const;

  std::unique_ptr<detail::HostMemory> memory_;  // its file stays open for those that come
  int size_;
  std::uint64_t round_ = 0;
};

}  // namespace xpose
