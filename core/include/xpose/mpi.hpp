// The ranks of MPI, for routes. The library does not use MPI; a program that includes this header
// links its own, of version 3.0 or newer, and initialises it.
//
//   MPI_Init(&argc, &argv);
//   xpose::RouteOptions options;
//   options.ranks = xpose::mpi_ranks(MPI_COMM_WORLD);
//
// Where the arrays lie in the memory of a CUDA device, by the library's own CUDA:
//
//   options.devices = xpose::mpi_device_ranks(MPI_COMM_WORLD, {xpose::DeviceKind::cuda, 0});
//
// After a route has failed, end the program by MPI_Abort(): MPI_Finalize() may wait for the lost
// rank for ever.
#pragma once

#include <mpi.h>

#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>
#include <xpose/detail/mpi_endings.hpp>
#include <xpose/detail/mpi_letters.hpp>
#include <xpose/detail/mpi_transfers.hpp>
#include <xpose/ranks.hpp>

namespace xpose {

// The ranks of a communicator, in a duplicate of it, so that no message meets one of the program's.
// Ranks of one host exchange short messages in memory that they share, up to 1 MiB a rank.
// All calls of MPI are made in the threads that make, run and destroy a route: MPI_THREAD_FUNNELED
// is enough for the main thread, others need MPI_THREAD_SERIALIZED or more. [one thread at a time]
class MpiRanks final : public Ranks {
 public:
  // Collective over `comm`, as MPI_Comm_dup() is. A message is passed to MPI in pieces of at most
  // `piece_bytes` bytes, the same on all ranks, because MPI counts them in 31 bits. Throws Error
  // invalid where MPI is not initialised, or has ended; failed where it reports an error.
  explicit MpiRanks(MPI_Comm comm, std::uint64_t piece_bytes = std::uint64_t{1} << 30)
      : transfers_(make_transfers(comm, piece_bytes)), letters_(transfers_->comm()) {}

  // Not collective: it waits for nobody, and ranks may destroy several in different orders, also
  // after MPI_Finalize(). The duplicate is freed once all ranks have come to this, in a later call
  // of another MpiRanks or in MPI_Finalize() at the latest. One that was given up stays.
  ~MpiRanks() override {
    if (!is_given_up_ && !has_ended()) detail::MpiEndings::of_process().end(*transfers_);
  }
  MpiRanks(const MpiRanks&) = delete;
  MpiRanks& operator=(const MpiRanks&) = delete;

  int rank() const override { return transfers_->rank(); }
  int size() const override { return transfers_->size(); }

  void send(int rank, int channel, std::shared_ptr<const std::byte[]> data, std::uint64_t bytes,
            std::uint64_t id) override {
    check();
    if (is_letter(rank, channel, bytes))
      letters_.send(rank, channel, std::move(data), bytes, id);
    else
      transfers_->send(rank, channel, std::move(data), bytes, id);
  }

  void receive(int rank, int channel, std::shared_ptr<std::byte[]> data, std::uint64_t bytes,
               std::uint64_t id) override {
    check();
    if (is_letter(rank, channel, bytes))
      letters_.receive(rank, channel, std::move(data), bytes, id);
    else
      transfers_->receive(rank, channel, std::move(data), bytes, id);
  }

  // A look asks MPI only for messages: it may give the processor away. Notices have time, but not
  // for ever, since MPI keeps those that nobody has asked for.
  std::vector<std::uint64_t> wait(double seconds) override {
    check();
    const auto look = [this](bool asks_always) {
      std::vector<std::uint64_t> ids = letters_.look();
      if (ids.empty() && asks_always) return transfers_->test();
      const double now = this->seconds();
      if (now < asked_ + kNoticeSeconds) return ids;
      asked_ = now;
      for (int in_vain = 0; in_vain < kTestsInVain; ++in_vain)
        for (std::vector<std::uint64_t> more = transfers_->test(); !more.empty();
             more = transfers_->test()) {
          ids.insert(ids.end(), more.begin(), more.end());
          asked_ = 0;  // others may be behind these
        }
      return ids;
    };
    if (seconds <= 0 && !transfers_->has_messages()) return look(false);
    return wait_asking(seconds, transfers_->open_bytes(), [&] { return look(true); });
  }

  void abandon() noexcept override {
    if (is_given_up_ || has_ended()) return;
    is_given_up_ = true;
    transfers_->abandon();
    detail::MpiEndings::of_process().forget(*transfers_);
  }

 private:
  // Between two looks for notices alone.
  static constexpr double kNoticeSeconds = 20e-3;
  // Before none has arrived: one may not be enough to see it.
  static constexpr int kTestsInVain = 4;

  static bool has_ended() {
    int is_over = 0;
    MPI_Finalized(&is_over);
    return is_over != 0;
  }

  static std::shared_ptr<detail::MpiTransfers> make_transfers(MPI_Comm comm,
                                                              std::uint64_t piece_bytes) {
    int is_up = 0;
    MPI_Initialized(&is_up);
    if (is_up == 0 || has_ended())
      throw Error(
          ErrorKind::invalid,
          "MPI ranks are made between MPI_Init() and MPI_Finalize(), which the program calls");
    auto made = std::make_shared<detail::MpiTransfers>(comm, piece_bytes);
    detail::MpiEndings::of_process().add(made);
    return made;
  }

  void check() const {
    if (is_given_up_)
      throw Error(ErrorKind::failed,
                  "these MPI ranks were given up after a failure; make new ones");
    if (transfers_->is_ending())
      throw Error(ErrorKind::invalid, "MPI_Finalize() was called: run routes over MPI before it");
  }

  // Notices leave without a place, and pieces of device memory stay with MPI.
  bool is_letter(int rank, int channel, std::uint64_t bytes) const {
    return channel > 1 && bytes <= transfers_->piece_bytes() && letters_.carries(rank, bytes);
  }

  std::shared_ptr<detail::MpiTransfers> transfers_;
  detail::MpiLetters letters_;
  bool is_given_up_ = false;
  double asked_ = 0;  // when MPI was, by seconds()
};

// The ranks of a communicator for RouteOptions::ranks. Collective; throws as the constructor.
inline std::shared_ptr<Ranks> mpi_ranks(MPI_Comm comm) { return std::make_shared<MpiRanks>(comm); }

// Whether MPI says that it takes addresses of CUDA memory; false of one that cannot be asked.
inline bool mpi_takes_device_memory() {
#if defined(OMPI_HAVE_MPI_EXT_CUDA) || defined(MPIX_GPU_SUPPORT_CUDA)
  return MPIX_Query_cuda_support() == 1;
#else
  return false;
#endif
}

// The ranks of a communicator with a device each, for RouteOptions::devices. Messages leave and
// enter device memory where MPI says that it takes it and a trial between the ranks is right, and
// `options` do not forbid it; else they pass through pinned memory of the host. Collective; throws
// as the constructor and as carried_ranks().
inline std::shared_ptr<CarriedRanks> mpi_device_ranks(MPI_Comm comm, Device device,
                                                      CarriedOptions options = {
                                                          .may_be_direct = true}) {
  options.may_be_direct = options.may_be_direct && mpi_takes_device_memory();
  return carried_ranks(mpi_ranks(comm), device, options);
}

}  // namespace xpose
