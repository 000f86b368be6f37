#include "mover.hpp"

#include <nanobind/nanobind.h>

#include <algorithm>
#include <string>
#include <utility>

#include "interpreter_lock.hpp"

namespace xpose::python {
namespace {

namespace nb = nanobind;

constexpr std::uint64_t kPlanBytes = 16 << 10;  // of a plan and its key, without a workspace
constexpr std::size_t kMostShown = 64;          // bytes of a caller's text in a message
constexpr std::uint32_t kHostAlignment = 16;    // that of malloc; more would part plans by chance
constexpr std::uint32_t kCudaAlignment = 256;   // that of cudaMalloc

}  // namespace

std::uint64_t bytes_of(const Plan& plan) {
  if (plan.problem().device.kind == DeviceKind::cuda) return 0;
  return kPlanBytes + plan.workspace_bytes();
}

std::uint32_t alignment_for_plans(const void* address, DeviceKind kind) {
  const std::uint64_t most = kind == DeviceKind::cuda ? kCudaAlignment : kHostAlignment;
  const auto bits = reinterpret_cast<std::uintptr_t>(address) | most;
  return static_cast<std::uint32_t>(bits & (~bits + 1));
}

namespace {

// Everything that a plan depends on, in a buffer on the stack.
class Words {
 public:
  Words(const Layout& in, const Layout& out, const Axes& axes, bool in_place, Policy policy) {
    push(static_cast<std::int64_t>(policy) * 2 + (in_place ? 1 : 0));
    push(in.element_bytes);
    push(out.element_bytes);
    for (const Layout* layout : {&in, &out}) {
      push(layout->device.kind == DeviceKind::cuda ? layout->device.ordinal : -1);
      push(static_cast<std::int64_t>(layout->extents.size()));
      push(layout->extents);
      push(layout->strides);
    }
    push(axes);
  }
  std::span<const std::int64_t> span() const { return {words_.data(), size_}; }

 private:
  void push(std::int64_t word) { words_[size_++] = word; }
  void push(const Axes& axes) {
    std::ranges::copy(axes.span(), words_.begin() + static_cast<std::ptrdiff_t>(size_));
    size_ += axes.size();
  }

