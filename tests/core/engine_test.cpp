#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "engine_fixture.hpp"

namespace xpose {
namespace {

TEST_F(EngineTest, TransposesInOneCall) {
  const auto in = numbers(123 * 77);
  std::vector<std::uint32_t> out(in.size());
  engine().transpose(in.data(), out.data(), matrix(123, 77, 4));
  expect_transposed(in, out, 123, 77);
}

TEST_F(EngineTest, PlansExecuteManyTimesFromManyThreads) {
  const auto in = numbers(1501 * 1001);  // each worth several threads
  const Plan plan = engine().plan(matrix(1501, 1001, 4), {.policy = Policy::estimate});
  EXPECT_FALSE(plan.variant().strategy.empty());
  std::vector<std::uint32_t> transposed(in.size());
  plan.execute(in.data(), transposed.data());
  expect_transposed(in, transposed, 1501, 1001);
  std::vector<std::jthread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 3; ++i) {
        std::vector<std::uint32_t> out(in.size());
        plan.execute(in.data(), out.data());
        EXPECT_TRUE(out == transposed);
      }
    });
}

TEST_F(EngineTest, APermutationThatKeepsTheInnermostAxisMovesFatElements) {
  const std::int64_t shape[] = {3, 50, 7, 12};
  const int axes[] = {0, 2, 1, 3};
  const auto in = numbers(3 * 50 * 7 * 12);
  std::vector<std::uint32_t> out(in.size());
  engine().transpose(in.data(), out.data(), permutation(shape, axes, 4));
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::size_t inner = i % 12, row = i / 12 % 50, col = i / 600 % 7, matrix = i / 4200;
    ASSERT_EQ(out[i], in[((matrix * 50 + row) * 7 + col) * 12 + inner]) << i;
  }
}

// An engine that cannot try anything: it has no worker.
Engine without_worker() {
  EngineOptions options = own_plugins();
  options.worker = "/nonexistent";
  return Engine(options);
}

// Issue: null and overlapping pointers were refused after the trials.
TEST_F(EngineTest, BuffersAreCheckedBeforeAnyTrial) {
  Engine none = without_worker();
  std::vector<std::uint32_t> memory(200);
  const auto transposing = [&](const void* in, void* out) {
    return refusal_of([&] { none.transpose(in, out, matrix(10, 12, 4)); });
  };
  EXPECT_NE(transposing(nullptr, memory.data()).find("a buffer is null"), std::string::npos);
  EXPECT_NE(transposing(memory.data(), nullptr).find("a buffer is null"), std::string::npos);
  EXPECT_NE(transposing(memory.data(), memory.data() + 8).find("overlap"), std::string::npos);
}

// Issue: halves of one matrix were refused as overlapping.
TEST_F(EngineTest, PartsOfOneArrayInterleave) {
  Eigen::MatrixXf both = Eigen::MatrixXf::Random(120, 60);
  const Eigen::MatrixXf before = both;
  engine().transpose(both.topRows(60), both.bottomRows(60));
  EXPECT_EQ(both.topRows(60), before.topRows(60));
  EXPECT_EQ(both.bottomRows(60), before.topRows(60).transpose());
  EXPECT_THROW(engine().transpose(both.topRows(60), both.middleRows(59, 60)), Error);
}

// Issue: Device{host, 5} was taken for the host, and kind 7 for a CUDA device.
TEST_F(EngineTest, ADeviceThatThereCannotBeIsRefused) {
  Engine none = without_worker();
  const auto planning = [&](Device device) {
    return refusal_of([&] { none.plan(matrix(3, 4, 4, device), {.policy = Policy::estimate}); });
  };
  EXPECT_EQ(planning({DeviceKind::host, 5}),
            "there is no host 5: the host is one device, with the ordinal 0");
  EXPECT_EQ(planning({static_cast<DeviceKind>(7), 0}),
            "there is no device of kind 7: use DeviceKind::host or DeviceKind::cuda");
}

// The other buffer would stay unwritten without a word.
TEST_F(EngineTest, WhatStaysInPlaceHasOneBufferAsWell) {
  Problem problem = matrix(1, 1, 4);
  problem.in_place = true;
  problem.batch = {{3, 1, 1}};
  std::uint32_t memory[3] = {1, 2, 3}, other[3] = {};
  const Plan plan = engine().plan(problem, quickly());
  EXPECT_NO_THROW(plan.execute(memory, memory));
  engine().transpose(memory, memory, problem);
  const std::string words =
      "the problem is in place, but input and output begin at two addresses: pass one, or state a "
      "problem that is not in place";
  EXPECT_EQ(refusal_of([&] { plan.execute(memory, other); }), words);
  EXPECT_EQ(refusal_of([&] { engine().transpose(memory, other, problem); }), words);
  problem.batch.front().extent = 0;  // without elements nothing is left unwritten
  EXPECT_NO_THROW(engine().plan(problem, quickly()).execute(memory, other));
}

