// For builds without liburing.
#include <cerrno>

#include "run/ring.hpp"

namespace xpose::app {

std::unique_ptr<Ring> make_ring(std::size_t) {
  errno = ENOPKG;
  return nullptr;
}

}  // namespace xpose::app
