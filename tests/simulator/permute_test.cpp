// The strategy `permute`, run by the simulator on random permutations and compared byte for byte
// with a plain loop: axes of any number and order, odd and even extents, gaps on both sides,
// reversed and repeated inputs, elements of every size, every config.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "abi_case.hpp"

namespace {

struct Axis {
  int64_t extent, in, out;  // strides in elements
};

struct Permutation {
  uint32_t bytes;  // of an element
  std::vector<Axis> axes = {};
  uint32_t skew = 0;      // elements that both base addresses are off by
  bool in_skewed = true;  // or the output's alone
  uint32_t multiprocessors = 0;
  uint32_t compute_capability = 90;

  friend std::ostream& operator<<(std::ostream& out, const Permutation& of) {
    out << of.bytes << " bytes, skew " << of.skew << ", capability " << of.compute_capability
        << ", axes";
    for (const Axis& axis : of.axes) out << ' ' << axis.extent << ":" << axis.in << ":" << axis.out;
    return out;
  }
};

xpose_problem problem_of(const Permutation& of) {
  xpose_problem problem{};
  problem.size = sizeof problem;
  problem.element_bytes = of.bytes;
  problem.rows = problem.cols = problem.in_ld = problem.out_ld = 1;
  problem.device_kind = XPOSE_CUDA;
  problem.compute_capability = of.compute_capability;
  problem.multiprocessors = of.multiprocessors;
  const auto kept = [](const Axis& axis) { return axis.in == 1 && axis.out == 1; };
  const bool keeps = std::ranges::any_of(of.axes, kept);
  uint64_t in = 256 | of.skew * of.bytes, out = in;  // what divides all addresses
  for (const Axis& axis : of.axes) {
    if (axis.in == 1 && problem.cols == 1) {
      problem.cols = axis.extent;
      problem.out_ld = axis.out;
      if (!kept(axis)) out |= static_cast<uint64_t>(axis.out) * of.bytes;
    } else if (axis.out == 1 && !keeps && problem.rows == 1) {
      problem.rows = axis.extent;
      problem.in_ld = axis.in;
      in |= static_cast<uint64_t>(axis.in) * of.bytes;
    } else {
      problem.batch[problem.batch_rank++] = {axis.extent, axis.in, axis.out};
      in |= static_cast<uint64_t>(axis.in) * of.bytes;
      out |= static_cast<uint64_t>(axis.out) * of.bytes;
    }
  }
  problem.in_alignment = static_cast<uint32_t>(in & -in);
  problem.out_alignment = static_cast<uint32_t>(out & -out);
  return problem;
}

// Calls body(offset in the input, offset in the output) for every element, in elements.
template <class Body>
void for_each_element(const Permutation& of, const Body& body) {
  std::vector<int64_t> index(of.axes.size(), 0);
  int64_t in = 0, out = 0;
  while (true) {
    body(in, out);
    size_t i = 0;
    for (; i < of.axes.size(); ++i) {
      in += of.axes[i].in;
      out += of.axes[i].out;
      if (++index[i] < of.axes[i].extent) break;
      in -= of.axes[i].in * index[i];
      out -= of.axes[i].out * index[i];
      index[i] = 0;
    }
    if (i == of.axes.size()) return;
  }
}

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  int64_t draw(int64_t from, int64_t to) {
    return std::uniform_int_distribution<int64_t>(from, to)(engine_);
  }
  bool once_in(int64_t n) { return draw(1, n) == 1; }

  // Every other one has inner axes of whole vectors: one for each side, or one for both.
  Permutation permutation(uint32_t bytes, int64_t most_elements) {
    Permutation of{.bytes = bytes, .multiprocessors = static_cast<uint32_t>(draw(0, 2))};
    if (once_in(4)) of.compute_capability = 80;
    const bool even = once_in(2), keeps = once_in(3);
    const int64_t unit = even ? int64_t{1} << draw(1, 4) : 1;
    const int64_t rank = draw(2, std::min<int64_t>(8, XPOSE_MAX_BATCH_RANK)), usual = draw(0, 2);
    int64_t elements = 1;
    for (int64_t i = 0; i < rank; ++i) {
      int64_t extent = usual == 0 ? 2 : draw(2, 9);
      if (usual == 1 && once_in(2)) extent = int64_t{1} << draw(1, 6);
      if (once_in(4)) extent = draw(10, 130);
      if (i < 2) extent = (extent + unit - 1) / unit * unit;
      extent = std::min(extent, most_elements / elements);
      if (extent < 2) break;
      of.axes.push_back({extent, 0, 0});
      elements *= extent;
    }
    lay(of.axes, &Axis::in, even || keeps ? 0 : -1, unit);
    lay(of.axes, &Axis::out, keeps ? 0 : even ? 1 : -1, unit);
    if (once_in(4)) of.axes[index(of)].in = 0;
    for (Axis& axis : of.axes)
      if (once_in(6) && (!even || axis.in != 1)) axis.in = -axis.in;
    std::ranges::shuffle(of.axes, engine_);
    if (once_in(5)) of.skew = static_cast<uint32_t>(draw(1, 7));
    return of;
  }