TEST_F(EngineTest, EmptyProblemsDoNothing) {
  engine().transpose(nullptr, nullptr, matrix(0, 7, 4));
  const Plan plan = engine().plan(matrix(7, 0, 4));
  EXPECT_EQ(plan.variant().strategy, "");
  plan.execute(nullptr, nullptr);
  EXPECT_EQ(engine().tune(matrix(0, 0, 1)).bytes, 0U);
}

TEST_F(EngineTest, BuffersThatBreakThePromiseAreRefused) {
  Problem problem = matrix(30, 20, 4);
  problem.in_alignment = problem.out_alignment = 4;
  const Plan plan = engine().plan(problem, quickly());
  std::vector<std::uint32_t> memory(2000);
  auto* bytes = reinterpret_cast<char*>(memory.data());
  EXPECT_THROW(plan.execute(nullptr, bytes), Error);
  EXPECT_THROW(plan.execute(bytes, nullptr), Error);
  EXPECT_THROW(plan.execute(bytes + 2, bytes + 4000), Error);
  EXPECT_THROW(plan.execute(bytes, bytes + 2398), Error);
  EXPECT_THROW(plan.execute(bytes, bytes + 2396), Error);  // the last element is shared
  EXPECT_THROW(plan.execute(bytes, bytes), Error);
  EXPECT_NO_THROW(plan.execute(bytes, bytes + 2400));
}

TEST_F(EngineTest, BatchesBeyondWhatAStrategyTakesAreLooped) {
  Problem problem = matrix(5, 7, 4);
  problem.batch = {{3, 35 * 20, 35}, {2, 35 * 5, 35 * 6}};
  const auto in = numbers(35 * 20 * 3);
  std::vector<std::uint32_t> out(35 * 12);
  engine().transpose(in.data(), out.data(), problem);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 2; ++j)
      for (std::size_t r = 0; r < 5; ++r)
        for (std::size_t c = 0; c < 7; ++c)
          ASSERT_EQ(out[i * 35 + j * 35 * 6 + c * 5 + r], in[i * 35 * 20 + j * 35 * 5 + r * 7 + c]);
}

TEST_F(EngineTest, SquaresAreTransposedInPlace) {
  Problem problem = matrix(77, 77, 4);
  problem.in_place = true;
  const auto before = numbers(77 * 77);
  auto memory = before;
  engine().transpose(memory.data(), memory.data(), problem);
  expect_transposed(before, memory, 77, 77);

  const Plan plan = engine().plan(problem, quickly());
  EXPECT_EQ(plan.variant().strategy, "host_in_place");
  std::vector<std::uint32_t> other(before.size());
  EXPECT_THROW(plan.execute(memory.data(), other.data()), Error);
  plan.execute(memory.data(), memory.data());
  EXPECT_EQ(memory, before);
}

TEST_F(EngineTest, TuneInPlaceHasTheRoofOfTheSameBytes) {
  Problem problem = matrix(200, 200, 4);
  problem.in_place = true;
  const TuneReport report = engine().tune(problem, quickly().tune);
  EXPECT_EQ(report.bytes, 2U * 200 * 200 * 4);
  ASSERT_TRUE(report.roof && report.winner);
  EXPECT_TRUE(report.trials[*report.roof].role == Role::copy);
  for (const Trial& trial : report.trials)
    if (trial.variant.strategy == "host_naive_row") {
      EXPECT_EQ(trial.detail, "does not work in place");
    }
}

TEST_F(EngineTest, PluginsAreListedAfterAnEstimate) {
  Engine fresh(own_plugins());
  PlanOptions options;
  options.policy = Policy::estimate;
  const std::string chosen = fresh.plan(matrix(30, 40, 4), options).variant().strategy;
  std::vector<std::string> offered;
  for (const PluginInfo& plugin : fresh.plugins())
    for (const StrategyInfo& strategy : plugin.strategies) offered.push_back(strategy.name);
  EXPECT_NE(std::ranges::find(offered, chosen), offered.end());
}

