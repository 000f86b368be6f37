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

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>
#include <xpose/detail/mpi_letters.hpp>
#include <xpose/ranks.hpp>

namespace xpose {

// The ranks of a communicator, in a duplicate of it, so that no message meets one of the program's.
// Ranks of one host exchange short messages in memory that MPI shares among them, up to 1 MiB a
// rank.
// All calls of MPI are made in the threads that make and run a route: MPI_THREAD_FUNNELED is enough
// for the main thread, others need MPI_THREAD_SERIALIZED or more. [one thread at a time]
class MpiRanks final : public Ranks {
 public:
  // Collective over `comm`, as MPI_Comm_dup() is. A message is passed to MPI in pieces of at most
  // `piece_bytes` bytes, the same on all ranks, because MPI counts them in 31 bits. Throws Error
  // invalid where MPI is not initialised, or has ended; failed where it reports an error.
  explicit MpiRanks(MPI_Comm comm, std::uint64_t piece_bytes = std::uint64_t{1} << 30)
      : piece_bytes_(piece_bytes) {
    int is_up = 0, is_over = 0;
    MPI_Initialized(&is_up);
    MPI_Finalized(&is_over);
    if (is_up == 0 || is_over != 0)
      throw Error(
          ErrorKind::invalid,
          "MPI ranks are made between MPI_Init() and MPI_Finalize(), which the program calls");
    check(MPI_Comm_dup(comm, &comm_), "duplicate the communicator");
    check(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "set the error handler");
    check(MPI_Comm_rank(comm_, &rank_), "tell the rank");
    check(MPI_Comm_size(comm_, &size_), "tell the number of ranks");
    letters_.emplace(comm_);
  }

  // Collective as well, and before MPI_Finalize(): frees the duplicate. One that was given up
  // stays, and so does one where not all ranks come within a second.
  ~MpiRanks() override {
    int is_over = 0;
    MPI_Finalized(&is_over);
    if (is_over == 0 && !is_given_up_) end();
  }
  MpiRanks(const MpiRanks&) = delete;
  MpiRanks& operator=(const MpiRanks&) = delete;

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  void send(int rank, int channel, std::shared_ptr<const std::byte[]> data, std::uint64_t bytes,
            std::uint64_t id) override {
    check(MPI_SUCCESS, "");
    if (is_letter(rank, channel, bytes))
      return letters_->send(rank, channel, std::move(data), bytes, id);
    const std::byte* const from = data.get();
    begin(std::move(data), bytes, id, true, channel,
          [&](std::uint64_t at, int count, MPI_Request* request) {
            check(MPI_Isend(from + at, count, MPI_BYTE, rank, channel, comm_, request),
                  "send to rank " + std::to_string(rank));
          });
  }

  void receive(int rank, int channel, std::shared_ptr<std::byte[]> data, std::uint64_t bytes,
               std::uint64_t id) override {
    check(MPI_SUCCESS, "");
    if (is_letter(rank, channel, bytes))
      return letters_->receive(rank, channel, std::move(data), bytes, id);
    std::byte* const to = data.get();
    begin(std::move(data), bytes, id, false, channel,
          [&](std::uint64_t at, int count, MPI_Request* request) {
            check(MPI_Irecv(to + at, count, MPI_BYTE, rank, channel, comm_, request),
                  "receive from rank " + std::to_string(rank));
          });
  }

  // A look asks MPI only for messages: it may give the processor away, and notices have time.
  std::vector<std::uint64_t> wait(double seconds) override {
    check(MPI_SUCCESS, "");
    if (seconds <= 0 && messages_ == 0) return letters_->look();
    return wait_asking(seconds, open_bytes_, [this] {
      std::vector<std::uint64_t> ids = letters_->look();
      return ids.empty() ? test() : ids;
    });
  }

  void abandon() noexcept override try {
    if (is_given_up_) return;
    is_given_up_ = true;
    for (std::size_t i = 0; i < requests_.size(); ++i)
      if (requests_[i] != MPI_REQUEST_NULL && !transfers_[piece_of_[i]].is_send)
        MPI_Cancel(&requests_[i]);
    // MPI may write to a buffer, or read it, as long as a lost rank has not answered: for ever.
    static_cast<void>(new std::vector<Transfer>(std::move(transfers_)));
    transfers_.clear();
    requests_.clear();
    piece_of_.clear();
  } catch (...) {  // no memory for the list: the transfers stay where they are, as long as this
  }

 private:
  struct Transfer {
    std::shared_ptr<const std::byte[]> data;
    std::uint64_t id = 0;
    std::uint64_t pieces = 0;  // that have not ended
    std::uint64_t bytes = 0;
    bool is_send = false, is_notice = false;
  };

