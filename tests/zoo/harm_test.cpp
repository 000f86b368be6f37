// Harmful plugins beside an honest one: none is chosen, none ends this process, and each is known
// on the next start. Those of the zoo are met one by one, and more closely.
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "enclosure.hpp"

namespace xpose::zoo {
namespace {

namespace fs = std::filesystem;

// How the next start knows it.
enum class Known {
  quarantined,
  quarantined_file,
  refused,
  slow,
  slow_or_caught,  // whichever comes first: whoever is too slow is not called often enough to lie
  by_trial         // again each time: want of memory says nothing of a plugin
};

struct Harm {
  std::string file;
  std::string strategy;
  Known known = Known::quarantined;
  std::string words = {};  // in what is said of it when it is met first
};
void PrintTo(const Harm& harm, std::ostream* out) { *out << harm.file << ' ' << harm.strategy; }

const std::vector<std::string> kHonest = {"host_naive_row", "host_naive_col"};

class HarmTest : public testing::TestWithParam<Harm> {
 protected:
  HarmTest()
      : enclosure_(
            fs::path(HARM_DIR) / (GetParam().file + ".so"),
            {fs::path(XPOSE_PLUGINS) / "host_naive.so", fs::path(XPOSE_PLUGINS) / "host_copy.so"}) {
  }

  // Its own strategy alone, beside the honest ones; nobody can name that of a refused plugin.
  TuneOptions options(const Engine& engine) const {
    TuneOptions options;
    options.budget_seconds = GetParam().file == "liars" ? 1.5 : 0.3;
    options.every_strategy = true;
    for (const std::string& name : kHonest) options.variants.push_back({name});
    for (const PluginInfo& plugin : engine.plugins())
      for (const StrategyInfo& strategy : plugin.strategies)
        if (strategy.name == GetParam().strategy) options.variants.push_back({strategy.name});
    return options;
  }

  bool is_honest(const std::string& strategy) const {
    return std::ranges::find(kHonest, strategy) != kHonest.end();
  }

  // What is said of it; nothing where it was right.
  std::string meet(Engine& engine) {
    const TuneReport report = engine.tune(problem_, options(engine));
    EXPECT_TRUE(report.winner.has_value());
    if (report.winner) {
      EXPECT_TRUE(is_honest(report.trials[*report.winner].variant.strategy))
          << to_string(report.trials[*report.winner].variant);
    }
    const Trial* const trial = find_trial(report, GetParam().strategy);
    if (trial == nullptr) return refusal(engine);
    return trial->verdict == Verdict::ok
               ? ""
               : std::string(to_string(trial->verdict)) + ": " + trial->detail;
  }

  std::string refusal(const Engine& engine) const {
    for (const PluginInfo& plugin : engine.plugins())
      if (plugin.file == enclosure_.file()) return plugin.refused;
    return "";
  }

  void expect_never_chosen(Engine& engine) {
    for (const Policy policy : {Policy::measure, Policy::estimate}) {
      PlanOptions planning{.policy = policy, .tune = options(engine)};
      EXPECT_TRUE(is_honest(engine.plan(problem_, planning).variant().strategy));
    }
    expect_transposes(engine, problem_);
  }

