// The ranks among which a route exchanges messages: in host memory, of which <xpose/mpi.hpp> has
// those of MPI, or each on a device of its own. Of the latter peer_ranks() are threads of one
// process, carried_ranks() send by ranks in host memory, and <xpose/nccl.hpp> has those of NCCL.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>
#include <xpose/problem.hpp>

namespace xpose {

// Ranks that send each other bytes. A message and the buffer that receives it have one size. On one
// channel, messages of one rank to another arrive in the order in which they were sent. A message
// of at most 1024 bytes leaves the sender whether or not the other rank receives. Between routes
// and at the end, one receive of that size is under way from every other rank.
//
// A route alone calls the functions. Each throws Error failed where the transport fails, and after
// abandon(). [one thread at a time]
class XPOSE_API Ranks {
 public:
  virtual ~Ranks();

  virtual int rank() const = 0;  // the own one, from 0 on
  virtual int size() const = 0;  // their number

  // Begins to send `bytes` bytes to another rank, and keeps `data` until they have left. wait()
  // returns `id` then. `channel` is from 0 to 32767: 0 of notices, 1 of carried_ranks(), whose data
  // may lie on a device.
  virtual void send(int rank, int channel, std::shared_ptr<const std::byte[]> data,
                    std::uint64_t bytes, std::uint64_t id) = 0;
  // Begins to receive likewise. wait() returns `id` once all bytes have arrived.
  virtual void receive(int rank, int channel, std::shared_ptr<std::byte[]> data,
                       std::uint64_t bytes, std::uint64_t id) = 0;

  // Waits until transfers have ended, or for `seconds` where none does, and returns the ids of
  // those that have. 0 seconds: looks only.
  virtual std::vector<std::uint64_t> wait(double seconds) = 0;

  // The seconds since some moment, on a clock that never goes back: the machine's, for all but
  // tests.
  virtual double seconds() const;

  // Gives up what is under way, after which nothing more is sent or received. Buffers that the
  // transport cannot take back are kept as long as it may use them.
  virtual void abandon() noexcept = 0;

 protected:
  // The wait() of a transport that moves bytes only while it is asked, as MPI does between ranks of
  // one host. `test` returns the ids of transfers that have ended. It is called again at once as
  // long as `open_bytes` may be under way, and later every 100 microseconds. Others get the
  // processor between two calls, but not at first: a transport may give it away by itself.
  template <class Test>
  std::vector<std::uint64_t> wait_asking(double seconds, std::uint64_t open_bytes,
                                         const Test& test) const {
    constexpr double kSecondsOfByte = 4e-9;  // of a slow wire
    const double begin = this->seconds(), end = begin + seconds;
    constexpr double kSecondsAlone = 1e-5;
    const double soon = begin + 1e-3 + kSecondsOfByte * static_cast<double>(open_bytes);
    while (true) {
      std::vector<std::uint64_t> ids = test();
      const double now = this->seconds();
      if (!ids.empty() || now >= end) return ids;
      if (now < begin + kSecondsAlone) continue;
      if (now < soon)
        std::this_thread::yield();
      else
        std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  }

 private:
  friend class RollCall;
  struct Awaited {
    std::shared_ptr<std::byte[]> notice;
    bool has_come = false;  // of a run that this rank has not begun
  };
  std::vector<Awaited> awaited_;  // by rank
  std::uint64_t runs_ = 0;        // that have begun
};

// Ranks whose arrays lie in the memory of a device each. Devices do the work in the order of their
// streams, and the calls only begin it, unless they say that they wait.
//
// A route alone calls the functions. Each throws Error failed where the transport fails or another
// rank does not come within `seconds`, and after abandon(). [one thread at a time]
class XPOSE_API DeviceRanks {
 public:
  virtual ~DeviceRanks();

  virtual int rank() const = 0;       // the own one, from 0 on
  virtual int size() const = 0;       // their number
  virtual Device device() const = 0;  // of this rank; all are of one kind
  // A cudaStream_t of the device, null for its default stream; of the host null. The input of a
  // route is ready, and its output free, once the work on it has ended.
  virtual void* stream() const = 0;

