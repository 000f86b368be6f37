// A strategy, as a plugin offers it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "xpose/plugin.h"
#include "xpose/xpose.hpp"

namespace xpose {

struct Strategy {
  StrategyInfo info;
  std::string digest;                         // of the plugin's file
  const xpose_strategy* functions = nullptr;  // null: not loaded in this process
};

inline const StrategyInfo& card_of(const StrategyInfo& card) { return card; }
inline const StrategyInfo& card_of(const Strategy& strategy) { return strategy.info; }
inline const StrategyInfo& card_of(const Strategy* strategy) { return strategy->info; }

// The element of a list of cards, strategies or pointers to strategies that has the name, or null.
template <class List>
auto find_strategy(const List& list, std::string_view name) -> decltype(&*list.begin()) {
  for (const auto& one : list)
    if (card_of(one).name == name) return &one;
  return nullptr;
}

std::string version_text(std::uint32_t major, std::uint32_t minor);  // "1.2"

// The version of plugin.h that this library speaks.
std::string abi_version();

}  // namespace xpose
