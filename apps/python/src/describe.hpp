// Reports of an engine as Python's dicts and lists.
#pragma once

#include <nanobind/nanobind.h>

#include <string_view>
#include <xpose/explain.hpp>
#include <xpose/xpose.hpp>

namespace xpose::python {

// A text of the library, which may quote names of any bytes.
nanobind::object text_of(std::string_view utf8);

nanobind::list described(const std::vector<PluginInfo>& plugins);
nanobind::dict described(const Explanation& explanation);
nanobind::list described(const std::vector<DeviceInfo>& devices);

}  // namespace xpose::python