TEST_F(EngineTest, RefusalsNameTheProblemAsStated) {
  PlanOptions options;
  options.policy = Policy::cached_only;
  const auto refusal = [&](const Problem& problem) -> std::string {
    try {
      engine().plan(problem, options);
    } catch (const Error& error) {
      return error.what();
    }
    return "none";
  };
  const std::string why = "; tune it first, or plan with another policy";
  EXPECT_EQ(refusal(matrix(21, 33, 4)),
            "no measured choice is known for 21x33 of 4 bytes on host" + why);
  EXPECT_EQ(refusal(matrix(20, 30, 3)),
            "no measured choice is known for 20x30 of 3 bytes on host, moved as 1x3 of 1 byte, "
            "batch 30, batch 20 on host" +
                why);
}

TEST_F(EngineTest, NoPluginsIsAClearError) {
  EngineOptions options = own_plugins();
  options.plugin_folders = {"/nonexistent"};
  Engine none(options);
  ASSERT_EQ(none.plugins().size(), 1U);
  EXPECT_NE(none.plugins()[0].refused.find("/nonexistent"), std::string::npos);
  try {
    none.plan(matrix(3, 4, 4), quickly());
    ADD_FAILURE();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::no_strategy);
  }
}

TEST_F(EngineTest, APluginOfTheInstallationThatIsRefusedIsAWarning) {
  setenv("XPOSE_PLUGIN_PATH", ("relative:" + std::string(XPOSE_PLUGINS) + ":/nonexistent").c_str(),
         1);
  std::vector<std::string> warnings;
  EngineOptions options = own_plugins();
  options.warn = [&](std::string_view line) { warnings.emplace_back(line); };
  const Engine named(options);
  EXPECT_TRUE(warnings.empty());  // the caller sees to folders of its own
  options.plugin_folders.clear();
  const Engine installed(options);
  unsetenv("XPOSE_PLUGIN_PATH");
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings[0],
            "installed strategies are left out: plugin folder relative depends on the current "
            "folder, which is never searched; name it by its absolute path; and 1 more, see `xpose "
            "plugins`");
}

TEST_F(EngineTest, TransposesEigenMatricesOfBothOrders) {
  const Eigen::MatrixXd columns = Eigen::MatrixXd::Random(37, 53);
  Eigen::MatrixXd out;
  engine().transpose(columns, out);
  EXPECT_EQ(out, columns.transpose());

  using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const RowMajor rows = RowMajor::Random(20, 31);
  RowMajor target = RowMajor::Zero(40, 40);
  engine().transpose(rows, target.block(3, 5, 31, 20));
  EXPECT_EQ(target.block(3, 5, 31, 20), rows.transpose());
  EXPECT_EQ(target.row(2).cwiseAbs().sum() + target.col(25).cwiseAbs().sum(), 0);

  engine().transpose(columns.block(1, 2, 30, 40), out);
  EXPECT_EQ(out, columns.block(1, 2, 30, 40).transpose());
  EXPECT_THROW(engine().transpose(rows, target.block(0, 0, 31, 21)), Error);
}

TEST_F(EngineTest, TransposesEigenVectorsOfEitherOrder) {
  const Eigen::VectorXf column = Eigen::VectorXf::Random(37);
  Eigen::RowVectorXf row;
  engine().transpose(column, row);
  EXPECT_EQ(row, column.transpose());
  Eigen::VectorXf back;
  engine().transpose(row, back);
  EXPECT_EQ(back, column);
  Eigen::MatrixXf columns;  // of the other order
  engine().transpose(row, columns);
  EXPECT_EQ(columns, column);
  engine().transpose(columns, row.setZero());
  EXPECT_EQ(row, column.transpose());
  Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows =
      decltype(rows)::Zero(2, 40);
  engine().transpose(column, rows.block(1, 3, 1, 37));
  EXPECT_EQ(rows.block(1, 3, 1, 37), column.transpose());
  EXPECT_EQ(rows.row(0).cwiseAbs().sum(), 0);
  EXPECT_THROW(engine().transpose(column, back), Error);  // a column is no transpose of one
}

TEST_F(EngineTest, TransposesAnEigenMatrixIntoItself) {
  const Eigen::MatrixXd before = Eigen::MatrixXd::Random(37, 37);
  Eigen::MatrixXd matrix = before;
  engine().transpose(matrix, matrix);
  EXPECT_EQ(matrix, before.transpose());
  auto block = matrix.block(2, 3, 20, 20);
  engine().transpose(block, block);
  EXPECT_EQ(matrix.block(2, 3, 20, 20), before.transpose().block(2, 3, 20, 20).transpose());
  EXPECT_EQ(matrix.col(23), before.transpose().col(23));

  Eigen::MatrixXd wide = Eigen::MatrixXd::Random(3, 5);
  EXPECT_THROW(engine().transpose(wide, wide), Error);
  EXPECT_EQ(wide.rows(), 3);  // not resized, which would lose its elements
}

}  // namespace
}  // namespace xpose
