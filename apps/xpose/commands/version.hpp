// The text of `xpose --version`.
#pragma once

#include <string>

namespace xpose::app {

// Lines: the version of the library, those of its contracts, and of the compilers that built it.
std::string version_text();

}  // namespace xpose::app
