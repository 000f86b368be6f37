// The variants that may serve a problem: axes x quote.
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "strategy/configs.hpp"
#include "strategy/cost_model.hpp"
#include "strategy/outcome.hpp"
#include "strategy/strategy.hpp"
#include "strategy/trust.hpp"
#include "xpose/xpose.hpp"

namespace xpose {

// The answer of a strategy for one config.
struct QuoteAnswer {
  Outcome outcome;  // unsupported with the reason, or how asking ended
  std::string launch;
  std::uint64_t workspace_bytes = 0;
  Demand demand = {};
  bool operator==(const QuoteAnswer&) const = default;
};

// Configs of a strategy that a quote is wanted of.
struct Question {
  const Strategy* strategy = nullptr;
  std::vector<Values> configs;
};

// Asks strategies: in this process, or in a worker.
class Quoter {
 public:
  virtual ~Quoter() = default;
  // The questions that quote() is asked next, in their order, so that the answers may be under way.
  virtual void announce(std::span<const Question> /*questions*/) {}
  // One answer a config; never throws for what a plugin does.
  virtual std::vector<QuoteAnswer> quote(const Strategy& strategy,
                                         const std::vector<Values>& configs) = 0;
};

inline constexpr std::size_t kNotInTable = std::numeric_limits<std::size_t>::max();

// A variant that its strategy has quoted for a problem.
struct Candidate {
  const Strategy* strategy = nullptr;
  Values values;
  Variant variant;
  std::string launch;
  std::uint64_t workspace_bytes = 0;
  Role role = Role::transpose;
  int prior_rank = 0;
  double predicted = kNotPredicted;       // time, as predicted_time() has it; of what may be chosen
  Trust trust;                            // of its strategy
  bool is_favourite = false;              // tried whatever the budget
  bool is_estimate = false;               // what an estimate would take
  std::size_t table_place = kNotInTable;  // among those of Evidence::table
  Outcome outcome;                        // ok: it may be tried

  // The time that counts against others: a claim does not.
  double believed() const { return trust.discount ? predicted * *trust.discount : kNotPredicted; }
};

// The knowledge before anything is tried.
struct Evidence {
  std::function<Trust(const Strategy&)> trust = {};  // empty: all came with the library
  std::optional<Variant> standing = {};              // what won before
  std::vector<Variant> table = {};   // what was fastest on other devices of the class, in order
  std::set<std::string> tried = {};  // strategies that lost to it: the others' turn comes first
};

// Why a caller on the device never gets what a strategy writes. Empty: it may be chosen.
std::string choice_refusal(const StrategyInfo& strategy, const Device& device);

// The problem that a strategy is asked to solve: the problem itself, or for a copy the dense copy
// of the same bytes.
Problem problem_for(const StrategyInfo& strategy, const Problem& normal);

// The ABI's form of `problem`, which is problem_for() the strategy.
xpose_problem to_abi(const StrategyInfo& strategy, const Problem& problem,
                     const DeviceInfo& device);

// Asks a strategy that is loaded in this process.
QuoteAnswer quote(const Strategy& strategy, const Values& values, const Problem& normal,
                  const DeviceInfo& device);

Candidate candidate_of(const Strategy& strategy, const Values& values, QuoteAnswer answer);

// One strategy's configs, those that `options` wants, each as it answered. None: it wants none.
std::vector<Candidate> all_candidates(const Strategy& strategy, const Problem& normal,
                                      const DeviceInfo& device, const TuneOptions& options,
                                      Quoter& quoter);

// All candidates for a problem [normal form, not empty] on its device: one config of each strategy,
// then a second one of each, and so on. Copies come first, then what won before, then
// what the table names, then the strategies by what is believed of their best config, then those
// whose predictions do not count, and then what is believed to be far behind. Strategies near
// the best, near_prediction_ratio(), are in the order of their prior rank, those that came with the
// library first, and a strategy's configs near its best in the author's order; of which nothing is
// predicted, is taken to be twice the best. The estimate is the first that may be chosen, whatever
// won before. The favourites are that one, what won before, and what came with the library and is
// believed to be within 5 % of the estimate. A strategy that supports no config appears once, with
// the reason. Copies are always among them; `options` narrows the rest.
std::vector<Candidate> candidates(std::span<const Strategy* const> strategies,
                                  const Problem& normal, const DeviceInfo& device,
                                  const TuneOptions& options, Quoter& quoter,
                                  const Evidence& evidence = {});

}  // namespace xpose
