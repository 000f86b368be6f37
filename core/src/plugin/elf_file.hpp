// A shared library before it is loaded.
#pragma once

#include <string>

namespace xpose {

// Why the open file cannot be loaded whatever it holds ("was built for aarch64, this machine is
// x86-64; ..."), by its first bytes, or an empty string.
std::string foreign(int descriptor);

// Why the open library is cut short ("is cut short: it has 4096 bytes of at least 16384; ..."), or
// an empty string. The system's loader maps a file without asking whether it holds all that its
// headers promise, and touching a missing page then ends the process.
std::string missing_part(int descriptor);

}  // namespace xpose
