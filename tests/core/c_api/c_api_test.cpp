// The C API from several threads, and exceptions that must not leave it.
#include <gtest/gtest.h>
#include <xpose/plugin.h>
#include <xpose/xpose.h>

#include <array>
#include <atomic>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
#include <xpose/xpose.hpp>

#include "moves.h"

namespace xpose {
namespace {

constexpr std::int64_t kRows = 61;
constexpr std::int64_t kCols = 47;
constexpr std::array<std::int64_t, 2> kExtents = {kRows, kCols};
constexpr std::array<std::int64_t, 2> kInStrides = {kCols, 1};
constexpr std::array<std::int64_t, 2> kOutStrides = {kRows, 1};
constexpr std::array<std::int32_t, 2> kSwapped = {1, 0};
constexpr std::size_t kBytes = kRows * kCols * 4;

struct EndEngine {
  void operator()(xpose_engine_t* engine) const { xpose_engine_destroy(engine); }
};
struct EndPlan {
  void operator()(xpose_plan_t* plan) const { xpose_plan_destroy(plan); }
};
using EngineHandle = std::unique_ptr<xpose_engine_t, EndEngine>;
using PlanHandle = std::unique_ptr<xpose_plan_t, EndPlan>;

EngineHandle made_engine(xpose_engine_options_t options = {}) {
  const char* const folder = XPOSE_PLUGINS;
  options.size = sizeof options;
  options.threads = 1;
  options.plugin_folders = &folder;
  options.plugin_folder_count = 1;
  options.worker = XPOSE_TRIAL_PROGRAM;
  options.forget = options.cache == nullptr ? 1 : 0;
  xpose_engine_t* engine = nullptr;
  EXPECT_EQ(xpose_engine_create(&options, &engine), XPOSE_STATUS_OK) << xpose_last_error();
  return EngineHandle(engine);
}

xpose_tensor_t tensor() {
  xpose_tensor_t tensor{};
  tensor.size = sizeof tensor;
  tensor.element_bits = 32;
  tensor.extents = kExtents.data();
  tensor.rank = 2;
  return tensor;
}

class CApi : public testing::Test {
 protected:
  static xpose_engine_t* engine() {
    static const EngineHandle shared = made_engine();
    return shared.get();
  }
};

// Two bytes in, and two less than a vector out: transposed by `plan`.
bool transposes(const xpose_plan_t* plan, std::size_t in_shift, std::size_t out_shift) {
  std::vector<unsigned char> in(kBytes + 64), out(kBytes + 64);
  fill(in.data(), in.size());
  return xpose_execute(plan, in.data() + in_shift, out.data() + out_shift, nullptr) ==
             XPOSE_STATUS_OK &&
         is_moved(in.data() + in_shift, kInStrides.data(), out.data() + out_shift,
                  kOutStrides.data(), 2, kExtents.data(), kSwapped.data(), 4) == 1;
}

// All of them meet alignments that the plan was not prepared for, at once.
TEST_F(CApi, ThreadsShareAPlanWhoseAlignmentsNobodyPreparedFor) {
  xpose_tensor_t aligned = tensor();
  aligned.alignment = 256;
  xpose_plan_t* made = nullptr;
  ASSERT_EQ(
      xpose_prepare(engine(), &aligned, nullptr, nullptr, XPOSE_POLICY_ESTIMATE, nullptr, &made),
      XPOSE_STATUS_OK);
  const PlanHandle plan(made);
  std::atomic<int> right = 0;
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 8; ++thread)
    threads.emplace_back([&] {
      for (const std::size_t in_shift : {0, 1, 2, 4, 8})
        for (const std::size_t out_shift : {0, 3, 8})
          right += transposes(made, in_shift, out_shift);
    });
  threads.clear();
  EXPECT_EQ(right, 8 * 5 * 3);
}

TEST_F(CApi, ThreadsShareAnEngine) {
  std::atomic<int> right = 0;
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&] {
      const xpose_tensor_t stated = tensor();
      std::vector<unsigned char> in(kBytes), out(kBytes);
      fill(in.data(), in.size());
      right += xpose_transpose(engine(), &stated, in.data(), nullptr, out.data(),
                               XPOSE_POLICY_ESTIMATE, nullptr) == XPOSE_STATUS_OK &&
               is_moved(in.data(), kInStrides.data(), out.data(), kOutStrides.data(), 2,
                        kExtents.data(), kSwapped.data(), 4) == 1;
    });
  threads.clear();
  EXPECT_EQ(right, 4);
}

TEST_F(CApi, EachThreadHasItsOwnLastError) {
  EXPECT_EQ(xpose_execute(nullptr, nullptr, nullptr, nullptr), XPOSE_STATUS_INVALID);
  EXPECT_STREQ(xpose_last_error(), "the plan is null");
  std::jthread([] {
    EXPECT_STREQ(xpose_last_error(), "");
    EXPECT_EQ(xpose_engine_create(nullptr, nullptr), XPOSE_STATUS_INVALID);
    EXPECT_STREQ(xpose_last_error(), "the argument engine is null");
  }).join();
  EXPECT_STREQ(xpose_last_error(), "the plan is null");
  const xpose_tensor_t stated = tensor();
  xpose_plan_t* plan = nullptr;
  EXPECT_EQ(
      xpose_prepare(engine(), &stated, nullptr, nullptr, XPOSE_POLICY_ESTIMATE, nullptr, &plan),
      XPOSE_STATUS_OK);
  EXPECT_STREQ(xpose_last_error(), "the plan is null") << "a call that succeeds leaves it";
  xpose_plan_destroy(plan);
}

