// The stream between host and worker: wherever it is cut, the same payloads come out of it.
#include <algorithm>
#include <random>
#include <vector>

#include "fuzz.hpp"
#include "worker/frame.hpp"

namespace {

using xpose::FrameReader;
using xpose::fuzz::require;

struct Heard {
  std::vector<std::string> payloads;
  bool broken = false;
  bool operator==(const Heard&) const = default;
};

// Feeds the stream in pieces; piece() says how many bytes the next one has.
template <class Piece>
Heard heard(std::string_view stream, Piece piece) {
  FrameReader reader;
  Heard heard;
  do {
    const std::size_t bytes = std::min<std::size_t>(piece(), stream.size());
    reader.feed(stream.substr(0, bytes));
    stream.remove_prefix(bytes);
    while (auto payload = reader.next()) heard.payloads.push_back(*payload);
    require(reader.broken() || !heard.broken, "a broken stream stays broken");
    heard.broken = reader.broken();
  } while (!stream.empty());
  return heard;
}

void check_cuts(std::string_view stream) {
  const Heard whole = heard(stream, [&] { return stream.size(); });
  const auto check = [&](const auto& piece) {
    require(heard(stream, piece) == whole, "what is heard does not depend on the cuts");
  };
  check([] { return 1; });
  check([random = std::minstd_rand(static_cast<unsigned>(stream.size()))]() mutable {
    return random() % 20;
  });
  for (std::size_t first = 1; first < std::min<std::size_t>(stream.size(), 32); ++first)
    check([&, pieces = 0]() mutable { return pieces++ == 0 ? first : stream.size(); });
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = xpose::fuzz::text_of(data, size);
  check_cuts(bytes);

  const std::string head(bytes.substr(0, size / 3));
  const std::string tail(bytes.substr(size / 3));
  const std::string framed = xpose::frame(head) + xpose::frame(tail);
  require(heard(framed, [&] { return framed.size(); }) == Heard{{head, tail}},
          "payloads come out of their frames unchanged");
  return 0;
}
