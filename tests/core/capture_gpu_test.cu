// Launches in CUDA graphs: recorded, replayed on other data, updated to other buffers and to
// another plan; and what execute() adds to a launch, printed.
#include <cuda_runtime.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <functional>
#include <optional>
#include <variant>
#include <vector>

#include "device/device.hpp"
#include "plugin/plugin_file.hpp"
#include "plugin/plugin_library.hpp"
#include "problem/normal_form.hpp"
#include "strategy/candidates.hpp"
#include "xpose/xpose.hpp"

namespace xpose {
namespace {

constexpr Device device{DeviceKind::cuda, 0};

EngineOptions in_memory() {
  EngineOptions options;
  options.plugin_folders = {XPOSE_PLUGINS};
  options.worker = XPOSE_TRIAL_PROGRAM;
  options.remember = false;
  return options;
}

PlanOptions only(const std::string& strategy) {
  PlanOptions options;
  options.policy = Policy::estimate;
  options.tune.strategies = {strategy};
  return options;
}

// Input and output of one matrix of 4-byte elements.
struct Buffers {
  Buffers(std::int64_t rows, std::int64_t cols)
      : rows(rows),
        cols(cols),
        in(device, static_cast<std::uint64_t>(rows * cols) * 4),
        out(device, static_cast<std::uint64_t>(rows * cols) * 4) {}

  void fill(std::uint32_t seed) {
    values.resize(static_cast<std::size_t>(rows * cols));
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = seed + static_cast<std::uint32_t>(i);
    in.upload(values.data(), in.bytes());
    const std::vector<std::uint32_t> blank(values.size(), 0);
    out.upload(blank.data(), out.bytes());
  }
  bool is_transposed() const {
    std::vector<std::uint32_t> found(values.size());
    out.download(found.data(), out.bytes());
    for (std::int64_t r = 0; r < rows; ++r)
      for (std::int64_t c = 0; c < cols; ++c)
        if (found[static_cast<std::size_t>(c * rows + r)] !=
            values[static_cast<std::size_t>(r * cols + c)])
          return false;
    return true;
  }

