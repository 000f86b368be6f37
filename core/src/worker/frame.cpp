#include "worker/frame.hpp"

#include <cstdint>
#include <xpose/problem.hpp>

namespace xpose {
namespace {

constexpr std::string_view kMagic = "xpo1";
constexpr std::size_t kHeaderBytes = 8;

std::size_t payload_bytes(std::string_view header) {
  std::uint32_t bytes = 0;
  for (std::size_t i = 0; i < 4; ++i)
    bytes |= static_cast<std::uint32_t>(static_cast<unsigned char>(header[kMagic.size() + i]))
             << (8 * i);
  return bytes;
}

}  // namespace

std::string frame(std::string_view payload) {
  if (payload.size() > kMaxFrame)
    throw Error(ErrorKind::invalid, "a message of " + std::to_string(payload.size()) +
                                        " bytes is over the limit of " + std::to_string(kMaxFrame) +
                                        "; send it in pieces");
  std::string bytes;
  bytes.reserve(kHeaderBytes + payload.size());
  bytes += kMagic;
  for (std::size_t i = 0; i < 4; ++i) bytes += static_cast<char>(payload.size() >> (8 * i) & 0xff);
  bytes += payload;
  return bytes;
}

void FrameReader::feed(std::string_view bytes) {
  if (broken_) return;
  // Moves at most as many bytes as were taken since the last move: linear over the whole stream.
  if (begin_ > pending_.size() / 2) {
    pending_.erase(0, begin_);
    begin_ = 0;
  }
  pending_ += bytes;
}

std::optional<std::string> FrameReader::next() {
  const std::string_view rest = std::string_view(pending_).substr(begin_);
  if (!kMagic.starts_with(rest.substr(0, kMagic.size()))) return break_off();
  if (rest.size() < kHeaderBytes) return {};
  const std::size_t bytes = payload_bytes(rest);
  if (bytes > kMaxFrame) return break_off();
  if (rest.size() - kHeaderBytes < bytes) return {};
  begin_ += kHeaderBytes + bytes;
  return std::string(rest.substr(kHeaderBytes, bytes));
}

std::optional<std::string> FrameReader::break_off() {
  broken_ = true;
  pending_ = {};
  begin_ = 0;
  return {};
}

}  // namespace xpose
