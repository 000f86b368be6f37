// Every CUDA strategy x element size x config x problem, run by the model through the plugin ABI
// and compared byte for byte with a plain loop; what is not an output element must stay as it was.
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <memory>
#include <new>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>
#include <xpose/plugin.hpp>

#include "traced.hpp"

namespace {

constexpr std::size_t kGuard = 256;  // bytes before and behind the output
constexpr unsigned char kPoison = 0x5A;

// Sizes and padding in elements; skew is what the base addresses are off by, in bytes.
struct Case {
  int64_t rows, cols;
  int64_t in_pad = 0, out_pad = 0;
  int64_t batch = 1;
  uint32_t skew = 0;

  friend std::ostream& operator<<(std::ostream& out, const Case& c) {
    return out << c.rows << "x" << c.cols << " pads " << c.in_pad << "," << c.out_pad << " batch "
               << c.batch << " skew " << c.skew;
  }
};

// A 256-byte aligned allocation of exactly so many bytes.
class Bytes {
 public:
  explicit Bytes(std::size_t size)
      : size_(size), data_(static_cast<unsigned char*>(::operator new(size, kAlignment))) {
    std::memset(data_.get(), kPoison, size);
  }
  unsigned char* data() { return data_.get(); }
  std::size_t size() const { return size_; }
  friend bool operator==(const Bytes& a, const Bytes& b) {
    return a.size_ == b.size_ && std::memcmp(a.data_.get(), b.data_.get(), a.size_) == 0;
  }

 private:
  static constexpr std::align_val_t kAlignment{256};
  struct Free {
    void operator()(unsigned char* data) const { ::operator delete(data, kAlignment); }
  };
  std::size_t size_;
  std::unique_ptr<unsigned char, Free> data_;
};

xpose_problem problem_of(const Case& c, uint32_t element_bytes, int32_t role) {
  xpose_problem problem{};
  problem.size = sizeof problem;
  problem.element_bytes = element_bytes;
  problem.rows = c.rows;
  problem.cols = c.cols;
  problem.in_ld = c.cols + c.in_pad;
  problem.out_ld = (role == XPOSE_COPY ? c.cols : c.rows) + c.out_pad;
  if (c.batch > 1) {
    problem.batch_rank = 1;
    problem.batch[0] = {c.batch, c.rows * problem.in_ld + 3, c.cols * problem.out_ld + 5};
  }
  const auto lowest_bit = [](uint64_t bits) { return static_cast<uint32_t>(bits & -bits); };
  problem.in_alignment =
      lowest_bit(256u | c.skew | static_cast<uint64_t>(problem.in_ld * element_bytes));
  problem.out_alignment =
      lowest_bit(256u | c.skew | static_cast<uint64_t>(problem.out_ld * element_bytes));
  problem.device_kind = XPOSE_CUDA;
  problem.compute_capability = 90;
  return problem;
}

// Input and output of a case, and the output that is right.
struct Buffers {
  Buffers(const Case& c, const xpose_problem& p, int32_t role)
      : in_at(c.skew),
        out_at(kGuard + c.skew),
        in(c.skew + span(p, p.rows, p.cols, p.in_ld, p.batch[0].in_stride)),
        out(out_at + kGuard +
            (role == XPOSE_COPY ? span(p, p.rows, p.cols, p.out_ld, p.batch[0].out_stride)
                                : span(p, p.cols, p.rows, p.out_ld, p.batch[0].out_stride))),
        expected(out.size()) {
    uint32_t state = 1;
    for (std::size_t i = in_at; i < in.size(); ++i)
      in.data()[i] = static_cast<unsigned char>((state = state * 1664525u + 1013904223u) >> 24);
    for (int64_t b = 0; b < c.batch; ++b)
      for (int64_t row = 0; row < p.rows; ++row)
        for (int64_t col = 0; col < p.cols; ++col) {
          const int64_t from = b * p.batch[0].in_stride + row * p.in_ld + col;
          const int64_t to = b * p.batch[0].out_stride +
                             (role == XPOSE_COPY ? row * p.out_ld + col : col * p.out_ld + row);
          std::memcpy(expected.data() + out_at + to * p.element_bytes,
                      in.data() + in_at + from * p.element_bytes, p.element_bytes);
        }
  }

  static std::size_t span(const xpose_problem& p, int64_t rows, int64_t cols, int64_t ld,
                          int64_t stride) {
    const int64_t matrices = p.batch_rank == 0 ? 1 : p.batch[0].extent;
    return static_cast<std::size_t>(((matrices - 1) * stride + (rows - 1) * ld + cols) *
                                    p.element_bytes);
  }

