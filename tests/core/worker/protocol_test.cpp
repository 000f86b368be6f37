#include "worker/protocol.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "problem/normal_form.hpp"

namespace xpose {
namespace {

PluginInfo plugin() {
  StrategyInfo strategy;
  strategy.name = "smem";
  strategy.summary = "tiles, \"quoted\"";
  strategy.device_kind = DeviceKind::cuda;
  strategy.role = Role::experiment;
  strategy.element_sizes = 31;
  strategy.min_alignment = 16;
  strategy.min_compute_capability = 90;
  strategy.max_batch_rank = 3;
  strategy.in_place = true;
  strategy.capturable = true;
  strategy.permutes = true;
  strategy.has_simulator = true;
  strategy.max_extent = std::numeric_limits<std::int64_t>::max();
  strategy.prior_rank = -7;
  strategy.axes = {{"tile", {64, -1}}, {"rows", {8}}};
  PluginInfo info;
  info.file = "/plugins/smem.so";
  info.digest = "0123";
  info.name = "smem";
  info.version = "1.0";
  info.build = "g++ 12";
  info.strategies = {strategy};
  return info;
}

TEST(Protocol, ARequestComesBackAsItWas) {
  Request request;
  request.id = std::numeric_limits<std::uint64_t>::max();
  request.what = Request::What::verify;
  request.version = build_version();
  request.file = "/a b/c.so";
  request.digest = "abc";
  request.strategy = "smem_pad";
  request.configs = {{64, -8}, {}};
  request.problem = matrix(1, std::int64_t{1} << 40, 16, {DeviceKind::cuda, 3});
  request.problem.batch = {{3, -5, 7}};
  request.problem.in_place = true;
  request.device = {{DeviceKind::cuda, 3}, "GPUx", "GPU-1", "580.1", 132, 90, 60, 141};
  request.threads = 5;
  request.warm = true;
  EXPECT_EQ(decode_request(encode(request)), request);
  for (const auto what : {Request::What::hello, Request::What::load, Request::What::quote,
                          Request::What::prepare, Request::What::time, Request::What::examine}) {
    request.what = what;
    EXPECT_EQ(decode_request(encode(request)).what, what);
  }
}

TEST(Protocol, AReplyComesBackAsItWas) {
  Reply reply;
  reply.id = 12;
  reply.outcome = {Verdict::wrote_outside, "one byte before"};
  reply.seconds = 1.0 / 3;
  reply.quotes = {{{Verdict::ok, ""}, "grid 1", 77, {1, 2, 3, 4, 5, 6, 7}},
                  {{Verdict::unsupported, "no"}, "", 0}};
  Reply back = decode_reply(encode(reply));
  EXPECT_EQ(back.outcome, reply.outcome);
  EXPECT_EQ(back.seconds, reply.seconds);
  EXPECT_EQ(back.quotes, reply.quotes);
  EXPECT_FALSE(back.plugin);

  reply.plugin = plugin();
  back = decode_reply(encode(reply));
  ASSERT_TRUE(back.plugin);
  EXPECT_EQ(back.plugin->strategies, reply.plugin->strategies);
  EXPECT_EQ(back.plugin->file, reply.plugin->file);

  Reply notice;
  notice.id = 3;
  notice.stage = "launch";
  EXPECT_EQ(decode_reply(encode(notice)).stage, "launch");
}

TEST(Protocol, ADescriptionComesBackAsItWas) {
  const PluginInfo back = decode_plugin(encode(plugin()));
  EXPECT_EQ(back.digest, "0123");
  EXPECT_EQ(back.build, "g++ 12");
  EXPECT_EQ(back.strategies, plugin().strategies);
}

TEST(Protocol, AnyBytesAreTextAndAreCleaned) {
  Reply reply;
  reply.outcome = {Verdict::crashed, std::string("\xff\xfe 7 \0 broken", 13)};
  reply.quotes = {{{Verdict::unsupported, "\x1b[2Jno"}, "grid\x9b", 0}};
  reply.plugin = plugin();
  reply.plugin->version = "1\n2";
  reply.plugin->build = "\xe2\x80\xae++g";
  reply.plugin->strategies[0].summary = "\a";
  const Reply back = decode_reply(encode(reply));
  EXPECT_EQ(back.outcome, (Outcome{Verdict::crashed, "?? 7   broken"}));
  EXPECT_EQ(back.quotes.at(0).outcome.detail, " [2Jno");
  EXPECT_EQ(back.quotes.at(0).launch, "grid?");
  ASSERT_TRUE(back.plugin);
  EXPECT_EQ(back.plugin->version, "1 2");
  EXPECT_EQ(back.plugin->build, "?++g");
  EXPECT_EQ(back.plugin->strategies[0].summary, " ");
  EXPECT_EQ(decode_plugin(encode(*reply.plugin)).version, "1 2");
}

TEST(Protocol, ADescriptionThatSaysTooMuchIsRefused) {
  const auto is_taken = [](const PluginInfo& plugin) {
    try {
      decode_plugin(encode(plugin));
      return true;
    } catch (const Error&) {
      return false;
    }
  };
  const PluginInfo good = plugin();
  EXPECT_TRUE(is_taken(good));
  PluginInfo bad = good;
  bad.name = "Two\nlines";
  EXPECT_FALSE(is_taken(bad));
  bad = good;
  bad.strategies[0].name = "\x1b[31m";
  EXPECT_FALSE(is_taken(bad));
  bad = good;
  bad.strategies[0].summary = std::string(513, 's');
  EXPECT_FALSE(is_taken(bad));
  bad = good;
  bad.strategies[0].axes[1].second.clear();
  EXPECT_FALSE(is_taken(bad));
  bad = good;
  bad.strategies.push_back(good.strategies[0]);
  EXPECT_FALSE(is_taken(bad));

  // Within every other limit, but of more than a mebibyte.
  bad = good;
  const std::vector<std::int64_t> values(64, std::numeric_limits<std::int64_t>::min());
  bad.strategies[0].summary = std::string(512, 's');
  bad.strategies[0].axes = {{"a", values}, {"b", values}};
  for (int i = 0; i < 6; ++i)
    bad.strategies[0].axes.push_back({std::string(127, 'a') + char('a' + i), {1}});
  bad.strategies.resize(256, bad.strategies[0]);
  for (std::size_t i = 0; i < 256; ++i)
    bad.strategies[i].name = std::string(100, 'x') + std::to_string(i);
  ASSERT_GT(encode(bad).size(), 1U << 20);
  EXPECT_FALSE(is_taken(bad));
  bad.strategies.resize(200);
  ASSERT_LT(encode(bad).size(), 1U << 20);
  EXPECT_TRUE(is_taken(bad));
}

TEST(Protocol, WhatItDidNotWriteIsRefused) {
  Request request;
  request.threads = 7;
  const std::string good = encode(request);
  for (const std::string& bad :
       {std::string(), std::string("oops"), std::string("0 "), good.substr(0, good.size() / 2),
        good.substr(0, good.size() - 1), good + "x", good + "0 "}) {
    EXPECT_THROW(decode_request(bad), Error) << bad;
    EXPECT_THROW(decode_reply(bad), Error) << bad;
    EXPECT_THROW(decode_plugin(bad), Error) << bad;
  }
  const auto with_threads = [&](const std::string& text) {
    std::string changed = good;
    changed.replace(changed.rfind("7 "), 1, text);
    return changed;
  };
  EXPECT_EQ(decode_request(with_threads("4294967295")).threads, 4294967295U);
  for (const char* wrong : {"-1", "4294967296", "1e3", "7.0", "", " 7", "0x7"})
    EXPECT_THROW(decode_request(with_threads(wrong)), Error) << wrong;
}

TEST(Protocol, ALengthBeyondTheMessageIsRefusedBeforeItCostsMemory) {
  EXPECT_THROW(decode_plugin("99999999999999 x"), Error);
  EXPECT_THROW(decode_plugin("0 0 0 0 0 18446744073709551615 "), Error);
}

}  // namespace
}  // namespace xpose