  void check(int code, const std::string& what) const {
    if (is_given_up_)
      throw Error(ErrorKind::failed,
                  "these MPI ranks were given up after a failure; make new ones");
    if (code == MPI_SUCCESS) return;
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    MPI_Error_string(code, text, &length);
    throw Error(ErrorKind::failed,
                "MPI cannot " + what + ": " + std::string(text, static_cast<std::size_t>(length)));
  }

  template <class Post>
  void begin(std::shared_ptr<const std::byte[]> data, std::uint64_t bytes, std::uint64_t id,
             bool is_send, int channel, const Post& post) {
    const std::uint64_t pieces =
        std::max<std::uint64_t>((bytes + piece_bytes_ - 1) / piece_bytes_, 1);
    const std::size_t transfer = free_transfer();
    transfers_[transfer] = {std::move(data), id, 0, bytes, is_send, channel == 0};
    open_bytes_ += bytes;
    if (channel != 0) ++messages_;
    for (std::uint64_t piece = 0; piece < pieces; ++piece) {
      const std::uint64_t at = piece * piece_bytes_;
      requests_.push_back(MPI_REQUEST_NULL);
      piece_of_.push_back(transfer);
      ++transfers_[transfer].pieces;
      post(at, static_cast<int>(std::min(piece_bytes_, bytes - at)), &requests_.back());
    }
  }

  // A later communicator may get the number of a freed one, and the messages that come late.
  void end() {
    MPI_Request all = MPI_REQUEST_NULL;
    int are_here = 0;
    MPI_Ibarrier(comm_, &all);
    wait_asking(1, 0, [&] {
      MPI_Test(&all, &are_here, MPI_STATUS_IGNORE);
      return std::vector<std::uint64_t>(are_here != 0 ? 1 : 0);
    });
    if (are_here == 0) return abandon();
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      if (!transfers_[piece_of_[i]].is_send) MPI_Cancel(&requests_[i]);
      MPI_Wait(&requests_[i], MPI_STATUS_IGNORE);
    }
    letters_->free();
    MPI_Comm_free(&comm_);
  }

  // Notices leave without a place, and pieces of device memory stay with MPI.
  bool is_letter(int rank, int channel, std::uint64_t bytes) const {
    return channel > 1 && bytes <= piece_bytes_ && letters_->carries(rank, bytes);
  }

  std::size_t free_transfer() {
    for (std::size_t i = 0; i < transfers_.size(); ++i)
      if (transfers_[i].data == nullptr) return i;
    transfers_.emplace_back();
    return transfers_.size() - 1;
  }

  // The ids of transfers that have ended since the last call.
  std::vector<std::uint64_t> test() {
    int count = 0;
    ended_.resize(requests_.size());
    statuses_.resize(requests_.size());
    const int code = MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &count,
                                  ended_.data(), statuses_.data());
    std::vector<std::uint64_t> ids;
    if (code == MPI_SUCCESS && (count == 0 || count == MPI_UNDEFINED)) return ids;
    for (std::size_t i = 0; count != MPI_UNDEFINED && i < static_cast<std::size_t>(count); ++i) {
      Transfer& transfer = transfers_[piece_of_[static_cast<std::size_t>(ended_[i])]];
      if (code == MPI_ERR_IN_STATUS) check(statuses_[i].MPI_ERROR, "move a message of this route");
      if (--transfer.pieces > 0) continue;
      ids.push_back(transfer.id);
      transfer.data = nullptr;
      open_bytes_ -= transfer.bytes;
      if (!transfer.is_notice) --messages_;
    }
    check(code, "look after the messages of this route");
    forget_ended();
    return ids;
  }

  void forget_ended() {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      if (requests_[i] == MPI_REQUEST_NULL) continue;
      requests_[kept] = requests_[i];
      piece_of_[kept++] = piece_of_[i];
    }
    requests_.resize(kept);
    piece_of_.resize(kept);
  }

  std::uint64_t piece_bytes_, open_bytes_ = 0;
  std::size_t messages_ = 0;  // that MPI has, beside notices
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1;
  bool is_given_up_ = false;
  std::optional<detail::MpiLetters> letters_;
  std::vector<Transfer> transfers_;    // free where they have no data
  std::vector<MPI_Request> requests_;  // of pieces
  std::vector<std::size_t> piece_of_;  // the transfer of each request
  std::vector<int> ended_;             // as MPI_Testsome() tells, and the next
  std::vector<MPI_Status> statuses_;
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
