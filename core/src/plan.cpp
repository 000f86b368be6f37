#include "plan.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <thread>
#include <utility>

#include "problem/disjoint.hpp"
#include "reported.hpp"
#include "threads/forks.hpp"

namespace xpose {
namespace {

// Not locked where that takes longer than others ever hold it.
std::unique_lock<std::mutex> locked_soon(std::mutex& mutex) {
  std::unique_lock lock(mutex, std::defer_lock);
  for (int attempt = 0; attempt < 1000 && !lock.try_lock(); ++attempt) std::this_thread::yield();
  return lock;
}

}  // namespace

template <class Body>
void Workspaces::with(void* stream, const Body& body) {
  if (bytes_ == 0) {
    body(nullptr);
  } else if (backend_.info().device.kind == DeviceKind::cuda) {
    body(of_stream(stream));
  } else {
    DeviceBuffer lent = take();
    body(lent.data());
    give_back(std::move(lent));
  }
}

DeviceBuffer Workspaces::take() {
  if (const auto lock = locked_soon(mutex_); lock && !idle_.empty()) {
    DeviceBuffer buffer = std::move(idle_.back());
    idle_.pop_back();
    return buffer;
  }
  return {backend_, bytes_};
}

void Workspaces::give_back(DeviceBuffer buffer) noexcept try {
  if (const auto lock = locked_soon(mutex_)) idle_.push_back(std::move(buffer));
} catch (const std::bad_alloc&) {  // the next call makes its own
}

void* Workspaces::of_stream(void* stream) {
  const std::lock_guard lock(mutex_);
  DeviceBuffer& buffer = by_stream_[stream];
  if (buffer.bytes() == 0) buffer = DeviceBuffer(backend_, bytes_);
  return buffer.data();
}

// The caller's promise is about the base address; rows may be aligned to less.
Promise::Promise(const Layered& parts, const Problem& promised)
    : in_mask_(std::min<std::uint32_t>(promised.in_alignment, 256) - 1),
      out_mask_(std::min<std::uint32_t>(promised.out_alignment, 256) - 1),
      origin_(parts.origin),
      steps_(parts.steps),
      in_begin_(origin_.in + in_low(parts.layer) * parts.layer.element_bytes),
      out_begin_(origin_.out),
      in_bytes_(static_cast<std::uint64_t>(in_span(parts.layer)) * parts.layer.element_bytes),
      out_bytes_(static_cast<std::uint64_t>(out_span(parts.layer)) * parts.layer.element_bytes) {
  const auto reach = [](std::int64_t last, std::int64_t& begin, std::uint64_t& bytes) {
    begin += std::min<std::int64_t>(last, 0);
    bytes += static_cast<std::uint64_t>(std::abs(last));
  };
  for (const BatchDim& step : steps_) {
    reach((step.extent - 1) * step.in_stride, in_begin_, in_bytes_);
    reach((step.extent - 1) * step.out_stride, out_begin_, out_bytes_);
  }
}

void Promise::check(const Problem& layer, const void* in, const void* out) const {
  const auto in_address = reinterpret_cast<std::uintptr_t>(in);
  const auto out_address = reinterpret_cast<std::uintptr_t>(out);
  if (in == nullptr || out == nullptr)
    throw Error(ErrorKind::invalid, "cannot transpose " + to_string(layer) + ": a buffer is null");
  if (((in_address & in_mask_) | (out_address & out_mask_)) != 0)
    throw Error(ErrorKind::invalid,
                "the plan for " + to_string(layer) + " was made for an input aligned to " +
                    std::to_string(in_mask_ + 1) + " and an output aligned to " +
                    std::to_string(out_mask_ + 1) +
                    " bytes, but a buffer is aligned to less; make the plan with aligned_as()");
  const std::uintptr_t in_begin = in_address + static_cast<std::uintptr_t>(in_begin_);
  const std::uintptr_t out_begin = out_address + static_cast<std::uintptr_t>(out_begin_);
  if (layer.in_place) return check_one_buffer(in, out);
  if (in_begin < out_begin + out_bytes_ && out_begin < in_begin + in_bytes_ &&
      may_meet(layer, static_cast<std::int64_t>(out_begin - in_begin), steps_))
    throw Error(ErrorKind::invalid,
                "input and output overlap: use a separate output, or state a square matrix as in "
                "place");
}

void check_one_buffer(const void* in, const void* out) {
  if (in != out)
    throw Error(ErrorKind::invalid,
                "the problem is in place, but input and output begin at two addresses: pass one, "
                "or state a problem that is not in place");
}

void Plan::Impl::bind(const Candidate& chosen, Backend& device, unsigned threads,
                      Promise of_caller) {
  variant = chosen.variant;
  launch = chosen.launch;
  bound = std::make_unique<BoundPlan>(chosen, problem, device.info(), threads);
  workspaces = std::make_unique<Workspaces>(device, chosen.workspace_bytes);
  backend = &device;
  made_in = fork_generation();
  switch_device = problem.device.kind == DeviceKind::cuda && cuda_backends().size() > 1;
  promise = std::move(of_caller);
}

void Plan::Impl::check_process() const {
  if (problem.device.kind == DeviceKind::cuda && made_in != fork_generation())
    throw Error(ErrorKind::device,
                "the plan for " + to_string(problem) +
                    " was made before fork(): CUDA does not work in a child of the process that "
                    "used it; make engine and plan in the child, and use CUDA in no parent of it");
}

void Plan::execute(const void* in, void* out, void* stream) const {
  if (impl_->bound == nullptr) {
    if (impl_->stays) check_one_buffer(in, out);
    return;
  }
  reported([&] {
    impl_->promise.check(impl_->problem, in, out);
    impl_->check_process();
    if (impl_->switch_device) impl_->backend->make_current();
    impl_->workspaces->with(stream, [&](void* workspace) {
      impl_->promise.for_each_layer(in, out, [&](const void* from, void* to) {
        impl_->bound->launch(from, to, workspace, stream);
      });
    });
  });
}

const Problem& Plan::problem() const { return impl_->problem; }
const Variant& Plan::variant() const { return impl_->variant; }
const std::string& Plan::launch() const { return impl_->launch; }
bool Plan::is_estimate() const { return impl_->is_estimate; }
std::uint64_t Plan::workspace_bytes() const {
  return impl_->workspaces == nullptr ? 0 : impl_->workspaces->bytes();
}

}  // namespace xpose