  // True: the device of every rank can write to the arrays of all others. A route calls exchange()
  // and finish() only where it is false.
  virtual bool reaches_others() const = 0;
  // Of ranks that do not reach each other so. True: a route maps the output of others into this
  // process, where they are of this host and their devices are connected, and writes into it. It
  // exchanges messages where that fails for one of them. The same on all ranks.
  virtual bool may_map_arrays() const { return false; }

  // Every rank states a notice and waits for those of all ranks, which come by rank.
  using Notice = std::array<std::byte, 1024>;
  virtual std::vector<Notice> gather(const Notice& own, double seconds) = 0;

  // Device memory for another rank, or from it.
  struct Transfer {
    int rank = 0;
    void* data = nullptr;
    std::uint64_t bytes = 0;
    std::shared_ptr<void> owner = {};  // of the memory; null: the caller keeps it
  };
  // Begins all these transfers on the stream. The other ranks state their ends of them in a call of
  // their own, and two ranks state transfers between them in one order.
  virtual void exchange(const std::vector<Transfer>& sends, const std::vector<Transfer>& receives,
                        double seconds) = 0;
  // True: exchange() returns when its transfers have ended, so that a route begins the work beside
  // them before.
  virtual bool exchange_waits() const { return false; }
  // Waits for all work on the stream.
  virtual void finish(double seconds) = 0;

  // Gives up what is under way. Work on the stream that waits for other ranks ends.
  virtual void abandon() noexcept = 0;
};

// Ranks that are threads of this process, one a device: rank i has devices[i]. A route between them
// has no messages, because each device writes the transposed elements into the arrays of the
// others. Several may share a device. Each thread runs its own rank, on the device's default
// stream. Arrays on CUDA devices are of cudaMalloc(), since other memory may be out of the others'
// reach. After a failure they stay until all threads have returned, since a late one may still
// write into them.
//
// Throws Error invalid for no device or devices of two kinds; device for one that is missing, or
// that cannot write into the memory of another. [any thread]
XPOSE_API std::vector<std::shared_ptr<DeviceRanks>> peer_ranks(const std::vector<Device>& devices);

// Ranks with a device each, whose messages other ranks carry. [one thread at a time]
class XPOSE_API CarriedRanks : public DeviceRanks {
 public:
  // True: messages leave device memory and arrive in it. False: they pass through pinned memory of
  // the host, in pieces of which one is copied while another is on its way.
  virtual bool is_direct() const = 0;
  // The stream of later routes.
  virtual void use_stream(void* stream) = 0;
};

// All ranks state the same, except for `stream`.
struct CarriedOptions {
  void* stream = nullptr;  // as DeviceRanks::stream() has it; outlives the ranks
  // True: the carrier says that it takes addresses of device memory. The ranks try it with a
  // pattern, and do so from then on where all of it arrives right on all of them. A carrier that
  // takes none may end the process in the trial.
  bool may_be_direct = false;
  // False: a route sends messages to ranks of this host, too. Arrays that others may have mapped
  // are freed only after the routes of all ranks.
  bool may_map_arrays = true;
  std::uint64_t memory = std::uint64_t{128} << 20;  // bytes of pinned memory on a rank
  double seconds =
      60;  // within which all ranks come to be made; the pattern may take twice as long
};

// The ranks of a carrier, which is used for nothing else while a route runs. Null: this process
// alone. Collective. A late rank, or one that is lost amid a route, is named on all others.
//
// Throws Error invalid where ranks state devices of two kinds or other options; device for one that
// is missing; failed where a rank does not come, or a carrier that may be direct loses messages.
XPOSE_API std::shared_ptr<CarriedRanks> carried_ranks(std::shared_ptr<Ranks> carrier, Device device,
                                                      const CarriedOptions& options = {});

}  // namespace xpose
