// Names read back: what to_string() writes, in a file that another version may have written.
#pragma once

#include <optional>
#include <string_view>

#include "xpose/xpose.hpp"

namespace xpose {

std::optional<Verdict> parse_verdict(std::string_view name);
std::optional<Role> parse_role(std::string_view name);  // empty: unknown

}  // namespace xpose
