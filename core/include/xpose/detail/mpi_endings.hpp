// The ends of communicators, for which no rank waits. A part of <xpose/mpi.hpp>.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>
#include <xpose/detail/mpi_transfers.hpp>

namespace xpose::detail {

// All transfers of this process whose communicators are not yet freed. Ranks may let go of several
// communicators in different orders, and long after each other. So an end only begins where a rank
// lets go, goes on in later calls of this class, and is over before MPI_Finalize() returns: MPI
// deletes the attributes of MPI_COMM_SELF first. [any thread that may call MPI]
class MpiEndings {
 public:
  // Never destroyed: a program may call MPI_Finalize() when it exits.
  static MpiEndings& of_process() {
    static auto* const all = new MpiEndings;
    return *all;
  }

  void add(std::shared_ptr<MpiTransfers> transfers) {
    const std::lock_guard lock(mutex_);
    come_before_finalize();
    go_on();
    all_.push_back(std::move(transfers));
  }

  // Waits for nobody.
  void end(MpiTransfers& transfers) noexcept {
    const std::lock_guard lock(mutex_);
    transfers.begin_end();
    go_on();
  }

  // Of transfers that have failed: their communicator stays.
  void forget(const MpiTransfers& transfers) noexcept {
    const std::lock_guard lock(mutex_);
    std::erase_if(all_, [&](const auto& one) { return one.get() == &transfers; });
  }

 private:
  // Of ranks that are lost or have given up, for which MPI_Finalize() may wait for ever.
  static constexpr std::chrono::seconds kLongest{5};

  void come_before_finalize() {
    if (is_hooked_) return;
    int key = MPI_KEYVAL_INVALID;
    check_mpi(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, &before_finalize, &key, nullptr),
              "create a key");
    check_mpi(MPI_Comm_set_attr(MPI_COMM_SELF, key, this), "set an attribute");
    MPI_Comm_free_keyval(&key);
    is_hooked_ = true;
  }

  static int before_finalize(MPI_Comm, int, void* endings, void*) {
    static_cast<MpiEndings*>(endings)->end_all();
    return MPI_SUCCESS;
  }

  void end_all() noexcept {
    const std::lock_guard lock(mutex_);
    for (const auto& transfers : all_)
      if (!transfers->is_ending()) transfers->begin_end();
    const auto end = std::chrono::steady_clock::now() + kLongest;
    while (!go_on() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  }

  // True: none is left that has begun to end.
  bool go_on() noexcept {
    std::erase_if(all_, [](const auto& one) { return one->is_ending() && one->end(); });
    return std::ranges::none_of(all_, [](const auto& one) { return one->is_ending(); });
  }

  std::mutex mutex_;
  bool is_hooked_ = false;
  std::vector<std::shared_ptr<MpiTransfers>> all_;
};

}  // namespace xpose::detail
