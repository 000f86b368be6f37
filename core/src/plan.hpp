// The plan of a caller: a bound plan, workspaces, and the rules for its buffers.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "device/device.hpp"
#include "problem/batch_loop.hpp"
#include "problem/normal_form.hpp"
#include "strategy/bound_plan.hpp"

namespace xpose {

// Workspace for concurrent executions: the host's is lent for one call, a CUDA stream keeps its own
// because its launches run one after the other. The host's waits for nobody: in a child of fork() a
// thread that is not there may hold the mutex for ever.
class Workspaces {
 public:
  Workspaces(Backend& backend, std::uint64_t bytes) : backend_(backend), bytes_(bytes) {}

  // Runs body(workspace); the workspace is null where none is needed.
  template <class Body>
  void with(void* stream, const Body& body);

  std::uint64_t bytes() const { return bytes_; }  // of one

 private:
  DeviceBuffer take();
  void give_back(DeviceBuffer buffer) noexcept;
  void* of_stream(void* stream);

  Backend& backend_;
  std::uint64_t bytes_;
  std::mutex mutex_;
  std::vector<DeviceBuffer> idle_;
  std::map<void*, DeviceBuffer> by_stream_;
};

// The rules for a caller's buffers.
class Promise {
 public:
  Promise() = default;
  // `promised` is the caller's problem, with the alignments of its buffers; `parts` is what it
  // becomes, not empty.
  Promise(const Layered& parts, const Problem& promised);

  // Throws Error invalid, also for buffers that are null or overlap otherwise than `layer` says.
  void check(const Problem& layer, const void* in, const void* out) const;

  // Calls body(in, out) with the addresses of element 0 of each layer.
  template <class Body>
  void for_each_layer(const void* in, void* out, const Body& body) const {
    for_each_matrix(steps_, 1, static_cast<const std::byte*>(in) + origin_.in,
                    static_cast<std::byte*>(out) + origin_.out, body);
  }

 private:
  std::uintptr_t in_mask_ = 0;  // address bits that must be zero
  std::uintptr_t out_mask_ = 0;
  Origin origin_;
  std::vector<BatchDim> steps_;
  std::int64_t in_begin_ = 0;   // of the lowest element that is read, in bytes from the caller's
  std::int64_t out_begin_ = 0;  // element 0; and of the lowest that is written
  std::uint64_t in_bytes_ = 0;
  std::uint64_t out_bytes_ = 0;
};

// Throws Error invalid for two buffers of a problem in place.
void check_one_buffer(const void* in, const void* out);

struct Plan::Impl {
  Problem problem;  // normal form of a layer
  Variant variant;
  std::string launch;
  bool is_estimate = false;
  std::unique_ptr<const BoundPlan> bound;  // null: nothing to do
  bool stays = false;                      // nothing to do in place: there are elements
  std::unique_ptr<Workspaces> workspaces;
  Backend* backend = nullptr;
  bool switch_device = false;  // more than one CUDA device: make ours current first
  unsigned made_in = 0;        // the fork_generation()
  Promise promise;

  // Binds a candidate that is loaded here.
  void bind(const Candidate& chosen, Backend& device, unsigned threads, Promise of_caller);

  // Throws Error device where this is a process in which the plan's device is none.
  void check_process() const;
};

}  // namespace xpose
