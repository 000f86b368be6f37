// A strategy, as a plugin offers it.
#pragma once

#include <cstdint>
#include <string>

#include "xpose/plugin.h"
#include "xpose/xpose.hpp"

namespace xpose {

struct Strategy {
  StrategyInfo info;
  std::string digest;                         // of the plugin's file
  const xpose_strategy* functions = nullptr;  // null: not loaded in this process
};

std::string version_text(std::uint32_t major, std::uint32_t minor);  // "1.2"

// The version of plugin.h that this library speaks.
std::string abi_version();

}  // namespace xpose
