// One run of a route on one rank that has its array on a device. Where the devices reach each
// other, at once or by mapped memory, the rank writes into the arrays of the others; else it packs,
// exchanges and unpacks chunks of its messages, of which one is packed and another unpacked while a
// third is on its way. In place it writes to the others only what has left its place on all ranks:
// chunk by chunk, between meetings.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <vector>

#include "exchange/chunks.hpp"
#include "exchange/kept_square.hpp"
#include "route/device_push.hpp"
#include "route/device_streams.hpp"
#include "xpose/route.hpp"

namespace xpose {

// Begins to execute a problem on two addresses of the device.
using StreamMove =
    std::function<void(const Problem& problem, const void* in, void* out, void* stream)>;

class DeviceRun {
 public:
  struct Setting {
    DeviceRanks& ranks;
    const Exchange& exchange;  // laid out for the rank
    const Placement& to;       // with the rank's leading dimension and offset
    std::uint64_t digest;      // of all that the ranks must have stated alike
    std::int64_t most_chunk_bytes;
    std::int64_t memory;  // for parts that wait for copy engines
    double deadline_seconds;
    const StreamMove& move;
    DeviceStreams& streams;  // with buffers of earlier runs of the same route, or none
    DevicePush::Policy push = {};
    bool in_place = false;
  };
  // In place both arrays are one.
  DeviceRun(const Setting& setting, const void* in, void* out);

  // Once. `check` is called where the other ranks can be told of its Error.
  RouteReport run(const std::function<void()>& check);

 private:
  // Meeting knows that the notices of a run begin with 0.
  enum class Kind : std::uint32_t { begins, goes_on, failed };
  struct Notice {
    Kind kind;
    std::uint32_t agrees;  // 1: to what the ranks ask each other
    std::uint64_t digest;
    MemoryName out;  // the array of the rank, and how it lies there
    std::int64_t leading_dimension, offset;
    std::int64_t chunks;  // of the message with most
    SharedMeeting::Name meeting;
    std::array<char, 864> text;  // with a zero at its end
  };
  struct Half {  // the buffer of every second chunk
    std::byte* data;
    std::uint64_t bytes;
    std::shared_ptr<DeviceBuffer> owner;
  };

  void all_of_it(const std::function<void()>& check);
  void prepare();
  void prepare_to_push();
  void prepare_chunks();
  void agree(const std::vector<Notice>& notices);
  void meet_in_memory(const std::vector<Notice>& notices);
  std::vector<Notice> ask(bool agrees);
  std::vector<Notice> meet(const std::exception_ptr& failure);
  std::vector<DeviceRanks::Notice> gather(const DeviceRanks::Notice& own);
  std::exception_ptr failure_of(const std::function<void()>& work) noexcept;
  std::vector<DevicePush::Target> targets_of(const std::vector<Notice>& notices) const;
  DevicePush::Execute executing();
  void push(const std::vector<Notice>& notices);
  void push_in_place(const std::vector<Notice>& notices);
  void push_packed(std::int64_t chunk, const std::vector<DevicePush::Target>& targets);
  void pass();
  void exchange(std::int64_t chunk);
  void pack(std::int64_t chunk);
  void unpack(std::int64_t chunk);
  Half half(const Chunks& parts, std::int64_t chunk, bool is_sent);
  // The share of a turn among so many.
  void move_kept(std::int64_t turn, std::int64_t turns, void* stream);
  void execute(const std::vector<Tile>& tiles, const std::byte* in, std::byte* out, void* stream);
  std::vector<Message> from_the_next(std::vector<Message> messages) const;
  std::vector<Chunks> chunks_of(const std::vector<Message>& messages, bool is_sent) const;
  std::int64_t most_chunks() const;
  std::int64_t bytes_of(const std::vector<Chunks>& all) const;
  void prepare_kept(const Message& kept);
  std::array<std::byte*, 2> square_buffers();
  void transpose_square(void* stream);
  void wait_for_all() noexcept;

  Setting setting_;
  DeviceRanks& ranks_;
  const Exchange& exchange_;
  DeviceStreams& streams_;
  const std::byte* in_;
  std::byte* out_;
  std::vector<Chunks> sends_, receives_;
  std::optional<Chunks> kept_;        // not in place
  std::optional<KeptSquare> square_;  // in place
  std::optional<DevicePush> push_;    // likewise not
  bool has_begun_ = false;            // on all ranks
  bool writes_;                       // into the arrays of the others; else it sends messages
  MemoryName name_of_out_;
  bool agrees_ = false;
  bool has_gathered_ = false;  // by notices of the ranks' transport
  std::unique_ptr<SharedMeeting> offered_;
  RouteReport report_;
};

}  // namespace xpose
