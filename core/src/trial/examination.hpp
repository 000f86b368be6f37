// Faults of a launch whose output is right: see TrialRunner::examine.
#pragma once

#include <functional>
#include <string_view>

#include "strategy/bound_plan.hpp"
#include "trial/arena.hpp"

namespace xpose {

// Of one problem. It has two pairs of buffers, which differ in every element, in what lies around
// the elements and, on the host, in the edge that they share with a page. [one thread at a time]
class Examination {
 public:
  static constexpr std::string_view kAloneStage = "launch in other buffers";
  static constexpr std::string_view kTogetherStage = "launch from two threads at once";

  // [normal form, not empty] Throws as Arena does.
  Examination(Backend& backend, const Problem& problem);

  // Launches into each pair, with the pages closed that a launch must leave alone; and then into
  // both pairs at once. Throws Error where the plan does.
  Outcome examine(const Candidate& candidate, const BoundPlan& plan,
                  const std::function<void(std::string_view)>& at_stage);

 private:
  // A pair of buffers and what a thread that launches into it has of its own.
  struct Side {
    Side(Backend& owner, const Problem& problem, ArenaForm form, std::string special);
    ~Side() { backend.release_stream(stream); }
    Side(const Side&) = delete;  // owns a stream

    void launch(const BoundPlan& plan);
    Outcome check();

    Backend& backend;
    Arena arena;
    std::string words;  // what is special about the buffers
    void* stream;
    void* workspace = nullptr;
    Arena::Launched launched = Arena::Launched::transpose;
  };
  Outcome alone(Side& side, const BoundPlan& plan);
  Outcome together(const BoundPlan& plan);
  bool launch_together(const BoundPlan& plan);

  Backend& backend_;
  bool in_place_;
  Side first_, second_;
};

}  // namespace xpose
