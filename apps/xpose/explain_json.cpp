#include <bit>

#include "explain.hpp"

namespace xpose::app {
namespace {

Json line_json(const SourceLine& where) { return {{"file", where.file}, {"line", where.line}}; }

Json example_json(const WarpAccess& example) {
  Json offsets = Json::array();  // null: the lane was not active
  for (std::size_t lane = 0; lane < example.offset.size(); ++lane)
    offsets.push_back((example.lanes >> lane & 1) != 0 ? Json(example.offset.at(lane))
                                                       : Json(nullptr));
  return {{"block", example.block},
          {"warp", example.warp},
          {"lanes", example.lanes},
          {"offset", offsets}};
}

Json site_json(const AccessSite& site) {
  return {{"where", line_json(site.where)},
          {"space", site.space == MemorySpace::global ? "global" : "shared"},
          {"kind", site.kind == AccessKind::load ? "load" : "store"},
          {"lane_bytes", site.lane_bytes},
          {"requests", site.requests},
          {"bytes", site.bytes},
          {"sectors", site.sectors},
          {"wavefronts", site.wavefronts},
          {"ideal_sectors", site.ideal_sectors},
          {"ideal_wavefronts", site.ideal_wavefronts},
          {"worst_conflict", site.worst_conflict},
          {"example", example_json(site.example)}};
}

Json totals_json(const AccessTotals& sum) {
  return {{"load_sectors", sum.load_sectors},
          {"store_sectors", sum.store_sectors},
          {"ideal_load_sectors", sum.ideal_load_sectors},
          {"ideal_store_sectors", sum.ideal_store_sectors},
          {"load_requests", sum.load_requests},
          {"store_requests", sum.store_requests},
          {"load_wavefronts", sum.load_wavefronts},
          {"store_wavefronts", sum.store_wavefronts},
          {"ideal_load_wavefronts", sum.ideal_load_wavefronts},
          {"ideal_store_wavefronts", sum.ideal_store_wavefronts}};
}

Json kernel_json(const KernelAccount& kernel) {
  Json json = {{"name", kernel.name},         {"grid", kernel.grid},
               {"block", kernel.block},       {"shared_bytes", kernel.shared_bytes},
               {"launches", kernel.launches}, {"barriers", kernel.barriers},
               {"sites", Json::array()}};
  for (const AccessSite& site : kernel.sites) json["sites"].push_back(site_json(site));
  return json;
}

Json finding_json(const Finding& finding) {
  return {{"kind", to_string(finding.kind)},
          {"where", line_json(finding.where)},
          {"block", finding.block},
          {"thread", finding.thread},
          {"text", finding.text},
          {"times", finding.times}};
}

Json model_json(const AccessAccount& model) {
  Json json = {{"kernels", Json::array()},
               {"findings", Json::array()},
               {"seconds", model.seconds},
               {"totals", totals_json(model.totals())}};
  for (const KernelAccount& kernel : model.kernels) json["kernels"].push_back(kernel_json(kernel));
  for (const Finding& finding : model.findings) json["findings"].push_back(finding_json(finding));
  return json;
}

Json hardware_json(const HardwareAccount& hardware) {
  return {{"totals", totals_json(hardware.totals)},
          {"dram_read_bytes", hardware.dram_read_bytes},
          {"dram_write_bytes", hardware.dram_write_bytes},
          {"instructions", hardware.instructions},
          {"registers", hardware.registers},
          {"shared_bytes", hardware.shared_bytes},
          {"blocks_per_multiprocessor", hardware.blocks_per_multiprocessor},
          {"occupancy", hardware.occupancy},
          {"seconds", hardware.seconds},
          {"roof_seconds", hardware.roof_seconds}};
}

}  // namespace

Json to_json(const Explanation& told) {
  Json config = Json::object();
  for (const AxisValue& value : told.variant.config) config[value.axis] = value.value;
  return {{"schema", "xpose.explain/1"},
          {"xpose", version()},
          {"problem", to_json(told.problem)},
          {"variant", to_string(told.variant)},
          {"strategy", told.variant.strategy},
          {"config", config},
          {"launch", told.launch},
          {"model", told.model ? model_json(*told.model) : Json(nullptr)},
          {"no_model", told.no_model},
          {"hardware", told.hardware ? hardware_json(*told.hardware) : Json(nullptr)},
          {"no_hardware", told.no_hardware},
          {"bytes_in_flight", told.bytes_in_flight},
          {"limiter", told.limiter}};
}

}  // namespace xpose::app
