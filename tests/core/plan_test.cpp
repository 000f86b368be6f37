#include "plan.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <exception>
#include <new>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "plugin/plugin_library.hpp"
#include "problem/normal_form.hpp"

namespace xpose {
namespace {

struct Speechless : std::exception {
  const char* what() const noexcept override { return nullptr; }
};

xpose_status make_none(const xpose_problem*, const int64_t*, xpose_plan** plan, xpose_text) {
  *plan = reinterpret_cast<xpose_plan*>(plan);
  return XPOSE_OK;
}
xpose_status do_nothing(const xpose_plan*, const xpose_launch*, xpose_text) { return XPOSE_OK; }
void destroy_nothing(xpose_plan*) {}

// A strategy that is bound here without a plugin, and does what a plugin may not.
struct Wild {
  Wild() {
    functions.create = make_none;
    functions.launch = do_nothing;
    functions.destroy = destroy_nothing;
    strategy.functions = &functions;
    candidate.strategy = &strategy;
    candidate.variant.strategy = "wild";
  }
  Wild(const Wild&) = delete;  // points into itself

  BoundPlan bound() const {
    return {candidate, normal_form(matrix(5, 7, 4)), backend(Device{}).info(), 2};
  }
  // The Error of a launch, as Plan::execute lets it out.
  std::string said_by_launch(ErrorKind kind) const {
    const BoundPlan plan = bound();
    try {
      plan.launch(this, nullptr, nullptr, nullptr);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), kind);
      return error.what();
    }
    return "nothing";
  }

  xpose_strategy functions{};
  Strategy strategy;
  Candidate candidate;
};

TEST(BoundPlan, WhatALaunchThrowsBecomesAnError) {
  Wild wild;
  const std::string through = "wild failed to launch: threw an exception through the ABI";
  wild.functions.launch = [](const xpose_plan*, const xpose_launch*, xpose_text) -> xpose_status {
    throw std::runtime_error("words");
  };
  EXPECT_EQ(wild.said_by_launch(ErrorKind::failed), through + ": words");
  wild.functions.launch = [](const xpose_plan*, const xpose_launch*, xpose_text) -> xpose_status {
    throw 7;
  };
  EXPECT_EQ(wild.said_by_launch(ErrorKind::failed), through);
}

TEST(BoundPlan, AnExceptionWhoseWhatIsNullBecomesAnError) {
  Wild wild;
  wild.functions.launch = [](const xpose_plan*, const xpose_launch*, xpose_text) -> xpose_status {
    throw Speechless();
  };
  EXPECT_EQ(wild.said_by_launch(ErrorKind::failed),
            "wild failed to launch: threw an exception through the ABI");
}

TEST(BoundPlan, MemoryThatRanOutInAPluginIsAnErrorOfThatKind) {
  Wild wild;
  wild.functions.launch = [](const xpose_plan*, const xpose_launch*, xpose_text) -> xpose_status {
    throw std::bad_alloc();
  };
  wild.said_by_launch(ErrorKind::no_memory);
}

// Where another thread runs the part, an exception would end the process.
TEST(BoundPlan, WhatAPartThrowsBecomesAnError) {
  Wild wild;
  wild.functions.launch = [](const xpose_plan*, const xpose_launch* launch, xpose_text) {
    launch->team->run(
        launch->team, 2, [](void*, std::uint32_t) { throw std::runtime_error("of a part"); },
        nullptr);
    return xpose_status{XPOSE_OK};
  };
  EXPECT_EQ(wild.said_by_launch(ErrorKind::failed),
            "wild failed to launch: threw an exception through the ABI: of a part");
}

TEST(BoundPlan, ADestroyThatThrowsEndsNothing) {
  Wild wild;
  wild.functions.destroy = [](xpose_plan*) { throw std::runtime_error("words"); };
  { const BoundPlan unheard = wild.bound(); }
  BoundPlan heard = wild.bound();
  try {
    heard.destroy();
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::failed);
    EXPECT_STREQ(error.what(),
                 "wild failed to destroy its plan: threw an exception through the ABI: words");
  }
  heard.destroy();  // which it is already
}

TEST(Plan, TellsTheBytesOfAWorkspace) {
  EngineOptions options;
  options.plugin_folders = {XPOSE_PLUGINS};
  options.threads = 2;
  options.in_process = true;
  options.remember = false;
  Engine engine(options);
  const auto workspace_bytes = [&](const char* variant, const Problem& problem) {
    PlanOptions chosen;
    chosen.policy = Policy::estimate;
    chosen.tune.variants = {parse_variant(variant)};
    return engine.plan(problem, chosen).workspace_bytes();
  };
  EXPECT_EQ(workspace_bytes("host_naive_row", matrix(300, 300, 4)), 0U);
  EXPECT_EQ(workspace_bytes("host_naive_row", matrix(0, 300, 4)), 0U);
  try {
    EXPECT_GT(workspace_bytes("host_odd", matrix(300, 300, 3)), 300U);
  } catch (const Error& error) {
    GTEST_SKIP() << error.what();  // a processor without its instructions
  }
}

// ------------------------------------------------------------------------------- versions of the
// ABI

// What is behind the structs of a host that does not know of teams is none.
TEST(Launch, OfAHostOfAnOlderMinorHasNoTeam) {
  PluginFile file = PluginFile::open(XPOSE_PLUGINS "/host_naive.so");
  const std::string digest = file.digest();
  const xpose_strategy& naive = load_plugin(std::move(file), digest).functions.front();
  constexpr std::int64_t kRows = 600, kCols = 500;  // worth several threads
  const xpose_problem problem =
      to_abi(normal_form(matrix(kRows, kCols, 4)), 0, backend(Device{}).info());
  std::array<char, 512> text{};
  const xpose_text error{text.data(), text.size()};
  xpose_plan* plan = nullptr;
  ASSERT_EQ(naive.create(&problem, nullptr, &plan, error), XPOSE_OK);
  std::vector<std::uint32_t> in(kRows * kCols), out(in.size());
  std::iota(in.begin(), in.end(), 1U);
  const xpose_launch launch{.size = offsetof(xpose_launch, team),
                            .threads = 4,
                            .in = in.data(),
                            .out = out.data(),
                            .workspace = nullptr,
                            .stream = nullptr,
                            .team = reinterpret_cast<const xpose_team*>(1)};
  EXPECT_EQ(naive.launch(plan, &launch, error), XPOSE_OK);
  naive.destroy(plan);
  for (std::size_t r = 0; r < kRows; ++r)
    for (std::size_t c = 0; c < kCols; ++c) ASSERT_EQ(out[c * kRows + r], in[r * kCols + c]);
}

}  // namespace
}  // namespace xpose
