// Ranks with a device each, which here is the host, over ranks that are threads.
#include "route/carried_ranks.hpp"

#include "carried_case.hpp"
#include "fake_streams.hpp"

namespace xpose {
namespace {

// A carrier that says that it takes device memory, and sends another byte of a long message from
// there, or loses it.
class Wrong : public Passing {
 public:
  Wrong(std::shared_ptr<Ranks> ranks, bool loses) : Passing(std::move(ranks)), loses_(loses) {}
  void send(int rank, int channel, std::shared_ptr<const std::byte[]> data, std::uint64_t bytes,
            std::uint64_t id) override {
    if (this->rank() != 1 || bytes <= kNotice)
      return Passing::send(rank, channel, std::move(data), bytes, id);
    if (loses_) return;
    const std::shared_ptr<std::byte[]> changed = std::make_shared<std::byte[]>(bytes);
    std::copy_n(data.get(), bytes, changed.get());
    changed[bytes - 1] ^= std::byte{1};
    Passing::send(rank, channel, changed, bytes, id);
  }

 private:
  bool loses_;
};

// Counts the messages that are no notices, and their longest.
class Counting : public Passing {
 public:
  using Passing::Passing;
  void send(int rank, int channel, std::shared_ptr<const std::byte[]> data, std::uint64_t bytes,
            std::uint64_t id) override {
    if (bytes != kNotice) {
      ++messages;
      longest = std::max(longest, bytes);
    }
    Passing::send(rank, channel, std::move(data), bytes, id);
  }
  int messages = 0;
  std::uint64_t longest = 0;
};

TEST(CarriedRanksTest, NoticesAndMessagesArriveInPieces) {
  for (const int size : {1, 2, 4}) {
    FakeRanks all(size);
    const auto texts = texts_of(all, [&](const std::shared_ptr<Ranks>& own) {
      const auto counting = std::make_shared<Counting>(own);
      // Pieces of 100 bytes.
      const auto memory = static_cast<std::uint64_t>(400 * std::max(size - 1, 1));
      const auto ranks = carried_ranks(counting, {}, {.memory = memory});
      EXPECT_FALSE(ranks->is_direct());
      EXPECT_FALSE(ranks->reaches_others());
      for (int run = 0; run < 3; ++run) {
        const auto notices = ranks->gather(notice_of(own->rank() + run), 60);
        ASSERT_EQ(notices.size(), static_cast<std::size_t>(size));
        for (int rank = 0; rank < size; ++rank)
          EXPECT_EQ(notices[static_cast<std::size_t>(rank)], notice_of(rank + run));
        exchange_among_all(*ranks);
        exchange_among_all(*ranks);
        ranks->finish(60);
      }
      EXPECT_EQ(counting->messages, 3 * 2 * (11 + 1) * (size - 1));
      EXPECT_EQ(counting->longest, size == 1 ? 0U : 100U);
    });
    EXPECT_EQ(texts, std::vector<std::string>(static_cast<std::size_t>(size)));
  }
}

// The caller's stream makes what is sent, and reads what lay where a message comes to.
TEST(CarriedRanksTest, CopiesAreInOrderWithTheStream) {
  for (const bool is_direct : {false, true}) {
    FakeRanks all(2);
    const auto texts = texts_of(all, [&](const std::shared_ptr<Ranks>& own) {
      Streams streams;
      FakeBackend backend(streams);
      char stream = 0;
      const int other = 1 - own->rank();
      Carried ranks(own, backend, {.stream = &stream, .may_be_direct = is_direct, .memory = 400});
      ranks.gather(notice_of(0), 60);
      std::vector<std::byte> sent(1001), received(1001);
      for (int i = 0; i < 3; ++i) {
        streams.use(&stream, sent.data(), sent.size(), true);
        streams.use(&stream, received.data(), received.size(), false);
        sent = bytes_of(own->rank(), other, 1001);
        ranks.exchange({{other, sent.data(), 1001}}, {{other, received.data(), 1001}}, 60);
        EXPECT_EQ(received, bytes_of(other, own->rank(), 1001));
        EXPECT_TRUE(!is_direct || streams.all_have_ended());
      }
      ranks.finish(60);
      EXPECT_EQ(backend.copies, is_direct ? 0 : 3 * 2 * 11);
      EXPECT_TRUE(streams.all_have_ended());
    });
    EXPECT_EQ(texts, std::vector<std::string>(2));
  }
}

// Sees how many copies have begun when a piece leaves.
class Ahead : public Passing {
 public:
  Ahead(std::shared_ptr<Ranks> ranks, const FakeBackend& backend)
      : Passing(std::move(ranks)), backend_(backend) {}
  void send(int rank, int channel, std::shared_ptr<const std::byte[]> data, std::uint64_t bytes,
            std::uint64_t id) override {
    if (bytes != kNotice) ahead.push_back(backend_.copies - static_cast<int>(ahead.size()));
    Passing::send(rank, channel, std::move(data), bytes, id);
  }
  std::vector<int> ahead;