  std::size_t in_at, out_at;
  Bytes in, out, expected;
};

std::vector<std::vector<int64_t>> configs_of(const xpose_card& card) {
  std::vector<std::vector<int64_t>> configs = {{}};
  for (uint32_t a = 0; a < card.axis_count; ++a) {
    std::vector<std::vector<int64_t>> longer;
    for (const std::vector<int64_t>& config : configs)
      for (uint64_t v = 0; v < card.axes[a].value_count; ++v) {
        longer.push_back(config);
        longer.back().push_back(card.axes[a].values[v]);
      }
    configs = longer;
  }
  return configs;
}

std::string name_of(const xpose_card& card, const std::vector<int64_t>& config) {
  std::string name = card.name;
  for (uint32_t a = 0; a < card.axis_count; ++a)
    name += std::string(" ") + card.axes[a].name + "=" + std::to_string(config[a]);
  return name;
}

struct Answer {
  xpose_status status;
  std::string text;  // the launch description, or why not
};

Answer quote(const xpose_strategy& strategy, const xpose_problem& problem,
             const std::vector<int64_t>& config) {
  char text[256] = "";
  xpose_quote quote{};
  quote.size = sizeof quote;
  const xpose_status status = strategy.quote(&problem, config.data(), &quote, {text, sizeof text});
  return {status, status == XPOSE_OK ? quote.launch : text};
}

// Runs one case and compares. The config must be one that quote accepts.
void check(const xpose_strategy& strategy, const std::vector<int64_t>& config, const Case& c,
           uint32_t element_bytes) {
  SCOPED_TRACE(testing::Message() << name_of(*strategy.card, config) << ", " << c << ", "
                                  << element_bytes << " bytes");
  const xpose_problem problem = problem_of(c, element_bytes, strategy.card->role);
  Buffers buffers(c, problem, strategy.card->role);
  const xpose_launch launch = {sizeof(xpose_launch),
                               0,
                               buffers.in.data() + buffers.in_at,
                               buffers.out.data() + buffers.out_at,
                               nullptr,
                               nullptr};
  const std::size_t in_bytes = buffers.in.size() - buffers.in_at;
  const std::size_t out_bytes = buffers.out.size() - buffers.out_at - kGuard;
  const Traced traced =
      trace(strategy, problem, config, launch, {{launch.in, in_bytes}, {launch.out, out_bytes}});
  ASSERT_EQ(traced.status, XPOSE_OK) << traced.text;
  ASSERT_TRUE(traced.faults.empty());
  ASSERT_TRUE(buffers.out == buffers.expected);
}

const std::vector<const xpose_strategy*>& cuda_strategies() {
  static const std::vector<const xpose_strategy*> all = [] {
    std::vector<const xpose_strategy*> found;
    for (const char* name :
         {"cuda_copy", "cuda_naive", "cuda_smem", "cuda_smem_unroll2", "cuda_unroll4"}) {
      const xpose_plugin& plugin = *load_plugin(XPOSE_PLUGINS "/" + std::string(name) + ".so");
      found.insert(found.end(), plugin.strategies, plugin.strategies + plugin.strategy_count);
    }
    return found;
  }();
  return all;
}

const xpose_strategy& strategy_named(const std::string& name) {
  for (const xpose_strategy* strategy : cuda_strategies())
    if (strategy->card->name == name) return *strategy;
  throw std::out_of_range(name);
}

class ModelledStrategies : public testing::TestWithParam<std::tuple<std::string, uint32_t>> {
 protected:
  const xpose_strategy& strategy() const { return strategy_named(std::get<0>(GetParam())); }
  const xpose_card& card() const { return *strategy().card; }
  uint32_t element_bytes() const { return std::get<1>(GetParam()); }

  // Runs a case with every config that the strategy offers for it.
  void check_all_configs(const Case& c) const {
    int served = 0;
    for (const std::vector<int64_t>& config : configs_of(card())) {
      const Answer answer = quote(strategy(), problem_of(c, element_bytes(), card().role), config);
      if (answer.status == XPOSE_UNSUPPORTED) continue;
      ASSERT_EQ(answer.status, XPOSE_OK) << answer.text;
      ++served;
      ASSERT_NO_FATAL_FAILURE(check(strategy(), config, c, element_bytes()));
    }
    EXPECT_GT(served, 0);
  }

