// Tuning, for callers: variants and their text, trials, the report of a tune and its options.
// xpose.hpp includes this header, and states the thread rules.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>
#include <xpose/problem.hpp>

namespace xpose {

// The value of one axis of a strategy, such as {"tile", 64}.
struct AxisValue {
  std::string axis;        // the name, as the strategy's card lists it
  std::int64_t value = 0;  // one of the values that the card lists
  bool operator==(const AxisValue&) const = default;
};
// Values of a strategy's axes. The library returns them in the card's order, one an axis.
using Config = std::vector<AxisValue>;

// A strategy with a config: the unit that is tried, and that a plan runs. A caller may leave axes
// out of the config; the function that takes the variant says what that means.
struct Variant {
  std::string strategy;  // StrategyInfo::name; empty: none
  Config config = {};    // empty where the strategy has no axes
  bool operator==(const Variant&) const = default;
};
// "smem_pad{tile=64,rows=8}"; "naive" where the config is empty.
XPOSE_API std::string to_string(const Variant& variant);
// The variant of such a text. No plugin is asked whether it offers the variant.
// Throws Error invalid for another text.
XPOSE_API Variant parse_variant(std::string_view text);

// The part that a strategy plays.
enum class Role {
  transpose,   // may be chosen
  copy,        // timed for the roof, never chosen
  numeric,     // a transpose that does arithmetic on the elements: timed, never chosen
  experiment,  // of `xpose lab`: explained, never tried
};
// The enumerator's name: "transpose", ...
XPOSE_API std::string_view to_string(Role role);

// How a trial ended.
enum class Verdict {
  ok,              // the output was right at every check
  unsupported,     // the strategy declines the problem or the config
  wrong_result,    // an output element is wrong, was not written, or was written too late
  wrote_outside,   // a write to a gap, a guard, or past the end of a buffer
  read_outside,    // a read beside the input elements; the conformance suite and the simulator look
  modified_input,  // the input has changed
  device_error,    // the device reported an error
  crashed,         // a signal ended the process
  exited,          // the plugin ended the process
  timed_out,       // a stage took longer than its deadline
  no_memory,       // host or device memory ran out
  protocol_error,  // an answer that breaks the plugin's or the worker's contract
  load_refused,    // the plugin's file cannot be loaded
};
// The enumerator's name: "ok", "wrong_result", ...
XPOSE_API std::string_view to_string(Verdict verdict);

// The time of one call of a variant, over the samples of a race: of the winner, the estimate and
// the roof those of the final, where winner and estimate met in rounds of their own.
struct Timing {
  double median = 0;  // seconds
  double spread = 0;  // interquartile range over the median
  int samples = 0;    // one a round; those of discarded rounds are left out
};

// One variant verified and timed on one problem.
struct Trial {
  Variant variant;                // no values where no config serves the problem
  std::string launch;             // the launch in short: "grid 128x256 block 32x16"
  Role role = Role::transpose;    // of the strategy
  Verdict verdict = Verdict::ok;  // of the last check
  // One line. The reason of a verdict that is not ok; with ok, a remark about a doubted time.
  std::string detail;
  std::optional<Timing> timing;  // empty: not timed
  int prior_rank = 0;            // of the strategy's card
  // Seconds of one call in each round of the race. A round that was discarded, or that the variant
  // did not run, is NaN. A list shorter than others' ends where the variant was dropped. Empty
  // without a timing.
  std::vector<double> rounds = {};
  // The share of the roof that the quote's figures predict; 0: the quote has none.
  double predicted_share = 0;
  // The factor by which the strategy's predicted times were multiplied, for its past errors; 0:
  // the prediction did not count, because nothing of the strategy was measured here.
  double discount = 1;
};

// The outcome of tuning a problem.
struct TuneReport {
  Problem problem;          // in normal form
  std::uint64_t bytes = 0;  // read and written by one call on the problem that was tried
  // Transposes and copies, the fastest first, then those without a time. The indices below are
  // into this list.
  std::vector<Trial> trials;
  std::optional<std::size_t> roof;       // the fastest copy; empty: no copy was timed
  std::optional<std::size_t> winner;     // empty: no variant was right
  std::optional<std::size_t> runner_up;  // the best variant of another strategy than the winner's
  std::optional<std::size_t> estimate;   // the choice of Policy::estimate
  double margin = 0;                     // runner-up's time / winner's time - 1; 0 without one
  // Variants that were left out: by the budget, by a prediction far behind the best, or by a
  // strategy's slow first config.
  std::size_t untried = 0;
  std::vector<std::string> untried_strategies;  // of which no variant was tried
  // The untried strategies that may win: only the budget left them out. The choice is provisional
  // then, and the next engine that measures the problem tries these first.
  std::vector<std::string> untried_rivals;
  int rounds = 0;            // of the race, without the discarded ones
  int discarded_rounds = 0;  // in which the fastest copy slowed down: the clock dropped
  double seconds = 0;        // of the whole tune, with the making of buffers
  bool interrupted = false;  // TuneOptions::interrupted ended it early; nothing is remembered
  // The smaller problem that trials ran on, where those of `problem` fit into neither budget nor
  // memory. All times and shares are its. Empty: trials ran on `problem`.
  std::optional<Problem> stand_in = {};
  bool is_estimate = false;  // no problem could be tried: the winner is the cost model's choice
  std::string why_not_whole = {};  // why trials did not run on `problem`; empty: they did
};

// The problem as JSON, as in every document that has one: indented, ASCII. [any thread]
XPOSE_API std::string problem_json(const Problem& problem);

// The report as JSON, the document "xpose.tune/1": indented, ASCII. [any thread]
XPOSE_API std::string tune_json(const TuneReport& report);

// The state of a tune, for a progress line.
struct Progress {
  std::string_view stage;        // "verify" while candidates are tried, "measure" in the race
  std::size_t done = 0;          // candidates, or rounds
  std::size_t total = 0;         // the most that `done` reaches
  const Trial* trial = nullptr;  // verify: the trial that just ended; valid during the call
};

// The extent of a tune: candidates, time and rounds.
struct TuneOptions {
  double budget_seconds = 2;  // kept as far as single launches allow; 0: nothing is tried
  int max_rounds = 15;        // of the race, those that count; at least 1
  // True: one config of every strategy is tried until the budget is spent, and of those in
  // `variants` even then. False: a part of the budget is kept for the race.
  bool every_strategy = false;
  bool warm = false;   // caches stay warm: every call uses the same buffers
  bool whole = false;  // no stand-in: Error no_memory where the problem itself does not fit
  // The candidates. A variant stands for every config of its strategy that has the variant's
  // values: an axis without a value is free. Copies that no variant names are tried as well. Empty:
  // every config of every strategy.
  std::vector<Variant> variants = {};
  // Told of every step, in the calling thread. Neither this function nor `interrupted` may tune:
  // Error invalid. A plan that they ask for is not measured.
  std::function<void(const Progress&)> progress = {};
  // Asked between two steps, in the calling thread. True: the tune ends and returns its report.
  std::function<bool()> interrupted = {};
};

}  // namespace xpose
