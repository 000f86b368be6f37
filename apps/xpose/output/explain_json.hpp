// The machine-readable form of why a strategy is fast or slow: the structs of explain.hpp, field by
// field, in snake_case.
#pragma once

#include <xpose/explain.hpp>

#include "output/json.hpp"

namespace xpose::app {

Json to_json(const AccessTotals& totals);
Json to_json(const AccessAccount& account);  // with its "totals"
Json to_json(const HardwareAccount& account);
Json to_json(const Explanation& explanation);  // "xpose.explain/1"

}  // namespace xpose::app