  void check_default_config(const Case& c) const {
    const std::vector<int64_t> config = configs_of(card()).front();
    const Answer answer = quote(strategy(), problem_of(c, element_bytes(), card().role), config);
    ASSERT_EQ(answer.status, XPOSE_OK) << answer.text;
    check(strategy(), config, c, element_bytes());
  }
};

TEST_P(ModelledStrategies, EveryConfigOnSmallProblems) {
  for (const Case& c : {Case{1, 1}, Case{1, 65}, Case{70, 1}, Case{31, 33}, Case{17, 5, 3, 2},
                        Case{32, 64}, Case{33, 65, 0, 7}})
    ASSERT_NO_FATAL_FAILURE(check_all_configs(c));
  if (card().max_batch_rank != 0) {
    ASSERT_NO_FATAL_FAILURE(check_all_configs({15, 19, 1, 2, 3}));
  }
}

TEST_P(ModelledStrategies, DefaultConfigOnLargerProblems) {
  for (const Case& c :
       {Case{1, 4099}, Case{4099, 1}, Case{257, 131}, Case{127, 129}, Case{128, 128},
        Case{129, 127}, Case{64, 256}, Case{63, 255, 1, 3}, Case{65, 257, 8, 16}})
    ASSERT_NO_FATAL_FAILURE(check_default_config(c));
  if (card().max_batch_rank != 0) {
    ASSERT_NO_FATAL_FAILURE(check_default_config({65, 67, 2, 1, 3}));
  }
}

class ModelledStrategiesOfAnyAlignment : public ModelledStrategies {};

TEST_P(ModelledStrategiesOfAnyAlignment, LessAlignedThanTheElement) {
  for (const uint32_t skew : {1u, 2u, 4u, 8u})
    for (const Case& c : {Case{1, 1}, Case{31, 33}, Case{65, 41, 1, 2}, Case{3, 1025}}) {
      Case skewed = c;
      skewed.skew = skew;
      ASSERT_NO_FATAL_FAILURE(check_default_config(skewed));
    }
}

// Every element size of the strategies whose card satisfies the condition.
template <class Condition>
auto cases_where(const Condition& condition) {
  std::vector<std::string> names;
  for (const xpose_strategy* strategy : cuda_strategies())
    if (condition(*strategy->card)) names.push_back(strategy->card->name);
  return testing::Combine(testing::ValuesIn(names), testing::Values(1, 2, 4, 8, 16));
}

const auto any = [](const xpose_card&) { return true; };
const auto any_alignment = [](const xpose_card& card) { return card.min_alignment == 1; };

std::string name_of_param(const testing::TestParamInfo<ModelledStrategies::ParamType>& info) {
  return std::get<0>(info.param) + "_" + std::to_string(std::get<1>(info.param));
}

INSTANTIATE_TEST_SUITE_P(Strategies, ModelledStrategies, cases_where(any), name_of_param);
INSTANTIATE_TEST_SUITE_P(Strategies, ModelledStrategiesOfAnyAlignment, cases_where(any_alignment),
                         name_of_param);

TEST(Quote, OffersTheDefaultShapeOfTheStudy) {
  const Case c = {4096, 4096};
  const std::map<std::string, std::string> expected = {
      {"naive_row", "grid 128x256 block 32x16"},
      {"naive_col", "grid 128x256 block 32x16"},
      {"unroll4_row", "grid 32x256 block 32x16"},
      {"unroll4_col", "grid 32x256 block 32x16"},
      {"smem", "grid 128x256 block 32x16 shared 2048 B"},
      {"smem_pad", "grid 128x256 block 32x16 shared 2176 B"},
      {"smem_unroll2", "grid 64x256 block 32x16 shared 4096 B"},
      {"smem_unroll2_pad", "grid 64x256 block 32x16 shared 4224 B"},
      {"copy_row", "grid 128x256 block 32x16"},
      {"copy_col", "grid 128x256 block 32x16"},
      {"copy_wide", "grid 4096 block 256"},
      {"copy_device_memcpy", "cudaMemcpyAsync"}};
  std::map<std::string, std::string> offered;
  for (const xpose_strategy* strategy : cuda_strategies()) {
    const xpose_card& card = *strategy->card;
    offered[card.name] =
        quote(*strategy, problem_of(c, 4, card.role), configs_of(card).front()).text;
  }
  EXPECT_EQ(offered, expected);
}

TEST(Quote, SaysWhyAConfigIsRefused) {
  const auto reason = [](const char* name, uint32_t bytes, const std::vector<int64_t>& config) {
    const Answer answer =
        quote(strategy_named(name), problem_of({64, 64}, bytes, XPOSE_TRANSPOSE), config);
    EXPECT_EQ(answer.status, XPOSE_UNSUPPORTED);
    return answer.text;
  };
  EXPECT_EQ(reason("naive_col", 4, {64, 32}),
            "a block of 64x32 threads is more than the 1024 a device runs");
  EXPECT_EQ(reason("smem", 4, {32, 32, 16}), "tile_y=16 is not a multiple of block_y=32");
  EXPECT_EQ(reason("smem_pad", 2, {32, 16, 16, 4}),
            "pad=4 is 4 bytes over the element size for 1-byte elements; for 2 bytes the same rule "
            "gives pad=2");
  EXPECT_EQ(reason("smem_unroll2_pad", 8, {32, 16, 16, 4}),
            "pad=4 is 4 bytes over the element size for 1-byte elements; for 8 bytes the same rule "
            "gives pad=1");
}

}  // namespace
