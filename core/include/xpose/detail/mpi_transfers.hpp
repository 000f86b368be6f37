// The messages that MPI carries for a rank, and the end of their communicator. A part of
// <xpose/mpi.hpp>.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>
#include <xpose/problem.hpp>

namespace xpose::detail {

// Throws Error failed for an error of MPI.
inline void check_mpi(int code, const std::string& what) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw Error(ErrorKind::failed,
              "MPI cannot " + what + ": " + std::string(text, static_cast<std::size_t>(length)));
}

// The transfers of a duplicate of a communicator, so that no message meets one of the program's.
// [one thread at a time]
class MpiTransfers {
 public:
  // Collective over `comm`. Messages are passed to MPI in pieces.
  MpiTransfers(MPI_Comm comm, std::uint64_t piece_bytes) : piece_bytes_(piece_bytes) {
    check_mpi(MPI_Comm_dup(comm, &comm_), "duplicate the communicator");
    check_mpi(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "set the error handler");
    check_mpi(MPI_Comm_rank(comm_, &rank_), "tell the rank");
    check_mpi(MPI_Comm_size(comm_, &size_), "tell the number of ranks");
    sent_.resize(static_cast<std::size_t>(size_));
  }
  MpiTransfers(const MpiTransfers&) = delete;  // owns the communicator, until its end
  MpiTransfers& operator=(const MpiTransfers&) = delete;

  MPI_Comm comm() const { return comm_; }
  int rank() const { return rank_; }
  int size() const { return size_; }
  std::uint64_t piece_bytes() const { return piece_bytes_; }
  std::uint64_t open_bytes() const { return open_bytes_; }
  bool has_messages() const { return messages_ > 0; }  // that MPI has, beside notices

  void send(int rank, int channel, std::shared_ptr<const std::byte[]> data, std::uint64_t bytes,
            std::uint64_t id) {
    const std::byte* const from = data.get();
    begin({std::move(data), id, 0, bytes, true, channel == 0},
          [&](std::uint64_t at, int count, MPI_Request* request) {
            check_mpi(MPI_Isend(from + at, count, MPI_BYTE, rank, channel, comm_, request),
                      "send to rank " + std::to_string(rank));
            ++sent_[static_cast<std::size_t>(rank)];
          });
  }

  void receive(int rank, int channel, std::shared_ptr<std::byte[]> data, std::uint64_t bytes,
               std::uint64_t id) {
    std::byte* const to = data.get();
    begin({std::move(data), id, 0, bytes, false, channel == 0},
          [&](std::uint64_t at, int count, MPI_Request* request) {
            check_mpi(MPI_Irecv(to + at, count, MPI_BYTE, rank, channel, comm_, request),
                      "receive from rank " + std::to_string(rank));
          });
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
      if (code == MPI_ERR_IN_STATUS)
        check_mpi(statuses_[i].MPI_ERROR, "move a message of this route");
      if (!transfer.is_send) ++received_;
      if (--transfer.pieces > 0) continue;
      ids.push_back(transfer.id);
      transfer.data = nullptr;
      open_bytes_ -= transfer.bytes;
      if (!transfer.is_notice) --messages_;
    }
    check_mpi(code, "look after the messages of this route");
    forget_ended();
    return ids;
  }

  void abandon() noexcept try {
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

  // Every rank tells all others how many messages it has sent to each. Waits for nobody.
  void begin_end() noexcept {
    is_ending_ = true;
    has_failed_ = MPI_Ireduce_scatter_block(sent_.data(), &expected_, 1, MPI_UINT64_T, MPI_SUM,
                                            comm_, &counting_) != MPI_SUCCESS;
  }
  bool is_ending() const { return is_ending_; }

  // Frees the communicator where all of its messages have come, so that none meets a later
  // communicator, which may get its number. Notices come late: no rank waits for them. False: not
  // yet.
  bool end() noexcept try {
    int is_counted = 0;
    if (!has_failed_ && MPI_Test(&counting_, &is_counted, MPI_STATUS_IGNORE) != MPI_SUCCESS)
      has_failed_ = true;
    if (has_failed_) return true;  // it stays with MPI
    if (is_counted == 0) return false;
    test();
    if (received_ < expected_) take_unasked();
    if (received_ < expected_ || has_sends()) return false;
    for (MPI_Request& request : requests_) {
      if (request != MPI_REQUEST_NULL) MPI_Cancel(&request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Comm_free(&comm_);
    return true;
  } catch (...) {
    has_failed_ = true;
    return true;
  }

 private:
  struct Transfer {
    std::shared_ptr<const std::byte[]> data;
    std::uint64_t id = 0;
    std::uint64_t pieces = 0;  // that have not ended
    std::uint64_t bytes = 0;
    bool is_send = false, is_notice = false;
  };

  template <class Post>
  void begin(Transfer begun, const Post& post) {
    const std::uint64_t bytes = begun.bytes;
    const std::uint64_t pieces =
        std::max<std::uint64_t>((bytes + piece_bytes_ - 1) / piece_bytes_, 1);
    const std::size_t transfer = free_transfer();
    open_bytes_ += bytes;
    if (!begun.is_notice) ++messages_;
    transfers_[transfer] = std::move(begun);
    for (std::uint64_t piece = 0; piece < pieces; ++piece) {
      const std::uint64_t at = piece * piece_bytes_;
      requests_.push_back(MPI_REQUEST_NULL);
      piece_of_.push_back(transfer);
      ++transfers_[transfer].pieces;
      post(at, static_cast<int>(std::min(piece_bytes_, bytes - at)), &requests_.back());
    }
  }

  // Begins to receive what came and was not asked for.
  void take_unasked() {
    while (true) {
      int has_come = 0, bytes = 0;
      MPI_Status status;
      check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &has_come, &status), "look");
      if (has_come == 0) return;
      MPI_Get_count(&status, MPI_BYTE, &bytes);
      const auto length = static_cast<std::size_t>(bytes);
      receive(status.MPI_SOURCE, status.MPI_TAG, std::make_shared<std::byte[]>(length), length, 0);
      test();
    }
  }

  bool has_sends() const {
    for (std::size_t i = 0; i < requests_.size(); ++i)
      if (requests_[i] != MPI_REQUEST_NULL && transfers_[piece_of_[i]].is_send) return true;
    return false;
  }

  std::size_t free_transfer() {
    for (std::size_t i = 0; i < transfers_.size(); ++i)
      if (transfers_[i].data == nullptr) return i;
    transfers_.emplace_back();
    return transfers_.size() - 1;
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
  std::size_t messages_ = 0;
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1;
  std::vector<Transfer> transfers_;    // free where they have no data
  std::vector<MPI_Request> requests_;  // of pieces
  std::vector<std::size_t> piece_of_;  // the transfer of each request
  std::vector<int> ended_;             // as MPI_Testsome() tells, and the next
  std::vector<MPI_Status> statuses_;
  std::vector<std::uint64_t> sent_;            // pieces, by rank
  std::uint64_t received_ = 0, expected_ = 0;  // pieces
  MPI_Request counting_ = MPI_REQUEST_NULL;
  bool is_ending_ = false, has_failed_ = false;
};

}  // namespace xpose::detail
