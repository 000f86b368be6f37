// Launches in CUDA graphs: recorded, replayed on other data, updated to other buffers and to
// another plan.
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <optional>
#include <variant>
#include <vector>

#include "gpu_fixture.hpp"

namespace xpose {
namespace {

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

class CaptureTest : public StreamTest {
 protected:
  void replay(cudaGraphExec_t graph) {
    ASSERT_EQ(cudaGraphLaunch(graph, stream), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  }
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
        plan = engine.plan(matrix(first.rows, first.cols, 4, kDevice), only(strategy.name));
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
        reshaped = engine.plan(matrix(wide.rows, wide.cols, 4, kDevice), only(strategy.name));
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
  const Problem problem = matrix(buffers.rows, buffers.cols, 4, kDevice);
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
  const Graph graph(stream, [&] { memory.emplace(kDevice, 1 << 20); });
  EXPECT_EQ(graph.nodes(), 0U);
  EXPECT_NE(memory->data(), nullptr);
}

TEST_F(CaptureTest, ANewProblemIsNotMeasuredWhileAStreamRecords) {
  Engine engine(in_memory());
  Buffers buffers(96, 224);
  buffers.fill(11);
  const Problem problem = matrix(buffers.rows, buffers.cols, 4, kDevice);
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

// CUDA does not work in a child of a process that used it: execute says so, and hangs nowhere.
TEST_F(CaptureTest, AChildOfForkThrowsAtOnce) {
  Engine engine(in_memory());
  const Plan plan = engine.plan(matrix(200, 300, 4, kDevice), {.policy = Policy::estimate});
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

}  // namespace
}  // namespace xpose
