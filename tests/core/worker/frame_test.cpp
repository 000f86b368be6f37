#include "worker/frame.hpp"

#include <gtest/gtest.h>

#include <vector>
#include <xpose/problem.hpp>

namespace xpose {
namespace {

using namespace std::string_literals;

std::vector<std::string> take_all(FrameReader& reader) {
  std::vector<std::string> payloads;
  while (auto payload = reader.next()) payloads.push_back(std::move(*payload));
  return payloads;
}

TEST(Frame, IsMagicLengthAndPayload) {
  EXPECT_EQ(frame("hello"), "xpo1\x05\0\0\0hello"s);
  EXPECT_EQ(frame(""), "xpo1\0\0\0\0"s);
  EXPECT_EQ(frame(std::string(0x10203, 'a')).substr(0, 8), "xpo1\x03\x02\x01\0"s);
}

TEST(Frame, RefusesWhatNoReaderTakes) {
  EXPECT_EQ(frame(std::string(kMaxFrame, 'a')).size(), kMaxFrame + 8);
  try {
    frame(std::string(kMaxFrame + 1, 'a'));
    FAIL() << "took a payload over the limit";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::invalid);
  }
}

TEST(FrameReader, GivesPayloadsInOrder) {
  const std::string binary = "\0\xff\n xpo1"s;
  FrameReader reader;
  reader.feed(frame("one") + frame("") + frame(binary));
  EXPECT_EQ(take_all(reader), (std::vector<std::string>{"one", "", binary}));
  EXPECT_FALSE(reader.broken());
}

TEST(FrameReader, TakesBytesInAnyPieces) {
  const std::string stream = frame("one") + frame("") + frame(std::string(300, 'x'));
  for (std::size_t piece = 1; piece <= stream.size(); ++piece) {
    FrameReader reader;
    std::vector<std::string> payloads;
    for (std::size_t i = 0; i < stream.size(); i += piece) {
      reader.feed(stream.substr(i, piece));
      for (auto& payload : take_all(reader)) payloads.push_back(std::move(payload));
    }
    EXPECT_EQ(payloads, (std::vector<std::string>{"one", "", std::string(300, 'x')})) << piece;
  }
}

TEST(FrameReader, BreaksAtTheFirstWrongByte) {
  for (const std::string garbage : {"h", "xq", "xpo2", "\nxpo1"}) {
    FrameReader reader;
    reader.feed(frame("before") + garbage);
    EXPECT_EQ(take_all(reader), std::vector<std::string>{"before"}) << garbage;
    EXPECT_TRUE(reader.broken()) << garbage;
  }
}

TEST(FrameReader, StaysBroken) {
  FrameReader reader;
  reader.feed("garbage");
  EXPECT_FALSE(reader.next());
  reader.feed(frame("after"));
  EXPECT_FALSE(reader.next());
  EXPECT_TRUE(reader.broken());
}

TEST(FrameReader, RefusesALengthOverTheLimitBeforeItsPayloadComes) {
  FrameReader reader;
  reader.feed("xpo1\0\0\0\x01"s);  // 16 MiB: the limit
  EXPECT_FALSE(reader.next());
  EXPECT_FALSE(reader.broken());

  FrameReader over;
  over.feed("xpo1\x01\0\0\x01"s);
  EXPECT_FALSE(over.next());
  EXPECT_TRUE(over.broken());
}

}  // namespace
}  // namespace xpose
