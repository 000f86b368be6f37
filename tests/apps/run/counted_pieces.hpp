// Pieces of a file that lies in memory, which any means can read.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <optional>
#include <span>
#include <system_error>
#include <vector>

#include "run/transfer.hpp"

namespace xpose::app {

// Piece i has i % 5 buffers and a half.
class CountedPieces : public Pieces {
 public:
  static constexpr std::size_t kBuffer = 8192;

  explicit CountedPieces(std::size_t count) {
    std::size_t begin = 0;
    for (std::size_t i = 0; i < count; ++i) {
      begins_.push_back(begin);
      begin += i % 5 * kBuffer + kBuffer / 2;
    }
    begins_.push_back(begin);
    at_ = begins_;
    for (std::size_t i = 0; i < begin; ++i)
      content_.push_back(static_cast<std::byte>(i * 7919 >> 5));
    found_.resize(begin);
  }

  std::size_t size() const override { return begins_.size() - 1; }

  std::optional<Transfer> next(std::size_t piece, std::span<std::byte> buffer) override {
    const std::size_t left = begins_[piece + 1] - at_[piece];
    if (left == 0) return std::nullopt;
    return Transfer{at_[piece], buffer.first(std::min(left, buffer.size()))};
  }

  void moved(std::size_t piece, const Transfer& transfer, ssize_t result) override {
    if (result == -EINTR) return;
    if (result < 0) throw std::system_error(static_cast<int>(-result), std::generic_category());
    const auto size = static_cast<std::size_t>(result);
    std::ranges::copy(transfer.bytes.first(size), found_.begin() + at(piece));
    at_[piece] += size;
  }

  // Reads as the system does.
  ssize_t read(const Transfer& transfer) const {
    std::copy_n(content_.begin() + static_cast<std::ptrdiff_t>(transfer.offset),
                transfer.bytes.size(), transfer.bytes.begin());
    return static_cast<ssize_t>(transfer.bytes.size());
  }

  DirectFile file() const {
    return {DirectFile::Direction::read, -1, [this](const Transfer& t) { return read(t); }};
  }

  bool is_whole() const { return found_ == content_; }

 private:
  std::ptrdiff_t at(std::size_t piece) const { return static_cast<std::ptrdiff_t>(at_[piece]); }

  std::vector<std::size_t> begins_;
  std::vector<std::size_t> at_;
  std::vector<std::byte> content_;
  std::vector<std::byte> found_;
};

}  // namespace xpose::app
