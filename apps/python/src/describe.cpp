#include "describe.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

namespace xpose::python {
namespace {

namespace nb = nanobind;

const char* name_of(DeviceKind kind) { return kind == DeviceKind::cuda ? "cuda" : "host"; }

nb::object checked(PyObject* text) {
  nb::object result = nb::steal(text);
  if (!result.is_valid()) throw nb::python_error();
  return result;
}

// As os.fsdecode: a name of a file may have any bytes.
nb::object name_of(const std::filesystem::path& file) {
  const std::string& name = file.native();
  return checked(
      PyUnicode_DecodeFSDefaultAndSize(name.data(), static_cast<Py_ssize_t>(name.size())));
}

nb::dict described(const StrategyInfo& strategy) {
  nb::dict result;
  result["name"] = text_of(strategy.name);
  result["summary"] = text_of(strategy.summary);
  result["device"] = name_of(strategy.device_kind);
  result["role"] = to_string(strategy.role);
  result["in_place"] = strategy.in_place;
  result["permutes"] = strategy.permutes;
  result["capturable"] = strategy.capturable;
  nb::dict axes;
  for (const auto& [axis, values] : strategy.axes) {
    nb::list numbers;
    for (const std::int64_t value : values) numbers.append(value);
    axes[text_of(axis)] = numbers;
  }
  result["axes"] = axes;
  return result;
}

nb::dict described(const AccessTotals& totals) {
  nb::dict result;
  result["load_sectors"] = totals.load_sectors;
  result["store_sectors"] = totals.store_sectors;
  result["ideal_load_sectors"] = totals.ideal_load_sectors;
  result["ideal_store_sectors"] = totals.ideal_store_sectors;
  result["load_wavefronts"] = totals.load_wavefronts;
  result["store_wavefronts"] = totals.store_wavefronts;
  result["ideal_load_wavefronts"] = totals.ideal_load_wavefronts;
  result["ideal_store_wavefronts"] = totals.ideal_store_wavefronts;
  return result;
}

nb::dict described(const HardwareAccount& hardware) {
  nb::dict result;
  result["totals"] = described(hardware.totals);
  result["dram_read_bytes"] = hardware.dram_read_bytes;
  result["dram_write_bytes"] = hardware.dram_write_bytes;
  result["registers"] = hardware.registers;
  result["occupancy"] = hardware.occupancy;
  result["seconds"] = hardware.seconds;
  result["roof_seconds"] = hardware.roof_seconds;
  return result;
}

}  // namespace

nb::object text_of(std::string_view utf8) {
  return checked(
      PyUnicode_DecodeUTF8(utf8.data(), static_cast<Py_ssize_t>(utf8.size()), "replace"));
}

nb::list described(const std::vector<PluginInfo>& plugins) {
  nb::list result;
  for (const PluginInfo& plugin : plugins) {
    nb::dict one;
    one["file"] = name_of(plugin.file);
    one["name"] = text_of(plugin.name);
    one["version"] = text_of(plugin.version);
    one["build"] = text_of(plugin.build);
    one["refused"] = text_of(plugin.refused);
    nb::list strategies;
    for (const StrategyInfo& strategy : plugin.strategies) strategies.append(described(strategy));
    one["strategies"] = strategies;
    result.append(one);
  }
  return result;
}

nb::dict described(const Explanation& explanation) {
  nb::dict result;
  result["problem"] = to_string(explanation.problem);
  result["variant"] = to_string(explanation.variant);
  result["launch"] = explanation.launch;
  result["limiter"] = explanation.limiter;
  result["bytes_in_flight"] = explanation.bytes_in_flight;
  result["simulation"] = nb::none();
  result["no_simulation"] = explanation.no_simulation;
  if (explanation.simulation) {
    nb::list findings;
    for (const Finding& finding : explanation.simulation->findings)
      findings.append(to_string(finding));
    nb::dict simulation;
    simulation["totals"] = described(explanation.simulation->totals());
    simulation["findings"] = findings;
    result["simulation"] = simulation;
  }
  result["hardware"] = nb::none();
  if (explanation.hardware) result["hardware"] = described(*explanation.hardware);
  result["no_hardware"] = explanation.no_hardware;
  return result;
}

nb::list described(const std::vector<DeviceInfo>& devices) {
  nb::list result;
  for (const DeviceInfo& device : devices) {
    nb::dict one;
    one["device"] = to_string(device.device);
    one["name"] = device.name;
    one["driver"] = device.driver;
    one["memory_bytes"] = device.memory_bytes;
    result.append(one);
  }
  return result;
}

}  // namespace xpose::python
