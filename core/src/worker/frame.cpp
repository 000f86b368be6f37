#include "worker/frame.hpp"

#include <cstdint>
#include <xpose/problem.hpp>

namespace xpose {
namespace {

constexpr std::string_view magic = "xpo1";
constexpr std::size_t header_bytes = 8;

std::size_t payload_bytes(std::string_view header) {
  std::uint32_t bytes = 0;
  for (std::size_t i = 0; i < 4; ++i)
    bytes |= static_cast<std::uint32_t>(static_cast<unsigned char>(header[magic.size() + i]))
             << (8 * i);
  return bytes;
}

}  // namespace

std::string frame(std::string_view payload) {
  if (payload.size() > max_frame)
    throw Error(ErrorKind::invalid, "a message of " + std::to_string(payload.size()) +
                                        " bytes is over the limit of " + std::to_string(max_frame) +
                                        "; send it in pieces");
  std::string bytes;
  bytes.reserve(header_bytes + payload.size());
  bytes += magic;
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
  if (!magic.starts_with(rest.substr(0, magic.size()))) return break_off();
  if (rest.size() < header_bytes) return {};
  const std::size_t bytes = payload_bytes(rest);
  if (bytes > max_frame) return break_off();
  if (rest.size() - header_bytes < bytes) return {};
  begin_ += header_bytes + bytes;
  return std::string(rest.substr(header_bytes, bytes));
}

std::optional<std::string> FrameReader::break_off() {
  broken_ = true;
  pending_ = {};
  begin_ = 0;
  return {};
}

}  // namespace xpose
