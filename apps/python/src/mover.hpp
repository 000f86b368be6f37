// An engine with the plans that its callers asked for, by the layout of their arrays.
//
// Python's lock guards all that is here. It is released while an engine chooses and a plan runs.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>
#include <xpose/xpose.hpp>

#include "layout.hpp"

namespace xpose::python {

// "measure", "estimate" or "cached_only". Throws Error invalid.
Policy parse_policy(std::string_view text);

// The alignment of an address that plans are parted by, in bytes; of null the most.
std::uint32_t alignment_for_plans(const void* address, DeviceKind kind);

// The exceptions of Python that end a call of the engine: those of signals, such as Ctrl-C, and of
// callbacks. The first one is kept.
class Interruption {
 public:
  bool came();           // asks for signals; takes Python's lock
  void keep() noexcept;  // the exception that is being handled
  void raise() const;    // with Python's lock; nothing where none came

 private:
  std::exception_ptr error_;
};

// The most bytes of plans for arrays of the host that are kept by their layout.
constexpr std::uint64_t kMostPlanBytes = 64 << 20;

// The bytes that count for a plan. None on CUDA: a graph may hold launches of the plan, which must
// outlive it, so that it is not forgotten for the sake of memory.
std::uint64_t bytes_of(const Plan& plan);

// Estimates where the policy measures: a measurement had to wait, or no trial is possible.
enum class Estimates { stay, are_asked_again };

// Whether the engine is asked again, as Engine::transpose() does at each call.
inline bool is_asked_again(const Plan& plan, Policy policy) {
  return policy == Policy::measure && plan.is_estimate();
}

// The plans for one problem, by the alignment of the buffers.
class AlignedPlans {
 public:
  // `problem`: none where there is nothing to do.
  AlignedPlans(Engine engine, std::optional<Problem> problem, const PlanOptions& options)
      : engine_(std::move(engine)), problem_(std::move(problem)), options_(options) {}

  // With Python's lock, which is released while a new plan is made. None where there is nothing to
  // do. The first is made by the policy; others are estimates. Throws as Engine::plan() does, and
  // Python's exception after a signal.
  std::optional<Plan> plan_for(const void* in, const void* out, Estimates estimates);

  std::uint64_t bytes() const;  // of its plans
  bool holds_cuda() const { return problem_ && problem_->device.kind == DeviceKind::cuda; }

 private:
  struct Alignments {
    std::uint32_t in, out;
    bool operator==(const Alignments&) const = default;
  };
  struct Made {
    Alignments alignments;
    Plan plan;
  };

  Alignments alignments_of(const void* in, const void* out) const;
  Made* find(const Alignments& alignments);
  Plan ask(const Alignments& alignments, bool by_policy);
  Plan keep(const Alignments& alignments, const Plan& plan);

  Engine engine_;
  std::optional<Problem> problem_;
  PlanOptions options_;
  std::vector<Made> made_;
  std::optional<Plan> replaced_;  // an estimate on CUDA, which a graph may hold
};

// Enqueues, or does, the work of a plan, if there is one, without Python's lock. `in` and `out` are
// the addresses of element 0.
void execute(const std::optional<Plan>& plan, const void* in, void* out, void* stream);

class Mover {
 public:
  explicit Mover(const EngineOptions& options);

  // Moves `in` to `out`, whose axis i is axis axes[i] of `in`, by a plan that later calls find.
  // In place where both begin at one address.
  void move(const Layout& in, const Layout& out, const Axes& axes, void* stream, Policy policy);

  // The plans for arrays of these layouts. Those of `move` are apart.
  std::shared_ptr<AlignedPlans> prepare(const Layout& in, const Layout& out, const Axes& axes,
                                        bool in_place, const PlanOptions& options);

  // Forgets the plans of `move`, since a better choice may be known.
  void choose_anew();

  Engine& engine() { return engine_; }

 private:
  using Key = std::vector<std::int64_t>;
  struct KeyHash {
    using is_transparent = void;  // NOLINT(readability-identifier-naming): the library's name
    std::size_t operator()(std::span<const std::int64_t> words) const;
  };
  struct KeyEqual {
    using is_transparent = void;  // NOLINT(readability-identifier-naming)
    bool operator()(std::span<const std::int64_t> a, std::span<const std::int64_t> b) const;
  };
  using Plans = std::unordered_map<Key, std::shared_ptr<AlignedPlans>, KeyHash, KeyEqual>;

  void keep(std::span<const std::int64_t> words, const std::shared_ptr<AlignedPlans>& plans);

  Engine engine_;
  std::optional<Policy> imposed_;  // on the engine, in place of a caller's
  Plans plans_;
  std::uint64_t plan_bytes_ = 0;  // of plans_
  // A CUDA graph may hold launches of a plan, which must outlive it.
  std::vector<std::shared_ptr<AlignedPlans>> retired_;
};

}  // namespace xpose::python
