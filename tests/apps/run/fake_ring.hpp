// A ring without a kernel, which meets faults.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <utility>

#include "run/ring.hpp"

namespace xpose::app {

// Transfers end one by one, the last of them first, when they are waited for.
class FakeRing : public Ring {
 public:
  using Make = std::function<ssize_t(const DirectFile&, const Transfer&)>;
  explicit FakeRing(Make make) : make_(std::move(make)) {}
  FakeRing(const FakeRing&) = delete;  // counts
  FakeRing& operator=(const FakeRing&) = delete;
  ~FakeRing() override { EXPECT_EQ(under_way_.size() + ended_.size(), 0u) << "left to the kernel"; }

  // What submit() and wait() answer from a call on, counted from 1; 0: as it should be.
  std::function<int(int call)> submit_answers = [](int) { return 0; };
  std::function<int(int call)> wait_answers = [](int) { return 0; };
  std::size_t most_taken = 1000;  // by one submit()

  std::size_t most_under_way() const { return most_under_way_; }
  int submits() const { return submits_; }

  void push(const DirectFile& file, const Transfer& transfer, std::size_t tag) override {
    pushed_.push_back({file, transfer, tag});
  }

  int submit(std::size_t ends) override {
    if (const int answer = submit_answers(++submits_)) return answer;
    const std::size_t taken = std::min(most_taken, pushed_.size());
    for (std::size_t i = 0; i < taken; ++i) {
      under_way_.push_back(pushed_.front());
      pushed_.pop_front();
    }
    most_under_way_ = std::max(most_under_way_, under_way_.size());
    EXPECT_LE(ends, under_way_.size() + pushed_.size()) << "waits for ever";
    for (std::size_t i = 0; i < ends; ++i) end_one();
    return static_cast<int>(taken);
  }

  int wait() override {
    EXPECT_FALSE(under_way_.empty()) << "waits for ever";
    end_one();
    return wait_answers(++waits_);
  }

  std::optional<End> pop() override {
    if (ended_.empty()) return std::nullopt;
    const End end = ended_.front();
    ended_.pop_front();
    return end;
  }

 private:
  struct Entry {
    DirectFile file;
    Transfer transfer;
    std::size_t tag;
  };

  void end_one() {
    if (under_way_.empty()) return;
    const Entry entry = under_way_.back();
    under_way_.pop_back();
    ended_.push_back({entry.tag, make_(entry.file, entry.transfer)});
  }

  Make make_;
  std::deque<Entry> pushed_;
  std::deque<Entry> under_way_;
  std::deque<End> ended_;
  std::size_t most_under_way_ = 0;
  int submits_ = 0;
  int waits_ = 0;
};

// For what is to be done without a ring.
inline std::unique_ptr<Ring> no_ring(std::size_t) {
  errno = EPERM;
  return nullptr;
}

}  // namespace xpose::app
