// A worker that misbehaves on request: "echo TEXT" answers TEXT, "hold PATH" opens a leash; all
// other requests are names of tricks.
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>

#include "worker/host_channel.hpp"

namespace {

using xpose::kChannelDescriptor;

void write_raw(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(descriptor, bytes.data(), bytes.size());
    if (count < 0) _exit(99);
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

[[noreturn]] void hang() {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  for (;;) pause();
}

// Dies of a signal, not of what a sanitizer makes of it.
[[noreturn]] void die_of(int signal) {
  std::signal(signal, SIG_DFL);
  raise(signal);
  hang();
}

int leash = -1;  // the write end of a named pipe

bool hold(const char* path) {
  leash = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  return leash >= 0;
}

// A child that holds all it inherited, the leash too, until nobody has the other end of that.
void leave_child(bool escape) {
  if (fork() != 0) return;
  if (escape) setsid();
  pollfd reader{leash, 0, 0};
  while (poll(&reader, 1, -1) <= 0) continue;
  _exit(0);
}

std::string open_descriptors() {
  std::string text;
  for (int i = 0; i < 1024; ++i)
    if (fcntl(i, F_GETFD) != -1) text += (text.empty() ? "" : " ") + std::to_string(i);
  return text;
}

// Signals that are blocked or ignored, as a program finds them when it starts.
std::string odd_signals() {
  std::string text;
  sigset_t blocked;
  sigprocmask(SIG_BLOCK, nullptr, &blocked);
  for (int signal = 1; signal < 32; ++signal) {
    struct sigaction action {};
    sigaction(signal, nullptr, &action);
    if (sigismember(&blocked, signal) == 1 || action.sa_handler == SIG_IGN)
      text += std::to_string(signal) + " ";
  }
  return text;
}

void flood(long bytes) {
  const std::string line = std::string(4095, '.') + "\n";
  for (long written = 0; written < bytes; written += 2 * static_cast<long>(line.size())) {
    write_raw(STDOUT_FILENO, line);
    write_raw(STDERR_FILENO, line);
  }
}

// By their names.
using Tricks = std::map<std::string_view, std::function<void()>>;

Tricks ways_to_end() {
  return {
      {"exit", [] { std::exit(3); }},
      {"abort", [] { std::abort(); }},
      {"segfault", [] { die_of(SIGSEGV); }},
      {"hang", [] { hang(); }},
      {"spin",
       [] {
         setpriority(PRIO_PROCESS, 0, -20);  // where it may
         for (volatile bool busy = true; busy;) continue;
       }},
  };
}

Tricks ways_to_print(xpose::HostChannel& channel) {
  return {
      {"flood", [] { flood(1L << 60); }},
      {"flood a little",
       [&] {
         flood(4L << 20);
         channel.send("done");
       }},
      {"words",
       [&] {
         write_raw(STDOUT_FILENO, "first\n");
         write_raw(STDERR_FILENO, "\n\x1b[31msecond\n");
         std::exit(1);
       }},
      {"close the output",
       [] {
         close(STDOUT_FILENO);
         close(STDERR_FILENO);
         hang();
       }},
      {"read input",
       [&] {
         char byte = 0;
         channel.send(std::to_string(read(STDIN_FILENO, &byte, 1)));
       }},
  };
}

Tricks ways_to_answer(xpose::HostChannel& channel) {
  const auto raw = [](std::string_view bytes) { write_raw(kChannelDescriptor, bytes); };
  return {
      {"write garbage",
       [&] {
         raw("hello, world");
         hang();
       }},
      {"stop talking",
       [] {
         shutdown(kChannelDescriptor, SHUT_WR);
         hang();
       }},
      {"close the channel",
       [] {
         close(kChannelDescriptor);
         hang();
       }},
      {"send slowly",
       [&] {
         for (const char byte : xpose::frame("byte by byte")) {
           raw({&byte, 1});
           usleep(100);
         }
       }},
      {"send without end",
       [&] {
         raw(xpose::frame(std::string(xpose::kMaxFrame, 'x')).substr(0, 8));
         for (;;) raw("x");
       }},
      {"send too much",
       [&] {
         raw({"xpo1\0\0\x40\x01", 8});
       }},  // 20 MiB
      {"send half",
       [&] {
         raw(xpose::frame("half").substr(0, 10));
         std::exit(3);
       }},
      {"send and exit",
       [&] {
         for (int i = 0; i < 3; ++i) channel.send(std::string(20'000, static_cast<char>('a' + i)));
         std::exit(3);
       }},
  };
}

Tricks ways_with_processes(xpose::HostChannel& channel) {
  return {
      {"have a child",
       [&] {
         leave_child(false);
         channel.send("done");
       }},
      {"leave a child",
       [&] {
         leave_child(false);
         std::exit(0);
       }},
      {"let a child escape",
       [&] {
         leave_child(true);
         std::exit(0);
       }},
      {"leave the group",
       [&] {
         setpgid(0, getpgid(getppid()));
         channel.send(getpgrp() == getpgid(getppid()) ? "done" : "failed");
         hang();
       }},
      {"allow tracing",
       [&] {
         prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
         channel.send("done");
       }},
  };
}

void serve(xpose::HostChannel& channel, const std::string& request) {
  if (request.starts_with("echo ")) return channel.send(request.substr(5));
  if (request.starts_with("hold "))
    return channel.send(hold(request.c_str() + 5) ? "done" : "failed");
  for (const Tricks& tricks : {ways_to_end(), ways_to_print(channel), ways_to_answer(channel),
                               ways_with_processes(channel)})
    if (const auto trick = tricks.find(request); trick != tricks.end()) return trick->second();
  std::exit(98);
}

}  // namespace

int main() {
  const std::string descriptors = open_descriptors(), signals = odd_signals();
  xpose::HostChannel channel;
  while (const auto request = channel.receive(60)) {
    if (*request == "descriptors") {
      channel.send(descriptors);
    } else if (*request == "signals") {
      channel.send(signals);
    } else {
      serve(channel, *request);
    }
  }
}