 private:
  size_t index(const Permutation& of) {
    return static_cast<size_t>(draw(0, std::ssize(of.axes) - 1));
  }
  // In a random order of axes behind the first, if that is given, sometimes with gaps of whole
  // units.
  void lay(std::vector<Axis>& axes, int64_t Axis::*stride, int64_t first, int64_t unit) {
    std::vector<size_t> order(axes.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::shuffle(order.begin(), order.end(), engine_);
    if (first >= 0) std::swap(order.front(), *std::ranges::find(order, static_cast<size_t>(first)));
    int64_t next = first < 0 && once_in(8) ? 2 : 1;
    for (const size_t i : order) {
      axes[i].*stride = next;
      next *= axes[i].extent;
      if (once_in(6)) next += draw(1, 16) * unit;
    }
  }

  std::mt19937 engine_;
};

// Runs one config; false where it is refused.
bool check(const Permutation& of, const std::vector<int64_t>& config) {
  const xpose_strategy& strategy = strategy_named("permute");
  const xpose_problem problem = problem_of(of);
  SCOPED_TRACE(testing::Message() << name_of(*strategy.card, config) << ", " << of);
  const Answer answer = quote(strategy, problem, config);
  if (answer.status != XPOSE_OK) {
    EXPECT_EQ(answer.status, XPOSE_UNSUPPORTED) << answer.text;
    return false;
  }
  int64_t before = 0, in_end = 0, out_end = 0;
  for_each_element(of, [&](int64_t in, int64_t out) {
    before = std::max(before, -in);
    in_end = std::max(in_end, in + 1);
    out_end = std::max(out_end, out + 1);
  });
  // Both bases are as aligned as the problem says, and no more than that is needed.
  const std::size_t skew = of.skew * of.bytes;
  const std::size_t in_at =
      (static_cast<std::size_t>(before) * of.bytes + 255) / 256 * 256 + (of.in_skewed ? skew : 0);
  Bytes in(in_at + static_cast<std::size_t>(in_end) * of.bytes);
  Bytes out(kGuard + skew + static_cast<std::size_t>(out_end) * of.bytes + kGuard);
  Bytes expected(out.size());
  uint32_t state = 1;
  for (std::size_t i = 0; i < in.size(); ++i)
    in.data()[i] = static_cast<unsigned char>((state = state * 1664525u + 1013904223u) >> 24);
  const std::size_t first = kGuard + skew;
  for_each_element(of, [&](int64_t from, int64_t to) {
    std::memcpy(expected.data() + first + to * of.bytes, in.data() + in_at + from * of.bytes,
                of.bytes);
  });
  const unsigned char* const from = in.data() + in_at - before * of.bytes;
  const xpose_launch launch = {
      sizeof(xpose_launch), 0, in.data() + in_at, out.data() + first, nullptr, nullptr, nullptr};
  const Traced traced = trace(strategy, problem, config, launch,
                              {{out.data() + first, static_cast<uint64_t>(out_end) * of.bytes},
                               {from, static_cast<uint64_t>(before + in_end) * of.bytes}});
  EXPECT_EQ(traced.status, XPOSE_OK) << traced.text;
  EXPECT_EQ(traced.kernels.size(), 1U) << "one launch for the whole problem";
  EXPECT_TRUE(out == expected);
  return true;
}

class Permute : public testing::TestWithParam<uint32_t> {};

TEST_P(Permute, MovesRandomPermutations) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  Random random(seed);
  const auto configs = configs_of(*strategy_named("permute").card);
  int served = 0;
  for (int i = 0; i < 150 && !HasFailure(); ++i) {
    // Fat elements are axes of 16 bytes, so fewer of them make as many tiles.
    const int64_t most =
        (random.once_in(8) ? 60000 : 6000) * 16 / std::max<int64_t>(GetParam(), 16);
    const Permutation of = random.permutation(GetParam(), most);
    const auto from = static_cast<size_t>(random.draw(0, std::ssize(configs) - 1));
    for (size_t c = 0; c < configs.size(); ++c)
      if (check(of, configs[(from + c) % configs.size()])) {
        ++served;
        break;
      }
  }
  EXPECT_GT(served, 50);
}