  std::int64_t rows;
  std::int64_t cols;
  DeviceMemory in;
  DeviceMemory out;
  std::vector<std::uint32_t> values;
};

class Graph {
 public:
  Graph(cudaStream_t stream, const std::function<void()>& body) {
    // The strictest mode: what could disturb the recording fails it.
    EXPECT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
    body();
    EXPECT_EQ(cudaStreamEndCapture(stream, &graph_), cudaSuccess);
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph() { cudaGraphDestroy(graph_); }
  cudaGraph_t get() const { return graph_; }
  std::size_t nodes() const {
    std::size_t count = 0;
    EXPECT_EQ(cudaGraphGetNodes(graph_, nullptr, &count), cudaSuccess);
    return count;
  }

 private:
  cudaGraph_t graph_ = nullptr;
};

class CaptureTest : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = cuda_unavailable_reason(); !reason.empty())
      GTEST_SKIP() << "SKIPPED: " << reason;
    backend(device).make_current();
    ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  }
  void TearDown() override {
    if (stream != nullptr) cudaStreamDestroy(stream);
  }
  void replay(cudaGraphExec_t graph) {
    ASSERT_EQ(cudaGraphLaunch(graph, stream), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  }
  cudaStream_t stream = nullptr;
};

TEST_F(CaptureTest, EveryCapturableStrategyIsRecordedReplayedAndUpdated) {
  Engine engine(in_memory());
  int tried = 0;
  for (const PluginInfo& plugin : engine.plugins())
    for (const StrategyInfo& strategy : plugin.strategies) {
      if (strategy.device_kind != DeviceKind::cuda || !strategy.capturable ||
          strategy.role == Role::copy || strategy.role == Role::experiment)
        continue;
      SCOPED_TRACE(strategy.name);
      Buffers first(320, 192);
      std::optional<Plan> plan;
      try {
        plan = engine.plan(matrix(first.rows, first.cols, 4, device), only(strategy.name));
      } catch (const Error& error) {  // it declines this shape
        ASSERT_EQ(error.kind(), ErrorKind::no_strategy) << error.what();
        continue;
      }
      ++tried;
      // Recorded before its kernel was ever launched here.
      const Graph graph(stream, [&] { plan->execute(first.in.data(), first.out.data(), stream); });
      EXPECT_GE(graph.nodes(), 1U);
      cudaGraphExec_t executable = nullptr;
      ASSERT_EQ(cudaGraphInstantiate(&executable, graph.get(), 0), cudaSuccess);
      for (const std::uint32_t seed : {1U, 1000U}) {
        first.fill(seed);
        EXPECT_FALSE(first.is_transposed());
        replay(executable);
        EXPECT_TRUE(first.is_transposed());
      }

      // The same plan on other buffers.
      Buffers other(first.rows, first.cols);
      other.fill(5);
      const Graph moved(stream, [&] { plan->execute(other.in.data(), other.out.data(), stream); });
      cudaGraphExecUpdateResultInfo result{};
      ASSERT_EQ(cudaGraphExecUpdate(executable, moved.get(), &result), cudaSuccess);
      first.fill(77);
      replay(executable);
      EXPECT_TRUE(other.is_transposed());
      EXPECT_FALSE(first.is_transposed());

      // Another plan of the strategy: another shape.
      Buffers wide(64, 512);
      wide.fill(9);
      std::optional<Plan> reshaped;
      try {
        reshaped = engine.plan(matrix(wide.rows, wide.cols, 4, device), only(strategy.name));
      } catch (const Error& error) {
        ASSERT_EQ(error.kind(), ErrorKind::no_strategy) << error.what();
      }
      if (reshaped) {
        const Graph changed(stream,
                            [&] { reshaped->execute(wide.in.data(), wide.out.data(), stream); });
        if (changed.nodes() == graph.nodes()) {
          ASSERT_EQ(cudaGraphExecUpdate(executable, changed.get(), &result), cudaSuccess);
          replay(executable);
          EXPECT_TRUE(wide.is_transposed());
        }
      }
      cudaGraphExecDestroy(executable);
    }
  EXPECT_GE(tried, 2);
}

// From one strategy's kernel to another's.
TEST_F(CaptureTest, AGraphIsUpdatedToAnotherStrategy) {
  Engine engine(in_memory());
  Buffers buffers(192, 320);
  const Problem problem = matrix(buffers.rows, buffers.cols, 4, device);
  const Plan by_row = engine.plan(problem, only("naive_row"));
  const Plan by_col = engine.plan(problem, only("naive_col"));
  const auto record = [&](const Plan& plan) {
    return [&] { plan.execute(buffers.in.data(), buffers.out.data(), stream); };
  };
  const Graph first(stream, record(by_row));
  const Graph second(stream, record(by_col));
  cudaGraphExec_t executable = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&executable, first.get(), 0), cudaSuccess);
  buffers.fill(3);
  replay(executable);
  EXPECT_TRUE(buffers.is_transposed());
  cudaGraphExecUpdateResultInfo result{};
  ASSERT_EQ(cudaGraphExecUpdate(executable, second.get(), &result), cudaSuccess);
  buffers.fill(4);
  EXPECT_FALSE(buffers.is_transposed());
  replay(executable);
  EXPECT_TRUE(buffers.is_transposed());
  cudaGraphExecDestroy(executable);
}

// As a plan does for its workspace at its first launch on a stream.
TEST_F(CaptureTest, MemoryMayBeAllocatedWhileAStreamRecords) {
  std::optional<DeviceMemory> memory;
  const Graph graph(stream, [&] { memory.emplace(device, 1 << 20); });
  EXPECT_EQ(graph.nodes(), 0U);
  EXPECT_NE(memory->data(), nullptr);
}

TEST_F(CaptureTest, ANewProblemIsNotMeasuredWhileAStreamRecords) {
  Engine engine(in_memory());
  Buffers buffers(96, 224);
  buffers.fill(11);
  const Problem problem = matrix(buffers.rows, buffers.cols, 4, device);
  const Graph graph(
      stream, [&] { engine.transpose(buffers.in.data(), buffers.out.data(), problem, stream); });
  PlanOptions known;
  known.policy = Policy::cached_only;
  EXPECT_THROW(engine.plan(aligned_as(problem, buffers.in.data(), buffers.out.data()), known),
               Error);
  EXPECT_FALSE(buffers.is_transposed());  // recorded, not run
  cudaGraphExec_t executable = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&executable, graph.get(), 0), cudaSuccess);
  replay(executable);
  EXPECT_TRUE(buffers.is_transposed());
  cudaGraphExecDestroy(executable);
}