  Enclosure enclosure_;
  // The large one is timed call by call on one pair of buffers: a lie comes to light at once. Of a
  // small one each sample has other buffers, and who skips work there has nothing to skip.
  const Problem problem_ = GetParam().file == "liars" ? matrix(1100, 1000, 4) : matrix(96, 80, 4);
};

TEST_P(HarmTest, IsNotChosenAndIsKnownOnTheNextStart) {
  const Harm& harm = GetParam();
  {
    Engine engine(enclosure_.options(EngineOptions{}.stage_seconds));
    const std::string said = meet(engine);
    if (harm.known != Known::slow_or_caught) {
      EXPECT_EQ(said.empty(), harm.known == Known::slow) << said;
      EXPECT_NE(said.find(harm.words), std::string::npos) << said;
    }
    EXPECT_EQ(said.find_first_of("\n\x1b"), std::string::npos) << said;
    EXPECT_LT(said.size(), 4096U);
    expect_never_chosen(engine);
  }
  {
    Engine engine(enclosure_.options(EngineOptions{}.stage_seconds));
    const std::string said = meet(engine);
    const bool quarantined = said.find("in quarantine since") != std::string::npos;
    if (harm.known != Known::slow_or_caught) {
      EXPECT_EQ(quarantined,
                harm.known == Known::quarantined || harm.known == Known::quarantined_file)
          << said;
    }
    EXPECT_EQ(harm.known == Known::refused || harm.known == Known::quarantined_file,
              !refusal(engine).empty())
        << refusal(engine);
    expect_never_chosen(engine);
  }
  expect_nobody_left(enclosure_.visits());
}

Harm slow(const std::string& file, const std::string& strategy) {
  return {file, strategy, Known::slow};
}

Harm at_entry(const std::string& name, Known known, const std::string& words = {}) {
  return {name, "at_entry", known, words};
}

std::string name_of(const testing::TestParamInfo<Harm>& info) {
  return info.param.strategy == "at_entry" ? info.param.file : info.param.strategy;
}

const std::vector<Harm> kLiars = {
    slow("liars", "boasting"),
    {"liars", "idle_when_hurried", Known::slow_or_caught},
    {"liars", "half_when_hurried", Known::slow_or_caught},
    {"liars", "right_twenty_times", Known::slow_or_caught},
    {"liars", "skip_when_right", Known::slow_or_caught},
    {"liars", "once_a_buffer", Known::slow_or_caught},
    {"liars", "once_a_pair", Known::slow_or_caught},
    {"liars", "memory_of_outputs", Known::slow_or_caught},
    {"liars", "later", Known::quarantined, "wrong_result"},
    {"liars", "busy_thread", Known::quarantined, "keeps a processor busy"},
#if defined(__x86_64__)
    {"liars", "slow_clock_hand", Known::slow_or_caught},
#endif
    {"liars", "ahead_of_others", Known::quarantined, "its scheduling class or priority"},
};
INSTANTIATE_TEST_SUITE_P(Liars, HarmTest, testing::ValuesIn(kLiars), name_of);

// The sanitizer ends the process at once, in its own way.
#if defined(__SANITIZE_ADDRESS__)
constexpr const char* kAtAWrongFree = "ended the process during launch";
#else
constexpr const char* kAtAWrongFree = "during launch: signal";
#endif

// Some kernels do not tell a process its children.
const Known of_a_copy =
    fs::exists("/proc/thread-self/children") ? Known::quarantined : Known::slow_or_caught;

const std::vector<Harm> kWreckers = {
    {"wreckers", "overflow_the_stack", Known::quarantined, "signal 11"},
    {"wreckers", "divide_by_zero", Known::quarantined, "signal 8"},
    {"wreckers", "illegal_instruction", Known::quarantined, "signal 4"},
    {"wreckers", "missing_page", Known::quarantined, "signal 7"},
    {"wreckers", "free_the_input", Known::quarantined, kAtAWrongFree},
    {"wreckers", "free_twice", Known::quarantined, kAtAWrongFree},
    {"wreckers", "throw_in_a_thread", Known::quarantined, "signal 6"},
    {"wreckers", "end_the_thread", Known::quarantined, "during"},
    {"wreckers", "become_another_program", Known::quarantined, "exit status 0"},
    {"wreckers", "leave_quietly", Known::quarantined, "exit status 0"},
    {"wreckers", "leave_quickly", Known::quarantined, "exit status 0"},
    {"wreckers", "unmap_the_output", Known::quarantined, "crashed"},
    {"wreckers", "forbid_the_input", Known::quarantined, "crashed"},
    {"wreckers", "forbid_calls", Known::quarantined, "crashed"},
    {"wreckers", "interrupt_itself", Known::quarantined, "signal 2"},
    {"wreckers", "ring_at_once", Known::quarantined, "signal 14"},
    {"wreckers", "kill_its_group", Known::quarantined, "signal 15"},
    {"wreckers", "kill_by_processor_time", Known::quarantined, "signal"},
    {"wreckers", "close_all", Known::quarantined, "crashed"},
    {"wreckers", "shut_the_channel", Known::quarantined, "crashed"},
    {"wreckers", "stop_answering", Known::quarantined, "crashed"},
    {"wreckers", "put_a_file_there", Known::quarantined, "crashed"},
    {"wreckers", "forge_a_notice", Known::quarantined, "descriptor 3"},
    {"wreckers", "announce_much", Known::quarantined, "descriptor 3"},
    {"wreckers", "double_itself", of_a_copy, "left a child process"},
    {"wreckers", "many_children", Known::quarantined, "exit status 7"},
    {"wreckers", "round_upward", Known::quarantined, "the rounding"},
#if defined(__x86_64__)
    {"wreckers", "trap_inexact", Known::quarantined, "the rounding"},
    {"wreckers", "flush_denormals", Known::quarantined, "the rounding"},
#endif
    {"wreckers", "handle_signals", Known::quarantined, "signals"},
    {"wreckers", "block_signals", Known::quarantined, "signals"},
    {"wreckers", "ring_later", Known::quarantined, "alarms"},
    {"wreckers", "step_back", Known::quarantined, "priority"},
    {"wreckers", "idle_class", Known::quarantined, "scheduling class"},
    {"wreckers", "few_files", Known::quarantined, "its limits"},
    {"wreckers", "little_memory", Known::quarantined},
    {"wreckers", "go_elsewhere", Known::quarantined, "current folder"},
    {"wreckers", "open_files", Known::quarantined, "umask"},
    {"wreckers", "close_the_output", Known::quarantined, "standard input, output or error"},
    {"wreckers", "change_the_locale", Known::quarantined, "its locale"},
};
INSTANTIATE_TEST_SUITE_P(Wreckers, HarmTest, testing::ValuesIn(kWreckers), name_of);

const std::vector<Harm> kWrong = {
    {"wrong", "two_swapped", Known::quarantined, "wrong_result"},
    {"wrong", "last_bit", Known::quarantined, "wrong_result"},
    {"wrong", "last_column_missing", Known::quarantined, "wrong_result"},
    {"wrong", "right_at_odd_calls", Known::quarantined, "wrong_result"},
    {"wrong", "backwards", Known::quarantined, ""},
    {"wrong", "far_away", Known::quarantined, "wrote_outside"},
    {"wrong", "changing_quotes", Known::quarantined, "not again"},
    {"wrong", "endless_words", Known::quarantined, "protocol_error"},
    {"wrong", "aligned_nowhere", Known::by_trial, "no_memory"},
};
INSTANTIATE_TEST_SUITE_P(Wrong, HarmTest, testing::ValuesIn(kWrong), name_of);

const std::vector<Harm> kEntries = {
    at_entry("garbage_entry", Known::refused),
    at_entry("many_strategies", Known::refused, "more than 256 strategies"),
    at_entry("endless_name", Known::refused, "at most 128 bytes"),
    at_entry("twin_axes", Known::refused, "two axes named 'tile'"),
    at_entry("axis_without_values", Known::refused, "has no values"),
    at_entry("empty_struct", Known::refused),
    at_entry("huge_struct", Known::refused, "unknown device kind"),
    at_entry("kill_in_entry", Known::quarantined_file, "signal 9"),
    at_entry("busy_at_load", Known::quarantined_file, "keeps a processor busy"),
    at_entry("unknown_status", Known::quarantined, "protocol_error"),
    at_entry("null_plan", Known::quarantined, "signal 11"),
    at_entry("words_without_end", Known::quarantined, "protocol_error"),
    at_entry("long_description", Known::refused, "describes itself in more than 1048576 bytes"),
};
INSTANTIATE_TEST_SUITE_P(Entries, HarmTest, testing::ValuesIn(kEntries), name_of);

TEST(Harms, AreOverFiftyAndTenOfThemLieAboutTheirSpeed) {
  EXPECT_GE(kLiars.size(), 10U);
  EXPECT_GE(kLiars.size() + kWreckers.size() + kWrong.size() + kEntries.size(), 50U);
}

}  // namespace
}  // namespace xpose::zoo
