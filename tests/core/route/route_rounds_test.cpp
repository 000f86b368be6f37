// The order in which ranks begin their messages.
#include <gtest/gtest.h>

#include "fake_ranks.hpp"
#include "route/route_run.hpp"

namespace xpose {
namespace {

constexpr std::uint64_t kGreetingBytes = 8;

// Passes calls on, and writes down those that begin chunks of elements.
class Told : public Ranks {
 public:
  struct Begun {
    bool is_sent;
    int rank;
    bool operator==(const Begun&) const = default;
  };

  explicit Told(std::shared_ptr<Ranks> ranks) : ranks_(std::move(ranks)) {}
  const std::vector<Begun>& begun() const { return begun_; }

  int rank() const override { return ranks_->rank(); }
  int size() const override { return ranks_->size(); }
  void send(int rank, int channel, std::shared_ptr<const std::byte[]> data, std::uint64_t bytes,
            std::uint64_t id) override {
    if (channel != kNoticeChannel && bytes > kGreetingBytes) begun_.push_back({true, rank});
    ranks_->send(rank, channel, std::move(data), bytes, id);
  }
  void receive(int rank, int channel, std::shared_ptr<std::byte[]> data, std::uint64_t bytes,
               std::uint64_t id) override {
    if (channel != kNoticeChannel && bytes > kGreetingBytes) begun_.push_back({false, rank});
    ranks_->receive(rank, channel, std::move(data), bytes, id);
  }
  std::vector<std::uint64_t> wait(double seconds) override { return ranks_->wait(seconds); }
  double seconds() const override { return ranks_->seconds(); }
  void abandon() noexcept override { ranks_->abandon(); }

 private:
  std::shared_ptr<Ranks> ranks_;
  std::vector<Begun> begun_;
};

// Of a route of slabs, whose messages are one chunk each. No element moves.
std::vector<Told::Begun> begun_by(const std::shared_ptr<Ranks>& ranks, const Placement& from,
                                  const Placement& to) {
  Told told(ranks);
  Exchange exchange(from, to, true);
  exchange.lay_out(told.rank());
  const std::vector<std::byte> in(40 * 40 * 8);
  std::vector<std::byte> out(in.size());
  const Move move = [](const Problem&, const void*, void*) {};
  Passages passages;
  RouteRun({told, exchange, 1, 1 << 20, 10, move, passages}, in.data(), out.data()).run([] {});
  return told.begun();
}

TEST(RouteRoundsTest, TwoRanksBeginInOneRoundAndSendBeforeTheyReceive) {
  for (const int size : {2, 4, 5}) {
    const Placement slabs = row_slabs(40, 40, 8, size);
    FakeRanks(size).run([&](const std::shared_ptr<Ranks>& ranks) {
      std::vector<Told::Begun> expected;
      for (int round = 0; round < size; ++round)
        for (int other = 0; other < size; ++other)
          if (other != ranks->rank() && (ranks->rank() + other) % size == round)
            expected.insert(expected.end(), {{true, other}, {false, other}});
      EXPECT_EQ(begun_by(ranks, slabs, slabs), expected) << "rank " << ranks->rank();
    });
  }
}

TEST(RouteRoundsTest, ARoundMayHaveOneDirection) {
  FakeRanks(3).run([&](const std::shared_ptr<Ranks>& ranks) {
    const std::vector<std::vector<Told::Begun>> expected = {
        {{false, 1}, {false, 2}}, {{true, 0}}, {{true, 0}}};
    EXPECT_EQ(begun_by(ranks, row_slabs(40, 40, 8, 3), on_one_rank(40, 40, 8, 0)),
              expected[static_cast<std::size_t>(ranks->rank())]);
  });
}

}  // namespace
}  // namespace xpose