// ---------------------------------------------------------------------------------------- overhead

__global__ void move_one(const std::uint32_t* in, std::uint32_t* out, std::int64_t, std::int64_t) {
  *out = *in;
}

// Nanoseconds that the host spends on one call that enqueues, the median of 21 samples of 200.
double nanoseconds(const std::function<void()>& call) {
  std::array<double, 21> samples{};
  for (int warm_up = 0; warm_up < 200; ++warm_up) call();
  for (double& sample : samples) {
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < 200; ++i) call();
    sample =
        std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count() /
        200;
  }
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  std::nth_element(samples.begin(), samples.begin() + 10, samples.end());
  return samples[10];
}

// CUDA does not work in a child of a process that used it: execute says so, and hangs nowhere.
TEST_F(CaptureTest, AChildOfForkThrowsAtOnce) {
  Engine engine(in_memory());
  const Plan plan = engine.plan(matrix(200, 300, 4, device), {.policy = Policy::estimate});
  Buffers buffers(200, 300);
  buffers.fill(1);
  plan.execute(buffers.in.data(), buffers.out.data());
  EXPECT_TRUE(buffers.is_transposed());
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    try {
      plan.execute(buffers.in.data(), buffers.out.data());
    } catch (const Error& error) {
      _exit(error.kind() == ErrorKind::device ? 0 : 2);
    }
    _exit(1);
  }
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  buffers.fill(2);
  plan.execute(buffers.in.data(), buffers.out.data());
  EXPECT_TRUE(buffers.is_transposed());
}

TEST_F(CaptureTest, PrintsWhatExecuteAddsToALaunch) {
  Buffers one(1, 1);
  one.fill(7);
  const auto* in = static_cast<const std::uint32_t*>(one.in.data());
  auto* out = static_cast<std::uint32_t*>(one.out.data());
  const double raw = nanoseconds([&] { move_one<<<1, 1, 0, stream>>>(in, out, 1, 1); });

  PluginFile file = PluginFile::open(XPOSE_PLUGINS "/cuda_naive.so");
  const std::string digest = file.digest();
  const auto& strategies = load_plugin(std::move(file), digest).strategies;
  const auto naive = std::ranges::find_if(
      strategies, [](const Strategy& strategy) { return strategy.info.name == "naive_row"; });
  ASSERT_NE(naive, strategies.end());
  const xpose_problem abi = to_abi(normal_form(matrix(1, 1, 4, device)), 0, backend(device).info());
  const Values values = configs(naive->info).front();
  xpose_plan* plan = nullptr;
  char text[512];
  ASSERT_EQ(naive->functions->create(&abi, values.data(), &plan, {text, sizeof text}), XPOSE_OK);
  const double direct = nanoseconds([&] {
    const xpose_launch launch{sizeof(xpose_launch), 0, in, out, nullptr, stream, nullptr};
    naive->functions->launch(plan, &launch, {text, sizeof text});
  });
  naive->functions->destroy(plan);

  Engine engine(in_memory());
  const Plan made = engine.plan(matrix(1, 1, 4, device), only("naive_row"));
  one.fill(8);
  const double executed = nanoseconds([&] { made.execute(in, out, stream); });
  EXPECT_TRUE(one.is_transposed());
  const double planned =
      nanoseconds([&] { engine.plan(matrix(1, 1, 4, device), only("naive_row")); });
  PlanOptions measured;
  measured.tune.budget_seconds = 60;  // other processes that measure are waited for
  measured.tune.max_rounds = 1;
  engine.plan(matrix(64, 96, 4, device), measured);
  const double known = nanoseconds([&] { engine.plan(matrix(64, 96, 4, device), measured); });
  std::printf(
      "a kernel by <<<>>> %.0f ns, by the strategy %.0f ns, by execute() %.0f ns: %.0f ns more; "
      "plan() of a known problem %.2f us, estimated anew %.2f us\n",
      raw, direct, executed, executed - raw, known / 1000, planned / 1000);
}

}  // namespace
}  // namespace xpose
