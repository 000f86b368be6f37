// The names in a folder, listed by a caller that may be out of memory.
#pragma once

#include <filesystem>
#include <system_error>
#include <vector>

namespace xpose {

// The names in a folder, sorted, without "." and ".."; what was read before an error. Throws
// std::bad_alloc where there is no memory, of which libstdc++'s directory_iterator ends the
// process. [any thread]
std::vector<std::filesystem::path> names_in(const std::filesystem::path& folder,
                                            std::error_code& error);

}  // namespace xpose
