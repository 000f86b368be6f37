// Pages of the host's memory that are closed while a launch runs, and who touches them first.
#pragma once

#include <cstddef>
#include <vector>

namespace xpose {

// Closes pages and lets every access to them go on all the same: the first is noted, and from then
// on that page is open. So a launch that reads where it must not comes to its end, and can be told
// where. An access to any other memory is a fault as ever. [one at a time in a process; launches in
// any thread]
class PageWatch {
 public:
  struct Pages {  // whole ones
    std::byte* begin = nullptr;
    std::byte* end = nullptr;
    bool is_readable = false;  // else not even that
  };

  // Throws Error no_memory where the system cannot keep so many ranges apart.
  explicit PageWatch(std::vector<Pages> closed);
  ~PageWatch() { open(); }
  PageWatch(const PageWatch&) = delete;  // handles a signal
  PageWatch& operator=(const PageWatch&) = delete;

  // Opens all pages. The address of the first access, or null.
  const std::byte* open();

 private:
  std::vector<Pages> closed_;
  const std::byte* touched_ = nullptr;
};

}  // namespace xpose
