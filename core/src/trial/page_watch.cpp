#include "trial/page_watch.hpp"

#include <sys/mman.h>

#include <atomic>
#include <csignal>
#include <mutex>
#include <span>

#include "device/device.hpp"

namespace xpose {
namespace {

// The state that the handler reads.
struct Watched {
  std::span<const PageWatch::Pages> pages;
  std::uintptr_t page_bytes = 0;
  std::atomic<const std::byte*> touched = nullptr;
  struct sigaction before {};  // ours
};
Watched watched;
std::mutex mutex;  // held while pages are closed

void protect(const PageWatch::Pages& pages, int protection) {
  if (mprotect(pages.begin, static_cast<std::size_t>(pages.end - pages.begin), protection) != 0)
    throw Error(ErrorKind::no_memory,
                "the system cannot protect the pages between buffers; raise vm.max_map_count");
}

// Calls only what a handler may. Where it is not about us, the same comes again, and finds the
// handler that was there before.
void on_fault(int signal, siginfo_t* info, void*) {
  auto* const address = static_cast<std::byte*>(info->si_addr);
  for (const PageWatch::Pages& pages : watched.pages)
    if (info->si_code > 0 && address >= pages.begin && address < pages.end) {
      const std::byte* none = nullptr;
      watched.touched.compare_exchange_strong(none, address);
      auto* const page = address - reinterpret_cast<std::uintptr_t>(address) % watched.page_bytes;
      mprotect(page, watched.page_bytes, PROT_READ | PROT_WRITE);
      return;
    }
  sigaction(signal, &watched.before, nullptr);
  if (info->si_code <= 0) raise(signal);  // somebody sent it
}

}  // namespace

PageWatch::PageWatch(std::vector<Pages> closed) : closed_(std::move(closed)) {
  if (closed_.empty()) return;
  mutex.lock();
  watched.pages = closed_;
  watched.page_bytes = page_bytes();
  watched.touched = nullptr;
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  sigaction(SIGSEGV, &action, &watched.before);
  try {
    for (const Pages& pages : closed_) protect(pages, pages.is_readable ? PROT_READ : PROT_NONE);
  } catch (const Error&) {
    open();
    throw;
  }
}

const std::byte* PageWatch::open() {
  if (closed_.empty()) return touched_;
  for (const Pages& pages : closed_)
    mprotect(pages.begin, static_cast<std::size_t>(pages.end - pages.begin),
             PROT_READ | PROT_WRITE);
  sigaction(SIGSEGV, &watched.before, nullptr);
  touched_ = watched.touched;
  watched.pages = {};
  closed_.clear();
  mutex.unlock();
  return touched_;
}

}  // namespace xpose
