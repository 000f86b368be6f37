// The ranks among which a route exchanges messages. <xpose/mpi.hpp> has those of MPI.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>
#include <xpose/problem.hpp>

namespace xpose {

// Ranks that send each other bytes. A message and the buffer that receives it have one size. On one
// channel, messages of one rank to another arrive in the order in which they were sent. A message
// of at most 1024 bytes leaves the sender whether or not the other rank receives.
//
// A route alone calls the functions. Each throws Error failed where the transport fails, and after
// abandon(). [one thread at a time]
class XPOSE_API Ranks {
 public:
  virtual ~Ranks();

  virtual int rank() const = 0;  // the own one, from 0 on
  virtual int size() const = 0;  // their number

  // Begins to send `bytes` bytes to another rank, and keeps `data` until they have left. wait()
  // returns `id` then. `channel` is 0 or 1.
  virtual void send(int rank, int channel, std::shared_ptr<const std::byte[]> data,
                    std::uint64_t bytes, std::uint64_t id) = 0;
  // Begins to receive likewise. wait() returns `id` once all bytes have arrived.
  virtual void receive(int rank, int channel, std::shared_ptr<std::byte[]> data,
                       std::uint64_t bytes, std::uint64_t id) = 0;

  // Waits until transfers have ended, or for `seconds` where none does, and returns the ids of
  // those that have. 0 seconds: looks only.
  virtual std::vector<std::uint64_t> wait(double seconds) = 0;

  // The seconds since some moment, on a clock that never goes back.
  virtual double seconds() const = 0;

  // Gives up what is under way, after which nothing more is sent or received. Buffers that the
  // transport cannot take back are kept as long as it may use them.
  virtual void abandon() noexcept = 0;
};

}  // namespace xpose
