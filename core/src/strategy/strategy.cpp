#include "strategy/strategy.hpp"

namespace xpose {

std::string version_text(std::uint32_t major, std::uint32_t minor) {
  return std::to_string(major) + '.' + std::to_string(minor);
}

std::string abi_version() { return version_text(XPOSE_ABI_MAJOR, XPOSE_ABI_MINOR); }

}  // namespace xpose