  std::size_t size_ = 0;
  std::array<std::int64_t, 7 + 5 * kMostAxes> words_;  // the first size_ of them
};

}  // namespace

Policy parse_policy(std::string_view text) {
  if (text == "estimate") return Policy::estimate;
  if (text == "measure") return Policy::measure;
  if (text == "cached_only") return Policy::cached_only;
  throw Error(ErrorKind::invalid, "policy '" + one_line(text, kMostShown) +
                                      "' is none of 'estimate', 'measure' and 'cached_only'");
}

void Interruption::keep() noexcept {
  if (error_ == nullptr) error_ = std::current_exception();
}

bool Interruption::came() {
  if (error_ == nullptr) {
    const Locked lock;
    if (PyErr_CheckSignals() != 0) error_ = std::make_exception_ptr(nb::python_error());
  }
  return error_ != nullptr;
}

void Interruption::raise() const {
  if (error_ != nullptr) std::rethrow_exception(error_);
}

AlignedPlans::Alignments AlignedPlans::alignments_of(const void* in, const void* out) const {
  return {alignment_for_plans(in, problem_->device.kind),
          alignment_for_plans(out, problem_->device.kind)};
}

AlignedPlans::Made* AlignedPlans::find(const Alignments& alignments) {
  const auto made = std::ranges::find(made_, alignments, &Made::alignments);
  return made == made_.end() ? nullptr : &*made;
}

Plan AlignedPlans::ask(const Alignments& alignments, bool by_policy) {
  Problem problem = *problem_;
  problem.in_alignment = alignments.in;
  problem.out_alignment = alignments.out;
  Interruption interruption;
  PlanOptions options = options_;
  if (!by_policy) {
    options.policy = Policy::estimate;
    options.tune.budget_seconds = 0;  // even where XPOSE_POLICY is measure
  }
  options.tune.interrupted = [&] { return interruption.came(); };
  std::optional<Plan> plan;
  try {
    const Unlocked unlocked;
    plan = engine_.plan(problem, options);
  } catch (const Error&) {
    interruption.raise();
    throw;
  }
  interruption.raise();
  return *plan;
}

Plan AlignedPlans::keep(const Alignments& alignments, const Plan& plan) {
  Made* const made = find(alignments);
  if (made == nullptr) {
    made_.push_back({alignments, plan});
    return plan;
  }
  if (made->plan.is_estimate() && !plan.is_estimate()) {
    if (holds_cuda()) replaced_ = made->plan;
    made->plan = plan;
  }
  return made->plan;
}

std::optional<Plan> AlignedPlans::plan_for(const void* in, const void* out, Estimates estimates) {
  if (!problem_) return std::nullopt;
  const Alignments alignments = alignments_of(in, out);
  const Made* const made = find(alignments);
  const bool is_first = made == nullptr ? made_.empty() : made == made_.data();
  const bool asks = made == nullptr || (is_first && estimates == Estimates::are_asked_again &&
                                        is_asked_again(made->plan, options_.policy));
  if (!asks) return made->plan;
  return keep(alignments, ask(alignments, is_first));
}

void execute(const std::optional<Plan>& plan, const void* in, void* out, void* stream) {
  if (!plan) return;
  const Unlocked unlocked;
  plan->execute(in, out, stream);
}

std::uint64_t AlignedPlans::bytes() const {
  if (!problem_) return kPlanBytes;
  std::uint64_t bytes = 0;
  for (const Made& made : made_) bytes += bytes_of(made.plan);
  return bytes;
}

std::size_t Mover::KeyHash::operator()(std::span<const std::int64_t> words) const {
  std::uint64_t hash = words.size();
  for (const std::int64_t word : words) {  // the mixing step of MurmurHash
    hash = (hash ^ static_cast<std::uint64_t>(word)) * 0xff51afd7ed558ccdULL;
    hash ^= hash >> 32;
  }
  return hash;
}

bool Mover::KeyEqual::operator()(std::span<const std::int64_t> a,
                                 std::span<const std::int64_t> b) const {
  return std::ranges::equal(a, b);
}

Mover::Mover(const EngineOptions& options) : engine_(options), imposed_(imposed_policy()) {}

void Mover::move(const Layout& in, const Layout& out, const Axes& axes, void* stream,
                 Policy policy) {
  if (in.is_empty()) {
    check_fit(in, out, axes);
    return;
  }
  const bool in_place = in.address == out.address;
  const Words words(in, out, axes, in_place, policy);
  const auto found = plans_.find(words.span());
  const bool is_known = found != plans_.end();
  std::shared_ptr<AlignedPlans> plans;  // others may forget it meanwhile
  if (is_known) {
    plans = found->second;
  } else {
    PlanOptions options;
    options.policy = imposed_.value_or(policy);
    plans = prepare(in, out, axes, in_place, options);
  }
  const std::uint64_t counted = is_known ? plans->bytes() : 0;
  const auto plan = plans->plan_for(in.address, out.address, Estimates::are_asked_again);
  if (!is_known) keep(words.span(), plans);
  plan_bytes_ += plans->bytes() - counted;
  execute(plan, in.address, out.address, stream);
}

// Plans are made again sooner than lists of their use are kept at each call.
void Mover::keep(std::span<const std::int64_t> words, const std::shared_ptr<AlignedPlans>& plans) {
  if (plan_bytes_ >= kMostPlanBytes) {
    std::erase_if(plans_, [](const auto& kept) { return !kept.second->holds_cuda(); });
    plan_bytes_ = 0;
  }
  const bool is_new = plans_.try_emplace(Key(words.begin(), words.end()), plans).second;
  if (!is_new && plans->holds_cuda()) retired_.push_back(plans);  // another thread was faster
}

std::shared_ptr<AlignedPlans> Mover::prepare(const Layout& in, const Layout& out, const Axes& axes,
                                             bool in_place, const PlanOptions& options) {
  check_fit(in, out, axes);
  std::optional<Problem> problem;
  if (!in_place || !stays(in, out, axes)) problem = problem_of(in, out, axes, in_place);
  return std::make_shared<AlignedPlans>(engine_, std::move(problem), options);
}

void Mover::choose_anew() {
  for (const auto& [key, plans] : plans_)
    if (plans->holds_cuda()) retired_.push_back(plans);
  plans_.clear();
  plan_bytes_ = 0;
}

}  // namespace xpose::python
