// How messages are cut out of a stream: 4 bytes "xpo1", 4 bytes of length (little endian), payload.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace xpose {

constexpr std::size_t kMaxFrame = 16U << 20;  // bytes of a payload
constexpr int kChannelDescriptor = 3;         // where a worker finds the stream

// Throws Error invalid for a payload of more than kMaxFrame bytes.
std::string frame(std::string_view payload);

// Takes bytes as they come and gives back whole payloads. Anything that is not a frame breaks it
// for good: a plugin has written into the stream. Holds less than twice what next() has yet to
// take.
class FrameReader {
 public:
  void feed(std::string_view bytes);
  std::optional<std::string> next();  // a whole payload, in order; empty once broken
  bool broken() const { return broken_; }

 private:
  std::optional<std::string> break_off();

  std::string pending_;
  std::size_t begin_ = 0;
  bool broken_ = false;
};

}  // namespace xpose
