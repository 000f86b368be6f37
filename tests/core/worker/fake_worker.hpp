// A fixture for tests that talk to the fake worker, on systems with process descriptors and
// without.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>

#include "../../temporary_folder.hpp"
#include "process/descriptor.hpp"
#include "worker/worker_process.hpp"

namespace xpose {

inline bool operator==(const ProcessEnd& a, const ProcessEnd& b) {
  return a.kind == b.kind && a.code == b.code;
}
inline void PrintTo(const ProcessEnd& end, std::ostream* out) { *out << to_string(end); }

using Heard = WorkerProcess::Heard;

constexpr double kSoon = 0.05;   // for what never comes
constexpr double kPatient = 60;  // for what surely comes, on a busy machine too

constexpr ProcessEnd exited(int status) { return {ProcessEnd::Kind::exited, status}; }
constexpr ProcessEnd signalled(int signal) { return {ProcessEnd::Kind::signalled, signal}; }

// From here on this process and its children have a system without process descriptors.
inline bool forbid_process_descriptors() {
  std::array<sock_filter, 4> program{{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pidfd_open, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  }};
  const sock_fprog filter{program.size(), program.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

inline std::array<Descriptor, 2> socket_pair() {
  std::array<int, 2> ends{};
  EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

enum class Watching { by_descriptor, by_asking };

class WithFakeWorker : public testing::TestWithParam<Watching> {
 protected:
  void SetUp() override {
    if (GetParam() == Watching::by_asking && !forbid_process_descriptors())
      GTEST_SKIP() << "this system does not let a program filter its own calls";
  }
};

inline void ask(WorkerProcess& worker, std::string_view request) {
  ASSERT_TRUE(worker.send(request, kPatient)) << request;
}

// What it says to a request.
inline std::string answer(WorkerProcess& worker, std::string_view request) {
  if (!worker.send(request, kPatient)) return "NOT SENT";
  auto reply = worker.receive(kPatient);
  return reply.heard == Heard::message ? reply.payload : "NO MESSAGE";
}

inline Heard hear(WorkerProcess& worker, std::string_view request, double seconds) {
  return worker.send(request, kPatient) ? worker.receive(seconds).heard : Heard::ended;
}

// A named pipe. A worker that was asked to "hold" it has the only write end, and so do the children
// that it has from then on: when the last of them has gone, that shows at our end. The children go
// when that is closed.
class Leash {
 public:
  Leash() {
    EXPECT_EQ(mkfifo(path().c_str(), 0600), 0);
    end_ = Descriptor(open(path().c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    EXPECT_GE(end_.get(), 0);
  }

  std::string path() const { return folder_.path() / "leash"; }

  // False too as long as nobody has held it.
  bool nobody_holds(int milliseconds) const {
    pollfd watched{end_.get(), 0, 0};
    return poll(&watched, 1, milliseconds) == 1;
  }

 private:
  TemporaryFolder folder_;
  Descriptor end_;
};

}  // namespace xpose
