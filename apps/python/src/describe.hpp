// Reports of an engine as Python's dicts and lists.
#pragma once

#include <nanobind/nanobind.h>

#include <xpose/explain.hpp>
#include <xpose/xpose.hpp>

namespace xpose::python {

nanobind::list described(const std::vector<PluginInfo>& plugins);
nanobind::dict described(const Explanation& explanation);
nanobind::list described(const std::vector<DeviceInfo>& devices);

}  // namespace xpose::python
