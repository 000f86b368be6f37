// Sizes in bytes on a command line: "512M".
#pragma once

#include "options/options.hpp"

namespace xpose::app {

// The bytes that an option was given, with K, M, G or T of 1024 behind them or nothing. Throws
// UsageError where they are fewer than `least`, which is a multiple of 1M.
std::uint64_t size_of(const po::variables_map& values, const std::string& option,
                      std::uint64_t least);

}  // namespace xpose::app
