// Where ranks meet that are processes of one host: in memory that they share. Notices of a
// transport take up to a hundred times as long.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "process/descriptor.hpp"
#include "xpose/ranks.hpp"

namespace xpose {

class SharedMeeting {
 public:
  // The memory, for other processes: a descriptor of its maker, and a number drawn at random that
  // is in it.
  struct Name {
    std::int32_t process = 0;  // 0: there is none
    std::int32_t descriptor = -1;
    std::uint64_t drawn = 0;
  };

  // Null where the system gives no such memory.
  static std::unique_ptr<SharedMeeting> make(int size);
  // Null where this process cannot open it, as in another container.
  static std::unique_ptr<SharedMeeting> open(const Name& name, int size);

  ~SharedMeeting();
  SharedMeeting(const SharedMeeting&) = delete;  // owns the mapping
  SharedMeeting& operator=(const SharedMeeting&) = delete;

  const Name& name() const { return name_; }

  // As DeviceRanks::gather(), with the same texts as Meeting. [one thread for each rank]
  std::vector<DeviceRanks::Notice> gather(int rank, const DeviceRanks::Notice& own, double seconds);
  // Ends the waits of all others.
  void give_up(int rank) noexcept;

 private:
  struct Memory;
  struct Seat;

  SharedMeeting(Descriptor file, Memory* memory, int size);
  static std::unique_ptr<SharedMeeting> map(Descriptor file, int size);
  Seat& seat(int rank) const;
  void wait_for(int other, int rank, std::uint64_t round, double end, double seconds,
                bool is_begin) const;

  Descriptor file_;  // stays open for those that come
  Memory* memory_;
  int size_;
  Name name_;
  std::uint64_t round_ = 0;
};

}  // namespace xpose
