// A worker that loads and prepares nothing, and ends trials as the strategy's name says.
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <map>

#include "worker/host_channel.hpp"
#include "worker/protocol.hpp"

namespace {

using xpose::Reply;

class Forger {
 public:
  void serve() {
    while (const auto request = channel_.receive(60)) {
      const xpose::Request asked = xpose::decode_request(*request);
      id_ = asked.id;
      if (asked.what == xpose::Request::What::verify) tricks().at(asked.strategy)();
      reply();
    }
  }

 private:
  void notice(const std::string& stage, std::uint64_t id) {
    Reply notice;
    notice.id = id;
    notice.stage = stage;
    channel_.send(encode(notice));
  }
  void notice(const std::string& stage) { notice(stage, id_); }
  void reply() {
    Reply reply;
    reply.id = id_;
    channel_.send(encode(reply));
  }

  std::map<std::string, std::function<void()>> tricks() {
    const auto hang = [] {
      for (;;) pause();
    };
    return {
        {"in_order",
         [this] {
           for (const char* stage : {"create", "launch", "check", "destroy"}) notice(stage);
         }},
        {"leaving_out", [this] { notice("check"); }},
        {"repeating",
         [this] {
           for (;; usleep(10'000)) notice("launch");
         }},
        {"going_back",
         [this] {
           for (const char* stage : {"launch", "create"}) notice(stage);
         }},
        {"inventing", [this] { notice("a stage of its own"); }},
        {"guessing", [this] { notice("launch", id_ + 1); }},
        {"stopping_early",
         [this, hang] {
           notice("launch");
           hang();
         }},
        {"closing",
         [this, hang] {
           notice("launch");
           shutdown(xpose::kChannelDescriptor, SHUT_WR);
           hang();
         }},
        {"closing_and_going_on", [] { close(xpose::kChannelDescriptor); }},
        {"killing", [] { raise(SIGKILL); }},
    };
  }

  xpose::HostChannel channel_;
  std::uint64_t id_ = 0;
};

}  // namespace

int main() { Forger().serve(); }
