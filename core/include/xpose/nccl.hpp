// The ranks of NCCL, for routes between GPUs. The library does not use NCCL; a program that
// includes this header links its own, of version 2.18 or newer, and the CUDA runtime.
//
//   cudaSetDevice(device);
//   ncclCommInitRank(&comm, size, id, rank);
//   xpose::RouteOptions options;
//   options.devices = xpose::nccl_ranks(comm, stream);
#pragma once

#include <nccl.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>
#include <xpose/ranks.hpp>

namespace xpose {

static_assert(NCCL_VERSION_CODE >= NCCL_VERSION(2, 18, 0),
              "<xpose/nccl.hpp> needs NCCL 2.18 or newer, for ncclCommSplit()");

// The ranks of a communicator, in one of its own, so that no message meets one of the program's and
// a failure ends none of these. Its calls do not block where another rank does not come. Of more
// than two the late one has no name: a call of NCCL ends on a rank as a whole or not at all, and
// does not tell for whom it waits. carried_ranks() name it. The device of the communicator is made
// the thread's current one. [one thread at a time]
class NcclRanks final : public DeviceRanks {
 public:
  // Collective over `comm`, as ncclCommSplit() is. The stream is of the communicator's device and
  // outlives the ranks. `may_map_arrays` is that of CarriedOptions. Throws Error failed where NCCL
  // or CUDA reports an error, or where another rank does not come within `seconds`.
  NcclRanks(ncclComm_t comm, cudaStream_t stream, double seconds = 60, bool may_map_arrays = true)
      : stream_(stream), may_map_arrays_(may_map_arrays) {
    check(ncclCommUserRank(comm, &rank_), "tell the rank");
    check(ncclCommCount(comm, &size_), "tell the number of ranks");
    check(ncclCommCuDevice(comm, &ordinal_), "tell the device");
    use_device();
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    settle(comm, ncclCommSplit(comm, 0, rank_, &comm_, &config), "split the communicator", seconds);
    try {
      settle(comm_, ncclSuccess, "make a communicator", seconds);
      const std::size_t bytes = sizeof(Notice) * (static_cast<std::size_t>(size_) + 1);
      check(cudaMalloc(&device_notices_, bytes), "allocate memory for notices");
      check(cudaMallocHost(&host_notices_, bytes), "allocate pinned memory for notices");
    } catch (...) {
      abandon();
      release();
      throw;
    }
  }

  // Waits until the others have no more use of the communicator, and no longer than a while.
  ~NcclRanks() override {
    if (comm_ != nullptr) close();
    release();
  }
  NcclRanks(const NcclRanks&) = delete;
  NcclRanks& operator=(const NcclRanks&) = delete;

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  Device device() const override { return {DeviceKind::cuda, ordinal_}; }
  void* stream() const override { return stream_; }
  bool reaches_others() const override { return false; }
  bool may_map_arrays() const override { return may_map_arrays_; }

  std::vector<Notice> gather(const Notice& own, double seconds) override {
    check_open();
    use_device();
    Notice* const all = device_notices_ + 1;
    std::memcpy(host_notices_, own.data(), sizeof own);
    check(cudaMemcpyAsync(device_notices_, host_notices_, sizeof own, cudaMemcpyHostToDevice,
                          stream_),
          "copy a notice to the device");
    settle(comm_, ncclAllGather(device_notices_, all, sizeof own, ncclInt8, comm_, stream_),
           "gather the ranks' notices", seconds);
    std::vector<Notice> notices(static_cast<std::size_t>(size_));
    check(cudaMemcpyAsync(host_notices_ + 1, all, sizeof own * notices.size(),
                          cudaMemcpyDeviceToHost, stream_),
          "copy notices from the device");
    finish(seconds);
    std::memcpy(notices.data(), host_notices_ + 1, sizeof own * notices.size());
    return notices;
  }

  void exchange(const std::vector<Transfer>& sends, const std::vector<Transfer>& receives,
                double seconds) override {
    check_open();
    if (sends.empty() && receives.empty()) return;
    use_device();
    check(ncclGroupStart(), "begin a group of messages");
    ncclResult_t worst = ncclSuccess;
    const auto keep = [&](ncclResult_t result) {
      if (worst == ncclSuccess && result != ncclInProgress) worst = result;
    };
    for (const Transfer& sent : sends)
      keep(ncclSend(sent.data, sent.bytes, ncclInt8, sent.rank, comm_, stream_));
    for (const Transfer& wanted : receives)
      keep(ncclRecv(wanted.data, wanted.bytes, ncclInt8, wanted.rank, comm_, stream_));
    const ncclResult_t ended = ncclGroupEnd();
    settle(comm_, worst != ncclSuccess ? worst : ended, "begin a group of messages", seconds);
  }