// A tune in whose middle something is thrown.
template <class Thrown>
xpose_status_t thrown_in_a_tune(xpose_engine_t* engine, Thrown thrown) {
  xpose_tune_options_t options{};
  options.size = sizeof options;
  options.whole = 1;  // else want of memory means a smaller problem
  options.context = &thrown;
  options.progress = [](void* context, const char*, std::uint64_t, std::uint64_t) {
    throw *static_cast<Thrown*>(context);
  };
  const xpose_tensor_t stated = tensor();
  char* json = nullptr;
  const xpose_status_t status = xpose_tune(engine, &stated, nullptr, nullptr, &options, &json);
  EXPECT_EQ(json, nullptr);
  return status;
}

TEST_F(CApi, EveryExceptionBecomesAStatusAndAText) {
  const std::vector<std::pair<ErrorKind, xpose_status_t>> kinds = {
      {ErrorKind::invalid, XPOSE_STATUS_INVALID},
      {ErrorKind::no_strategy, XPOSE_STATUS_NO_STRATEGY},
      {ErrorKind::device, XPOSE_STATUS_DEVICE},
      {ErrorKind::no_memory, XPOSE_STATUS_NO_MEMORY},
      {ErrorKind::wrong, XPOSE_STATUS_WRONG},
      {ErrorKind::failed, XPOSE_STATUS_FAILED}};
  for (const auto& [kind, status] : kinds) {
    EXPECT_EQ(thrown_in_a_tune(engine(), Error(kind, "words")), status);
    EXPECT_STREQ(xpose_last_error(), "words");
  }
  EXPECT_EQ(thrown_in_a_tune(engine(), std::bad_alloc()), XPOSE_STATUS_NO_MEMORY);
  EXPECT_NE(std::string(xpose_last_error()).find("memory"), std::string::npos);
  EXPECT_EQ(thrown_in_a_tune(engine(), std::logic_error("of logic")), XPOSE_STATUS_FAILED);
  EXPECT_STREQ(xpose_last_error(), "of logic");
  EXPECT_EQ(thrown_in_a_tune(engine(), 7), XPOSE_STATUS_FAILED);
  EXPECT_NE(std::string(xpose_last_error()).find("unknown"), std::string::npos);
}

// Of 10000 bytes, in characters of two.
TEST_F(CApi, ALongTextIsCutBetweenCharacters) {
  std::string words = "x";
  for (int i = 0; i < 5000; ++i) words += "\u00e4";
  EXPECT_EQ(thrown_in_a_tune(engine(), std::runtime_error(words)), XPOSE_STATUS_FAILED);
  const std::string kept = xpose_last_error();
  EXPECT_EQ(kept, words.substr(0, kept.size()));
  EXPECT_EQ(kept.size(), 4095U);  // 1 + 2 * 2047
  words.insert(0, "y");
  EXPECT_EQ(thrown_in_a_tune(engine(), std::runtime_error(words)), XPOSE_STATUS_FAILED);
  EXPECT_EQ(std::string(xpose_last_error()).size(), 4094U);
}

// A cache that lies in a file where a folder should be.
TEST(CApiEngine, WarnsInOneLine) {
  std::vector<std::string> heard;
  xpose_engine_options_t options{};
  options.cache = "/proc/version/trials.sqlite";
  options.context = &heard;
  options.warn = [](void* context, const char* text) {
    static_cast<std::vector<std::string>*>(context)->emplace_back(text);
  };
  const EngineHandle engine = made_engine(options);
  const xpose_tensor_t stated = tensor();
  xpose_plan_t* plan = nullptr;
  EXPECT_EQ(
      xpose_prepare(engine.get(), &stated, nullptr, nullptr, XPOSE_POLICY_ESTIMATE, nullptr, &plan),
      XPOSE_STATUS_OK);
  xpose_plan_destroy(plan);
  ASSERT_FALSE(heard.empty());
  EXPECT_NE(heard[0].find("/proc/version"), std::string::npos) << heard[0];
}

TEST(CApiEngine, AMissingWorkerFails) {
  const char* const folder = XPOSE_PLUGINS;
  xpose_engine_options_t options{};
  options.size = sizeof options;
  options.plugin_folders = &folder;
  options.plugin_folder_count = 1;
  options.worker = "/proc/no/such/worker";
  options.forget = 1;
  xpose_engine_t* made = nullptr;
  ASSERT_EQ(xpose_engine_create(&options, &made), XPOSE_STATUS_OK);
  const EngineHandle engine(made);
  const xpose_tensor_t stated = tensor();
  char* json = nullptr;
  EXPECT_EQ(xpose_tune(made, &stated, nullptr, nullptr, nullptr, &json), XPOSE_STATUS_FAILED);
  EXPECT_NE(std::string(xpose_last_error()).find("/proc/no/such/worker"), std::string::npos)
      << xpose_last_error();
}

// The versions of both headers are one release's.
TEST(CApiVersion, IsThatOfTheLibrary) {
  EXPECT_STREQ(xpose_version(), XPOSE_VERSION);
  EXPECT_STREQ(xpose_version(), version());
}

}  // namespace
}  // namespace xpose
