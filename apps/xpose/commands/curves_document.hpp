// The curves of routes, as curves_json() writes them.
#pragma once

#include <string>

#include "xpose/forecast.hpp"

namespace xpose::app {

// Throws Error failed, naming the file and the place, where it is no such document.
RouteCurves read_curves(const std::string& file);

}  // namespace xpose::app
