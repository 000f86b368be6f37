// A plan for buffers of any alignment.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "xpose/xpose.hpp"

namespace xpose::c_api {

// The plan for the alignment that a problem promises, and those for less, each made when it is
// first needed. Keeps its engine alive. [any thread]
class AlignedPlans {
 public:
  // Throws as Engine::plan() does.
  AlignedPlans(const Engine& engine, const Problem& problem, const PlanOptions& options);
  ~AlignedPlans();
  AlignedPlans(const AlignedPlans&) = delete;  // owns the plans
  AlignedPlans& operator=(const AlignedPlans&) = delete;

  const Plan& promised() const { return promised_; }

  // The plan for buffers of these addresses. Throws as Engine::plan() does.
  const Plan& plan_for(const void* in, const void* out) const;

 private:
  // The powers of two from 1 to 256, by their exponents.
  static constexpr std::size_t kExponents = 9;

  static std::size_t exponent(std::uint64_t address);
  const Plan& lesser(std::size_t in, std::size_t out) const;

  mutable Engine engine_;
  Problem problem_;
  std::size_t in_;  // exponents of the promised alignments
  std::size_t out_;
  Plan promised_;
  // No lock: two threads that miss a plan both make it, and in a child of fork() a thread that held
  // a lock may be gone.
  mutable std::array<std::array<std::atomic<const Plan*>, kExponents>, kExponents> lesser_{};
};

}  // namespace xpose::c_api
