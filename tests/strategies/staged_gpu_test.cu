// The strategy `staged` on a device: matrices larger than its slots, in pinned and pageable memory.
#include <cuda_runtime.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <xpose/conformance.hpp>
#include <xpose/xpose.hpp>

namespace xpose {
namespace {

constexpr std::size_t kMiB = 1 << 20;

// Bytes of the host: pageable, pinned from the start, or pinned later. They begin `offset` bytes
// behind an aligned address.
enum class Memory { pageable, pinned, registered };

class Bytes {
 public:
  Bytes(Memory memory, std::size_t bytes, std::size_t offset = 0)
      : memory_(memory), offset_(offset) {
    if (memory == Memory::pinned) {
      EXPECT_EQ(cudaMallocHost(&begin_, bytes + offset), cudaSuccess);
    } else {
      begin_ = std::aligned_alloc(4096, (bytes + offset + 4095) / 4096 * 4096);
      if (memory == Memory::registered)
        EXPECT_EQ(cudaHostRegister(begin_, bytes + offset, cudaHostRegisterDefault), cudaSuccess);
    }
  }
  ~Bytes() {
    if (memory_ == Memory::registered) cudaHostUnregister(begin_);
    if (memory_ == Memory::pinned)
      cudaFreeHost(begin_);
    else
      std::free(begin_);
  }
  Bytes(const Bytes&) = delete;  // owns memory
  unsigned char* get() const { return static_cast<unsigned char*>(begin_) + offset_; }

 private:
  Memory memory_;
  std::size_t offset_;
  void* begin_ = nullptr;
};

// The byte of an element, by its number in the input.
unsigned char value(std::uint64_t element, std::uint64_t byte) {
  return static_cast<unsigned char>((element * 0x9e3779b97f4a7c15U + byte * 0x5851f42dU) >> 56);
}

struct Matrices {
  Matrices(const Problem& of, Memory from, Memory to, std::size_t offset = 0)
      : problem(of), in(from, bytes(), offset), out(to, bytes(), offset) {
    for (std::uint64_t element = 0; element < elements(); ++element)
      for (std::uint64_t byte = 0; byte < of.element_bytes; ++byte)
        in.get()[element * of.element_bytes + byte] = value(element, byte);
    std::memset(out.get(), 0xa5, bytes());
  }
  std::uint64_t elements() const {
    std::int64_t matrices = 1;
    for (const BatchDim& dim : problem.batch) matrices *= dim.extent;
    return static_cast<std::uint64_t>(matrices * problem.rows * problem.cols);
  }
  std::size_t bytes() const { return elements() * problem.element_bytes; }
  // The elements that are wrong.
  std::uint64_t wrong() const {
    const auto rows = static_cast<std::uint64_t>(problem.rows);
    const auto cols = static_cast<std::uint64_t>(problem.cols);
    std::uint64_t count = 0;
    for (std::uint64_t i = 0; i < elements(); ++i) {
      const std::uint64_t matrix = i / (rows * cols), at = i % (rows * cols);
      const std::uint64_t from = matrix * rows * cols + at % rows * cols + at / rows;
      for (std::uint64_t byte = 0; byte < problem.element_bytes; ++byte)
        if (out.get()[i * problem.element_bytes + byte] != value(from, byte)) {
          ++count;
          break;
        }
    }
    return count;
  }

  Problem problem;
  Bytes in, out;
};

class StagedGpu : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = cuda_unavailable_reason(); !reason.empty())
      GTEST_SKIP() << "SKIPPED: " << reason;
  }
  // The default slot serves every problem, another one those that it makes other tiles of.
  static Plan plan(const Problem& problem, int slot = 896) {
    static Engine engine(
        {.plugin_folders = {XPOSE_PLUGINS}, .threads = 4, .in_process = true, .remember = false});
    PlanOptions options;
    options.policy = Policy::estimate;
    options.tune.variants = {{"staged", {{"slot", slot}}}};
    return engine.plan(problem, options);
  }
};

