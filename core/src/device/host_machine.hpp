// The host, as its kernel describes it.
#pragma once

#include <cstdint>
#include <string>

namespace xpose {

std::string processor_name();
unsigned machine_processors();     // that are online, or whose time control groups give
unsigned usable_processors();      // by affinity as well
std::uint64_t last_level_cache();  // bytes
std::uint64_t available_memory();  // bytes, whatever limits this process has

}  // namespace xpose
