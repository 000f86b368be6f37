// Permutations drawn at random, by every CUDA strategy that accepts them, on the first device,
// against a loop over the axes.
#include <gtest/gtest.h>

#include <map>
#include <optional>

#include "device/device.hpp"
#include "drawn_permutation.hpp"
#include "loaded_plugins.hpp"
#include "problem/batch_loop.hpp"
#include "problem/normal_form.hpp"
#include "strategy/bound_plan.hpp"
#include "strategy/candidates.hpp"
#include "strategy/configs.hpp"

namespace xpose {
namespace {

// Device memory that grows: an allocation takes longer than a problem.
class Reused {
 public:
  explicit Reused(Backend& backend) : backend_(backend) {}
  std::byte* of(std::uint64_t bytes) {
    if (buffer_.bytes() < bytes) buffer_ = DeviceBuffer(backend_, 2 * bytes);
    return buffer_.data();
  }

 private:
  Backend& backend_;
  DeviceBuffer buffer_;
};

class PermutationsGpu : public testing::Test {
 protected:
  void SetUp() override {
    const std::vector<DeviceInfo> all = devices();
    if (all.size() < 2) GTEST_SKIP() << "SKIPPED: " << cuda_unavailable_reason();
    device_ = &backend(all[1].device);
    device_->make_current();
    in_.emplace(*device_);
    out_.emplace(*device_);
    workspace_.emplace(*device_);
  }

  Problem placed(const Case& made, const void* in, const void* out) const {
    Problem problem =
        permutation(made.shape, made.axes, made.in_strides, made.out_strides, made.bytes);
    problem.device = device_->info().device;
    return aligned_as(problem, in, out);
  }

  // Whether a strategy accepts the problem in any config.
  bool is_accepted(const Strategy& strategy, const Case& made) {
    const Problem normal = normal_form(placed(made, in_->of(made.in.size()) + made.in_begin,
                                              out_->of(made.out.size()) + made.out_begin));
    return std::ranges::any_of(configs(strategy.info), [&](const Values& values) {
      return quote(strategy, values, normal, device_->info()).outcome.verdict == Verdict::ok;
    });
  }

  // Runs one config of a strategy, drawn at random, where the strategy accepts it. The input lies
  // on the device.
  bool serves(const Strategy& strategy, const Case& made, Draw& draw) {
    std::byte* const in = in_->of(made.in.size()) + made.in_begin;
    std::byte* const out = out_->of(made.out.size());
    const Problem problem = placed(made, in, out + made.out_begin);
    const Layered parts = layered(problem);
    const Problem& normal = parts.layer;
    const std::vector<Values> all = configs(strategy.info);
    const Values& values =
        all[static_cast<std::size_t>(draw.below(static_cast<std::int64_t>(all.size())))];
    QuoteAnswer answer = quote(strategy, values, normal, device_->info());
    if (answer.outcome.verdict != Verdict::ok) return false;
    const std::uint64_t bytes = answer.workspace_bytes;
    const Candidate candidate = candidate_of(strategy, values, std::move(answer));
    const BoundPlan plan(candidate, normal, device_->info(), 1);
    device_->upload(out, made.out.data(), made.out.size());
    for_each_matrix(parts.steps, 1, in + parts.origin.in, out + made.out_begin + parts.origin.out,
                    [&](const void* from, void* to) {
                      plan.launch(from, to, bytes == 0 ? nullptr : workspace_->of(bytes), nullptr);
                    });
    device_->synchronize();
    std::vector<std::byte> result(made.out.size());
    device_->download(result.data(), out, result.size());
    EXPECT_TRUE(result == made.wanted) << to_string(candidate.variant) << ", " << made.text();
    return true;
  }

  Backend* device_ = nullptr;
  std::optional<Reused> in_, out_, workspace_;
};

TEST_F(PermutationsGpu, OfAnyKindAreRightByEveryStrategyThatAcceptsThem) {
  const std::uint64_t seed = number_from("XPOSE_SEED", std::random_device{}());
  const std::uint64_t problems = number_from("XPOSE_PROBLEMS", 3000);
  Draw draw(seed);
  std::map<std::string, std::uint64_t> served;
  std::vector<const Strategy*> mine;
  for (const Strategy* strategy : loaded_plugins().strategies)
    if (strategy->info.device_kind == DeviceKind::cuda && strategy->info.role == Role::transpose)
      mine.push_back(strategy);
  for (std::uint64_t i = 0; i < problems && !HasFailure(); ++i) {
    const Case made = draw.next();
    device_->upload(in_->of(made.in.size()), made.in.data(), made.in.size());
    bool is_served = false;
    for (const Strategy* strategy : mine) {
      if (!serves(*strategy, made, draw)) continue;
      ++served[strategy->info.name];
      is_served = true;
    }
    EXPECT_TRUE(is_served ||
                std::ranges::any_of(
                    mine, [&](const Strategy* strategy) { return is_accepted(*strategy, made); }))
        << "nothing serves " << made.text();
  }
  print_served(problems, seed, served);
}

}  // namespace
}  // namespace xpose