 private:
  const FakeBackend& backend_;
};

TEST(CarriedRanksTest, APieceIsCopiedWhileAnotherIsOnItsWay) {
  FakeRanks all(2);
  const auto texts = texts_of(all, [&](const std::shared_ptr<Ranks>& own) {
    Streams streams;
    FakeBackend backend(streams);
    const auto carrier = std::make_shared<Ahead>(own, backend);
    Carried ranks(carrier, backend, {.memory = 400});
    const auto bytes = std::make_shared<std::vector<std::byte>>(500);
    const DeviceRanks::Transfer transfer{1 - own->rank(), bytes->data(), 500, bytes};
    ranks.gather(notice_of(0), 60);
    if (own->rank() == 0)
      ranks.exchange({transfer}, {}, 60);
    else
      ranks.exchange({}, {transfer}, 60);
    ranks.finish(60);
    EXPECT_EQ(carrier->ahead, own->rank() == 0 ? std::vector({2, 2, 2, 2, 1}) : std::vector<int>());
  });
  EXPECT_EQ(texts, std::vector<std::string>(2));
}

TEST(CarriedRanksTest, ACarrierThatTakesDeviceMemoryGetsItWhole) {
  for (const int size : {2, 3, 4}) {
    FakeRanks all(size);
    const auto texts = texts_of(all, [&](const std::shared_ptr<Ranks>& own) {
      const auto counting = std::make_shared<Counting>(own);
      const auto ranks = carried_ranks(counting, {}, {.may_be_direct = true, .memory = 400});
      EXPECT_TRUE(ranks->is_direct());
      const int trial = counting->messages;
      EXPECT_EQ(trial, size == 4 ? 4 : 2);
      ranks->gather(notice_of(0), 60);
      exchange_among_all(*ranks);
      ranks->finish(60);
      EXPECT_EQ(counting->messages - trial, 2 * (size - 1));
    });
    EXPECT_EQ(texts, std::vector<std::string>(static_cast<std::size_t>(size)));
  }
}

TEST(CarriedRanksTest, OneWrongByteOfOneRankForbidsDirectMessagesOnAll) {
  FakeRanks all(4);
  const auto texts = texts_of(all, [&](const std::shared_ptr<Ranks>& own) {
    const auto wrong = std::make_shared<Wrong>(own, false);
    // Staged pieces are too short for this carrier's fault.
    const auto ranks = carried_ranks(wrong, {}, {.may_be_direct = true, .memory = 1200});
    EXPECT_FALSE(ranks->is_direct());
    ranks->gather(notice_of(0), 60);
    exchange_among_all(*ranks);
    ranks->finish(60);
  });
  EXPECT_EQ(texts, std::vector<std::string>(4));
}

TEST(CarriedRanksTest, WithoutAWordOfAllCarriersNoneIsTried) {
  FakeRanks all(3);
  const auto texts = texts_of(all, [&](const std::shared_ptr<Ranks>& own) {
    const auto counting = std::make_shared<Counting>(own);
    const auto ranks = carried_ranks(counting, {}, {.may_be_direct = own->rank() != 1});
    EXPECT_FALSE(ranks->is_direct());
    EXPECT_EQ(counting->messages, 0);
  });
  EXPECT_EQ(texts, std::vector<std::string>(3));
}

TEST(CarriedRanksTest, ATrialWhoseMessagesAreLostEndsInASentence) {
  FakeRanks all(2);
  const auto texts = texts_of(all, [&](const std::shared_ptr<Ranks>& own) {
    carried_ranks(std::make_shared<Wrong>(own, true), {}, {.may_be_direct = true, .seconds = 20});
  });
  for (const std::string& text : texts)
    EXPECT_NE(text.find("state CarriedOptions::may_be_direct as false"), std::string::npos) << text;
  EXPECT_GE(all.now(), 40);
}

TEST(CarriedRanksTest, OtherOptionsAreRefusedOnAllRanks) {
  FakeRanks all(3);
  const auto texts = texts_of(all, [&](const std::shared_ptr<Ranks>& own) {
    carried_ranks(own, {}, {.memory = own->rank() == 1 ? 800U : 8000U});
  });
  for (const std::string& text : texts)
    EXPECT_NE(text.find("state the same on all ranks"), std::string::npos) << text;
}

TEST(CarriedRanksTest, RanksOfAnotherTransportAreNamed) {
  FakeRanks all(2);
  const auto texts = texts_of(all, [&](const std::shared_ptr<Ranks>& own) {
    if (own->rank() == 0) return static_cast<void>(carried_ranks(own, {}, {}));
    RollCall roll_call(*own, 1, 60);  // as of a route in host memory
    roll_call.begin(true);
    while (true)
      for (const std::uint64_t id : own->wait(1)) roll_call.ended(id);
  });
  EXPECT_EQ(texts[0].find("rank 1 has stated another route than rank 0"), 0U) << texts[0];
}

}  // namespace
}  // namespace xpose
