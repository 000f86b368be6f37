#include "output/explain_json.hpp"

namespace xpose::app {
namespace {

const char* name_of(MemorySpace space) {
  return space == MemorySpace::global ? "global" : "shared";
}

const char* name_of(AccessKind kind) { return kind == AccessKind::load ? "load" : "store"; }

Json where_json(const SourceLine& where) { return {{"file", where.file}, {"line", where.line}}; }

Json example_json(const WarpAccess& access) {
  Json offsets = Json::array();  // null: the lane was not active
  for (std::size_t lane = 0; lane < access.offset.size(); ++lane)
    offsets.push_back((access.lanes >> lane & 1) != 0 ? Json(access.offset.at(lane))
                                                      : Json(nullptr));
  return {{"block", access.block},
          {"warp", access.warp},
          {"lanes", access.lanes},
          {"offset", std::move(offsets)}};
}

Json site_json(const AccessSite& site) {
  return {{"where", where_json(site.where)},
          {"space", name_of(site.space)},
          {"kind", name_of(site.kind)},
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

Json finding_json(const Finding& finding) {
  return {{"kind", to_string(finding.kind)},
          {"where", where_json(finding.where)},
          {"block", finding.block},
          {"thread", finding.thread},
          {"text", finding.text},
          {"access", finding.access ? Json(name_of(*finding.access)) : Json()},
          {"times", finding.times}};
}

Json kernel_json(const KernelAccount& kernel) {
  Json json = {{"name", kernel.name},         {"grid", kernel.grid},
               {"block", kernel.block},       {"shared_bytes", kernel.shared_bytes},
               {"launches", kernel.launches}, {"barriers", kernel.barriers},
               {"sites", Json::array()}};
  for (const AccessSite& site : kernel.sites) json["sites"].push_back(site_json(site));
  return json;
}

Json or_null(const auto& account) { return account ? to_json(*account) : Json(nullptr); }

}  // namespace

Json to_json(const AccessTotals& totals) {
  return {{"load_sectors", totals.load_sectors},
          {"store_sectors", totals.store_sectors},
          {"ideal_load_sectors", totals.ideal_load_sectors},
          {"ideal_store_sectors", totals.ideal_store_sectors},
          {"load_requests", totals.load_requests},
          {"store_requests", totals.store_requests},
          {"load_wavefronts", totals.load_wavefronts},
          {"store_wavefronts", totals.store_wavefronts},
          {"ideal_load_wavefronts", totals.ideal_load_wavefronts},
          {"ideal_store_wavefronts", totals.ideal_store_wavefronts}};
}

Json to_json(const AccessAccount& account) {
  Json json;
  json["totals"] = to_json(account.totals());
  json["kernels"] = Json::array();
  for (const KernelAccount& kernel : account.kernels)
    json["kernels"].push_back(kernel_json(kernel));
  json["findings"] = Json::array();
  for (const Finding& finding : account.findings) json["findings"].push_back(finding_json(finding));
  json["seconds"] = account.seconds;
  return json;
}

Json to_json(const HardwareAccount& account) {
  return {{"totals", to_json(account.totals)},
          {"arbitrated_load_wavefronts", account.arbitrated_load_wavefronts},
          {"arbitrated_store_wavefronts", account.arbitrated_store_wavefronts},
          {"dram_read_bytes", account.dram_read_bytes},
          {"dram_write_bytes", account.dram_write_bytes},
          {"instructions", account.instructions},
          {"registers", account.registers},
          {"shared_bytes", account.shared_bytes},
          {"blocks_per_multiprocessor", account.blocks_per_multiprocessor},
          {"occupancy", account.occupancy},
          {"seconds", account.seconds},
          {"roof_seconds", account.roof_seconds}};
}

Json to_json(const Explanation& explanation) {
  Json json;
  json["schema"] = "xpose.explain/2";
  json["xpose"] = version();
  json["problem"] = to_json(explanation.problem);
  json["variant"] = to_string(explanation.variant);
  json["strategy"] = explanation.variant.strategy;
  json["config"] = to_json(explanation.variant.config);
  json["launch"] = explanation.launch;
  json["simulation"] = or_null(explanation.simulation);
  json["no_simulation"] = explanation.no_simulation;
  json["hardware"] = or_null(explanation.hardware);
  json["no_hardware"] = explanation.no_hardware;
  json["bytes_in_flight"] = explanation.bytes_in_flight;
  json["limiter"] = explanation.limiter;
  return json;
}

}  // namespace xpose::app
