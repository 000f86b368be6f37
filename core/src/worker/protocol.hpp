// The messages of host and worker. The host asks; the worker answers each request with
// notices of the stage it is in, and one reply. Both are of one build, so that a message is its
// fields in order and nothing more. (Not JSON: the destructor of nlohmann's allocates, and so ends
// a host that has run out of memory.)
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trial/trial_runner.hpp"

namespace xpose {

// Host and worker must be of one build: "0.1.0, protocol 3".
std::string build_version();

struct Request {
  enum class What { hello, load, quote, prepare, verify, time, examine };
  // Replies and notices carry it. It cannot be guessed, so that neither an answer to another
  // question nor what a plugin writes into the channel is taken for one.
  std::uint64_t id = 0;
  What what = What::hello;
  std::string version;          // hello: of the host, in the form of build_version()
  std::string file;             // load
  std::string digest;           // load: what the file must have; quote and trials: the plugin
  std::string strategy;         // quote and trials
  std::vector<Values> configs;  // quote: all; trials: the one
  Problem problem;              // quote, prepare
  DeviceInfo device;            // quote
  unsigned threads = 0;         // prepare
  bool warm = false;            // prepare
  bool operator==(const Request&) const = default;
};

struct Reply {
  std::uint64_t id = 0;
  std::string stage;                 // not empty: a notice, more follows
  Outcome outcome;                   // all but quote; prepare, load: not ok where that failed
  double seconds = 0;                // time
  std::vector<QuoteAnswer> quotes;   // quote, one a config
  std::optional<PluginInfo> plugin;  // load, where it was not refused
};

// The stages that a notice may announce while a request is answered, in their order, each once.
// A waiting host gives each stage its time, and the request no more than all of them together.
std::span<const std::string_view> stages_of(Request::What what);

std::string encode(const Request& request);
std::string encode(const Reply& reply);
std::string encode(const PluginInfo& plugin);

// Throw Error failed, saying where, for anything that encode() did not write, and for a description
// that read_plugin() would refuse. Texts for people are cleaned: see one_line().
Request decode_request(std::string_view payload);
Reply decode_reply(std::string_view payload);
PluginInfo decode_plugin(std::string_view payload);

}  // namespace xpose
