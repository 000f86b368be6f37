// The limits of a plugin's description.
#pragma once

#include <string>
#include <string_view>

#include "xpose/xpose.hpp"

namespace xpose {

constexpr std::size_t kMaxStrategies = 256;
constexpr std::size_t kMaxNameBytes = 128;
constexpr std::size_t kMaxSummaryBytes = 512;          // versions and build texts are cut there
constexpr std::size_t kMaxDescriptionBytes = 1 << 20;  // in the protocol's form
constexpr std::uint32_t kMaxAlignment = 256;           // bytes of xpose_problem::in_alignment
constexpr std::uint32_t kMaxComputeCapability = 999;
constexpr std::uint64_t kMaxConfigs = 4096;  // of a strategy: each is quoted for each problem

extern const std::string kTooManyStrategies;  // the refusal

// [a-z][a-z0-9_]*, of at most kMaxNameBytes.
bool is_name(std::string_view text);

// Why a description is refused ("its strategy 'smem' has two axes named 'tile'; rename one"), or an
// empty string. Asked of what a plugin says in the worker, and of what a worker or a cache says of
// a plugin.
std::string description_problem(const PluginInfo& plugin);

}  // namespace xpose
