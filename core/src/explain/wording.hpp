// Numbers as the explanation's sentences write them.
#pragma once

#include <cstdint>
#include <string>

namespace xpose {

std::string percent(double share);           // "3.2 %"
std::string times(double factor);            // "4", "1.75", "16.5"
std::string kilobytes(std::uint64_t bytes);  // "8 KiB"

}  // namespace xpose