// Every way that a tile can be moved, each by a problem for it.
TEST(PermuteWays, AreTaken) {
  struct Expected {
    uint32_t bytes;
    std::vector<Axis> axes;
    const char* way;
    uint32_t compute_capability = 90;
  };
  const std::vector<Axis> pixels = {{16, 1, 3}, {24, 16, 240}, {5, 384, 48}, {3, 1920, 1}};
  const std::vector<Axis> image = {{52, 1, 3}, {137, 52, 156}, {9, 7124, 21384}, {3, 64116, 1}};
  const std::vector<Axis> odd_in = {{15, 1, 576}, {9, 15, 64}, {64, 137, 1}, {3, 8769, 8640}};
  const std::vector<Axis> odd_out = {{64, 1, 137}, {9, 64, 15}, {15, 576, 1}, {3, 8640, 8769}};
  const std::vector<Axis> odd = {{15, 1, 99}, {9, 15, 11}, {11, 135, 1}, {3, 1485, 1485}};
  const std::vector<Axis> even = {{16, 1, 240}, {5, 16, 48}, {48, 80, 1}, {3, 3840, 3840}};
  const std::vector<Axis> kept = {{64, 1, 1}, {5, 64, 704}, {11, 320, 64}};
  // So many axes that finding slots takes long; odd ones among them, one of them backwards.
  std::vector<Axis> qubits, many = {{4, 1, 8748}, {4, 8748, 1}};
  for (int i = 0; i < 15; ++i) qubits.push_back({2, 1 << i, 1 << (i * 7 + 4) % 15});
  for (const int i : {2, 5, 1, 4, 0, 3, 6}) {  // the output's order
    const auto power = [](int n) { return 4 * static_cast<int64_t>(std::pow(3, n) + 0.5); };
    many.push_back({3, power(i), power(static_cast<int>(std::ssize(many)) - 2)});
  }
  many.back().in *= -1;
  // Runs that a tile has several of, and runs of several tiles; the last tiles are shorter.
  const std::vector<Axis> rows = {{100, 1, 1}, {13, 100, 1700}, {17, 1300, 100}, {3, 22100, 22100}};
  const std::vector<Axis> lines = {{2144, 1, 1}, {3, 2144, 4288}, {2, 6432, 2144}};
  // Runs of odd length, in several tiles each, and several in a tile, backwards and repeated.
  const std::vector<Axis> odd_lines = {{9001, 1, 1}, {3, 9001, 18002}, {2, 27003, 9001}};
  const std::vector<Axis> odd_back = {{61, 1, 1}, {5, -61, 671}, {11, 305, 61}, {3, 0, 3355}};
  // Narrow rows, whose columns meet in banks unless their places are swizzled.
  const std::vector<Axis> narrow = {
      {8, 1, 2539}, {2539, 8, 1}, {2, 40624, 20312}, {2, 20312, 40624}};
  const std::vector<Axis> bits = {{32, 1, 2049}, {2049, 64, 1}, {2, 32, 65568}};
  const std::vector<Axis> back = {{64, 1, 1}, {5, -64, 704}, {11, 320, 64}, {3, 0, 3520}};
  const std::vector<Axis> patches = {
      {16, 1, 3}, {23, 16, 816}, {17, 368, 48}, {3, 6256, 1}, {2, 18768, 18768}};
  // Runs of the output that a table of places repeats in, of two, of three and of one axis; the
  // last tiles are shorter.
  const std::vector<Axis> points = {{15, 1, 1}, {4, 15, 5055}, {337, 60, 15}, {3, 20220, 20230}};
  const std::vector<Axis> pairs = {{5, 1, 1}, {2, 4000, 5}, {771, 5, 10}, {3, 8000, 7720}};
  const std::vector<Axis> line = {{7, 1, 2503}, {2503, 7, 1}, {2, 17521, 17530}, {2, 40000, 35070}};
  for (const Expected& expected : {Expected{1, points, "runs"},
                                   Expected{2, points, "runs"},
                                   Expected{1, pairs, "runs"},
                                   Expected{2, pairs, "runs"},
                                   Expected{4, pairs, "runs"},
                                   Expected{1, line, "runs"},
                                   Expected{2, line, "runs"},
                                   Expected{1, pixels, "strips"},
                                   Expected{2, pixels, "strips"},
                                   Expected{1, patches, "strips"},
                                   Expected{2, patches, "strips"},
                                   Expected{1, image, "runs"},
                                   Expected{2, image, "runs"},
                                   Expected{1, odd_in, "runs"},
                                   Expected{2, odd_in, "runs"},
                                   Expected{1, odd_out, "runs"},
                                   Expected{2, odd_out, "runs"},
                                   Expected{1, odd, "runs"},
                                   Expected{2, odd, "runs"},
                                   Expected{4, odd, "runs"},
                                   Expected{8, odd, "runs"},
                                   Expected{16, even, "elements"},
                                   Expected{1, even, "squares of 8"},
                                   Expected{2, even, "squares of 8"},
                                   Expected{4, even, "squares of 4"},
                                   Expected{8, even, "squares of 2"},
                                   Expected{1, kept, "in bulk"},
                                   Expected{4, kept, "in bulk"},
                                   Expected{4, rows, "in bulk"},
                                   Expected{4, lines, "in bulk"},
                                   Expected{4, back, "in bulk"},
                                   Expected{2, kept, "directly", 80},
                                   Expected{8, qubits, "squares of 2 in bulk"},
                                   Expected{8, qubits, "squares of 2", 80},
                                   Expected{16, many, "elements in bulk"},
                                   Expected{16, many, "elements", 80},
                                   Expected{4, rows, "directly", 80},
                                   Expected{1, rows, "shifted"},
                                   Expected{1, odd_lines, "shifted"},
                                   Expected{2, odd_lines, "shifted"},
                                   Expected{4, odd_lines, "shifted"},
                                   Expected{8, odd_lines, "shifted"},
                                   Expected{1, odd_back, "shifted"},
                                   Expected{2, narrow, "runs"},
                                   Expected{1, bits, "runs"}}) {
    const std::string way = expected.way;
    const std::vector<int64_t> config = {
        256, 0, way == "directly" || way == "shifted" || way == "in bulk" ? 0 : 1};
    for (const uint32_t skew : {0U, 1U, 2U}) {
      Permutation of{.bytes = expected.bytes,
                     .axes = expected.axes,
                     .skew = skew,
                     .multiprocessors = 1,
                     .compute_capability = expected.compute_capability};
      const Answer answer = quote(strategy_named("permute"), problem_of(of), config);
      SCOPED_TRACE(testing::Message() << of << ": " << answer.text);
      if (skew == 0) {
        EXPECT_TRUE(answer.text.ends_with(", " + way)) << way;
      }
      EXPECT_TRUE(check(of, config));
      of.in_skewed = false;
      EXPECT_TRUE(check(of, config));
    }
  }
}