TEST_F(StagedGpu, MatricesLargerThanAllSlotsFromAndToAnyMemory) {
  for (const Memory from : {Memory::pageable, Memory::pinned, Memory::registered})
    for (const Memory to : {Memory::pageable, Memory::pinned}) {
      Matrices moved(matrix(20'011, 5003, 4), from, to);  // 400 MB
      plan(moved.problem, from == Memory::pinned ? 896 : 16)
          .execute(moved.in.get(), moved.out.get());
      EXPECT_EQ(moved.wrong(), 0U) << static_cast<int>(from) << " to " << static_cast<int>(to);
    }
}

TEST_F(StagedGpu, EverySizeAtOddAddresses) {
  for (const std::uint32_t bytes : {1U, 2U, 4U, 8U, 16U})
    for (const Memory memory : {Memory::pageable, Memory::pinned}) {
      Problem odd = matrix(4099, 16'001 / bytes, bytes);
      odd.in_alignment = odd.out_alignment = 1;
      Matrices moved(odd, memory, memory, 1);
      plan(odd).execute(moved.in.get(), moved.out.get());
      EXPECT_EQ(moved.wrong(), 0U) << bytes << " bytes";
      Problem batch = matrix(37, 61, bytes);
      batch.batch = {{9001, std::int64_t{37} * 61, std::int64_t{37} * 61}};
      Matrices small(batch, memory, memory);
      plan(batch).execute(small.in.get(), small.out.get());
      EXPECT_EQ(small.wrong(), 0U) << bytes << " bytes, a batch";
    }
}

TEST_F(StagedGpu, TwoThreadsShareAPlan) {
  Matrices pageable(matrix(3001, 5003, 4), Memory::pageable, Memory::pageable);
  Matrices pinned(matrix(3001, 5003, 4), Memory::pinned, Memory::pinned);
  const Plan shared = plan(pageable.problem);
  const auto launch = [&](const Matrices& moved) {
    for (int i = 0; i < 5; ++i) shared.execute(moved.in.get(), moved.out.get());
  };
  std::thread other(launch, std::cref(pinned));
  launch(pageable);
  other.join();
  EXPECT_EQ(pageable.wrong(), 0U);
  EXPECT_EQ(pinned.wrong(), 0U);
}

TEST_F(StagedGpu, SlotsAreAllThatAPlanTakesOfTheDevice) {
  std::size_t before = 0, after = 0, all = 0;
  plan(matrix(64, 64, 4));  // the context is there
  ASSERT_EQ(cudaMemGetInfo(&before, &all), cudaSuccess);
  const Plan large = plan(matrix(12'001, 12'000, 4), 16);
  ASSERT_EQ(cudaMemGetInfo(&after, &all), cudaSuccess);
  EXPECT_GE(before - after, 32 * kMiB);
  EXPECT_LE(before - after, 80 * kMiB);
}

// The child's failure is the process's own: the parent's plan works on.
TEST_F(StagedGpu, AChildOfForkIsToldWhatToDo) {
  Matrices moved(matrix(1001, 1003, 4), Memory::pageable, Memory::pageable);
  const Plan made = plan(moved.problem);
  const pid_t child = fork();
  if (child == 0) {
    try {
      made.execute(moved.in.get(), moved.out.get());
    } catch (const Error& error) {
      const bool says = std::string(error.what()).find("child of fork()") != std::string::npos;
      _exit(error.kind() == ErrorKind::device && says ? 0 : 2);
    }
    _exit(1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  made.execute(moved.in.get(), moved.out.get());
  EXPECT_EQ(moved.wrong(), 0U);
}

TEST_F(StagedGpu, ADeviceWithoutMemoryIsNoMemory) {
  plan(matrix(64, 64, 4));
  std::size_t free_bytes = 0, all = 0;
  ASSERT_EQ(cudaMemGetInfo(&free_bytes, &all), cudaSuccess);
  void* hoard = nullptr;
  ASSERT_EQ(cudaMalloc(&hoard, free_bytes - 32 * kMiB), cudaSuccess);
  try {
    plan(matrix(30'011, 30'011, 1), 16);
    ADD_FAILURE() << "64 MiB were found where 32 are left";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::no_memory) << error.what();
  }
  cudaFree(hoard);
}

TEST_F(StagedGpu, IsConformant) {
  for (const std::uint32_t bytes : {1U, 2U, 4U, 8U, 16U}) {
    std::size_t right = 0;
    ConformanceOptions options;
    options.engine.in_process = true;
    options.engine.threads = 4;
    check_conformance(
        XPOSE_PLUGINS "/cuda_staged.so", {"staged", {}}, bytes,
        [&](const ConformanceCase& one) {
          right += one.verdict == Verdict::ok;
          EXPECT_TRUE(one.verdict == Verdict::ok || one.verdict == Verdict::unsupported)
              << to_string(one.problem) << ": " << one.detail;
        },
        options);
    EXPECT_GT(right, 20U);
  }
}

}  // namespace
}  // namespace xpose