  void finish(double seconds) override {
    check_open();
    use_device();
    const Clock::time_point end = end_of(seconds);
    for (cudaError_t status; (status = cudaStreamQuery(stream_)) != cudaSuccess;) {
      if (status != cudaErrorNotReady) check(status, "move the messages of this route");
      ncclResult_t state = ncclSuccess;
      check(ncclCommGetAsyncError(comm_, &state), "tell its state");
      if (state != ncclInProgress) check(state, "move the messages of this route");
      if (Clock::now() >= end) throw_silent(seconds);
      std::this_thread::yield();
    }
  }

  void abandon() noexcept override {
    if (comm_ != nullptr) (void)ncclCommAbort(comm_);
    comm_ = nullptr;
  }

 private:
  using Clock = std::chrono::steady_clock;

  static Clock::time_point end_of(double seconds) {
    constexpr double kMost = 1e8;  // of what a clock's count takes
    return Clock::now() + std::chrono::duration_cast<Clock::duration>(
                              std::chrono::duration<double>(seconds < kMost ? seconds : kMost));
  }

  void check(ncclResult_t result, const char* what) const {
    if (result == ncclSuccess) return;
    const char* const more = ncclGetLastError(comm_);
    throw Error(ErrorKind::failed,
                "NCCL cannot " + std::string(what) + " on rank " + std::to_string(rank_) + ": " +
                    ncclGetErrorString(result) +
                    (more == nullptr || *more == '\0' ? "" : "; " + std::string(more)));
  }
  void check(cudaError_t status, const char* what) const {
    if (status == cudaSuccess) return;
    (void)cudaGetLastError();
    throw Error(status == cudaErrorMemoryAllocation ? ErrorKind::no_memory : ErrorKind::device,
                "CUDA cannot " + std::string(what) + " on rank " + std::to_string(rank_) + ": " +
                    cudaGetErrorString(status));
  }
  void check_open() const {
    if (comm_ == nullptr)
      throw Error(ErrorKind::failed,
                  "these NCCL ranks were given up after a failure; make new ones");
  }
  [[noreturn]] void throw_silent(double seconds) const {
    std::string text = std::to_string(seconds);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
    const std::string who = size_ == 2 ? "rank " + std::to_string(1 - rank_) + " of 2 has"
                                       : "some of the " + std::to_string(size_) + " ranks have";
    throw Error(ErrorKind::failed,
                who + " not come to a message of rank " + std::to_string(rank_) + " for " + text +
                    " seconds: ended, stopped, or late; end the program, or give a longer "
                    "RouteOptions::deadline_seconds");
  }

  void use_device() const { check(cudaSetDevice(ordinal_), "make the device current"); }

  // Waits until what a call began is on the stream.
  void settle(ncclComm_t comm, ncclResult_t result, const char* what, double seconds) const {
    if (result != ncclInProgress) check(result, what);
    const Clock::time_point end = end_of(seconds);
    for (ncclResult_t state = ncclInProgress;;) {
      check(ncclCommGetAsyncError(comm, &state), what);
      if (state != ncclInProgress) return check(state, what);
      if (Clock::now() >= end) throw_silent(seconds);
      std::this_thread::yield();
    }
  }

  void close() noexcept try {
    constexpr double kSeconds = 10;
    use_device();
    settle(comm_, ncclCommFinalize(comm_), "close the communicator", kSeconds);
    (void)ncclCommDestroy(comm_);
    comm_ = nullptr;
  } catch (const Error&) {  // the others have ended without it
    abandon();
  }

  void release() noexcept {
    (void)cudaSetDevice(ordinal_);
    (void)cudaFree(device_notices_);
    (void)cudaFreeHost(host_notices_);
  }

  cudaStream_t stream_;
  bool may_map_arrays_;
  ncclComm_t comm_ = nullptr;
  int rank_ = 0, size_ = 1, ordinal_ = 0;
  Notice* device_notices_ = nullptr;  // the own one, and those of all
  Notice* host_notices_ = nullptr;
};

// The ranks of a communicator for RouteOptions::devices. Collective; throws as the constructor.
inline std::shared_ptr<DeviceRanks> nccl_ranks(ncclComm_t comm, cudaStream_t stream,
                                               bool may_map_arrays = true) {
  return std::make_shared<NcclRanks>(comm, stream, 60, may_map_arrays);
}

}  // namespace xpose