// Offsets of more than 32 bits within a tile: the input's memory is reserved, and a little of it
// used.
TEST(PermuteFar, OffsetsExceed32Bits) {
  const xpose_strategy& strategy = strategy_named("permute");
  constexpr int64_t kFar = int64_t{1} << 26, kRepeats = 70, kLongest = 64;
  constexpr std::size_t kSpan = kFar * (kRepeats - 1) + 7 * kLongest;
  void* const reserved = mmap(nullptr, kSpan, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(reserved, MAP_FAILED);
  auto* const in = static_cast<unsigned char*>(reserved);
  struct Run {
    int64_t bytes;
    bool is_kept;
  };
  for (const Run run : {Run{kLongest, false}, Run{kLongest, true}, Run{kLongest - 3, true}}) {
    const int64_t bytes = run.bytes;
    const Permutation of{.bytes = 1,
                         .axes = {{bytes, 1, run.is_kept ? 1 : kRepeats},
                                  {kRepeats, kFar, run.is_kept ? bytes : 1},
                                  {3, bytes, bytes * kRepeats},
                                  {2, 4 * bytes, 3 * bytes * kRepeats}},
                         .multiprocessors = 1};
    Bytes out(6 * bytes * kRepeats), expected(6 * bytes * kRepeats);
    int served = 0;
    for_each_element(of, [&](int64_t from, int64_t to) {
      in[from] = expected.data()[to] = static_cast<unsigned char>(from % 251 + from / kFar);
    });
    for (const std::vector<int64_t>& config : configs_of(*strategy.card)) {
      SCOPED_TRACE(name_of(*strategy.card, config));
      const xpose_problem problem = problem_of(of);
      if (quote(strategy, problem, config).status != XPOSE_OK) continue;
      std::memset(out.data(), kPoison, out.size());
      const xpose_launch launch = {
          sizeof(xpose_launch), 0, in, out.data(), nullptr, nullptr, nullptr};
      const Traced traced =
          trace(strategy, problem, config, launch, {{out.data(), out.size()}, {in, kSpan}});
      EXPECT_EQ(traced.status, XPOSE_OK) << traced.text;
      EXPECT_TRUE(out == expected);
      ++served;
    }
    EXPECT_GT(served, 0);
  }
  munmap(reserved, kSpan);
}

INSTANTIATE_TEST_SUITE_P(EachSize, Permute, testing::Values(1U, 2U, 4U, 8U, 16U, 48U, 256U),
                         [](const auto& size) { return std::to_string(size.param) + "_bytes"; });

}  // namespace
