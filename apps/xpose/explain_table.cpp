#include <ostream>

#include "explain.hpp"
#include "table.hpp"

namespace xpose::app {
namespace {

std::string line_text(const SourceLine& where) {
  if (where.file.empty()) return "(no line numbers)";
  return where.file.substr(where.file.find_last_of('/') + 1) + ':' + std::to_string(where.line);
}

std::string ratio_text(std::uint64_t taken, std::uint64_t ideal) {
  return ideal == 0 ? "" : fixed(static_cast<double>(taken) / static_cast<double>(ideal), 2);
}

std::string shape_text(const std::array<std::uint32_t, 3>& extents) {
  std::string text = std::to_string(extents[0]);
  for (std::size_t i = 1; i < 3; ++i)
    if (extents[1] != 1 || extents[2] != 1)
      if (i == 1 || extents[2] != 1) text += 'x' + std::to_string(extents.at(i));
  return text;
}

void print_kernel(std::ostream& out, const KernelAccount& kernel, bool bold) {
  out << "\nkernel " << kernel.name << ", grid " << shape_text(kernel.grid) << ", block "
      << shape_text(kernel.block);
  if (kernel.shared_bytes != 0) out << ", " << bytes_text(kernel.shared_bytes) << " shared";
  if (kernel.launches != 1) out << ", launched " << kernel.launches << " times";
  out << ", " << kernel.barriers << " barriers passed by blocks\n";
  Table table({{"line"},
               {"access"},
               {"bytes a lane", Table::right},
               {"requests", Table::right},
               {"sectors", Table::right},
               {"wavefronts", Table::right},
               {"ideal", Table::right},
               {"ratio", Table::right}});
  for (const AccessSite& site : kernel.sites) {
    const bool global = site.space == MemorySpace::global;
    const std::uint64_t taken = global ? site.sectors : site.wavefronts;
    const std::uint64_t ideal = global ? site.ideal_sectors : site.ideal_wavefronts;
    table.add({line_text(site.where),
               std::string(global ? "global " : "shared ") +
                   (site.kind == AccessKind::load ? "load" : "store"),
               std::to_string(site.lane_bytes), std::to_string(site.requests),
               global ? std::to_string(taken) : "", global ? "" : std::to_string(taken),
               std::to_string(ideal), ratio_text(taken, ideal)},
              taken > ideal);
  }
  table.print(out, bold);
}

std::string difference_text(std::uint64_t model, std::uint64_t hardware) {
  if (model == hardware) return "0 %";
  if (model == 0) return "";
  const double more = static_cast<double>(hardware) / static_cast<double>(model) - 1;
  return (more > 0 ? "+" : "") + fixed(100 * more, 2) + " %";
}

void print_totals(std::ostream& out, const Explanation& told) {
  const AccessTotals model = told.model ? told.model->totals() : AccessTotals{};
  const AccessTotals real = told.hardware ? told.hardware->totals : AccessTotals{};
  std::vector<Table::Column> columns = {{"total"}};
  if (told.model) columns.insert(columns.end(), {{"ideal", Table::right}, {"model", Table::right}});
  if (told.hardware) columns.push_back({"hardware", Table::right});
  if (told.model && told.hardware) columns.push_back({"difference", Table::right});
  Table table(columns);
  const auto row = [&](const char* name, std::uint64_t ideal, std::uint64_t modelled,
                       std::uint64_t counted) {
    std::vector<std::string> cells = {name};
    if (told.model) cells.insert(cells.end(), {std::to_string(ideal), std::to_string(modelled)});
    if (told.hardware) cells.push_back(std::to_string(counted));
    if (told.model && told.hardware) cells.push_back(difference_text(modelled, counted));
    table.add(cells);
  };
  row("global load sectors", model.ideal_load_sectors, model.load_sectors, real.load_sectors);
  row("global store sectors", model.ideal_store_sectors, model.store_sectors, real.store_sectors);
  row("shared load wavefronts", model.ideal_load_wavefronts, model.load_wavefronts,
      real.load_wavefronts);
  row("shared store wavefronts", model.ideal_store_wavefronts, model.store_wavefronts,
      real.store_wavefronts);
  out << '\n';
  table.print(out, false);
}

void print_hardware(std::ostream& out, const HardwareAccount& hardware) {
  out << "\nDRAM: " << bytes_text(hardware.dram_read_bytes) << " read, "
      << bytes_text(hardware.dram_write_bytes) << " written\n"
      << "time: " << time_text(hardware.seconds)
      << "; the roof: " << time_text(hardware.roof_seconds) << '\n'
      << "occupancy: " << fixed(100 * hardware.occupancy, 1) << " %, "
      << hardware.blocks_per_multiprocessor << " blocks a multiprocessor, " << hardware.registers
      << " registers a thread, " << bytes_text(hardware.shared_bytes) << " shared a block\n"
      << "instructions: " << hardware.instructions << " by warps\n";
}

}  // namespace

void print_explanation(std::ostream& out, const Explanation& told, bool bold) {
  out << to_string(told.variant) << " on " << to_string(told.problem) << ": " << told.launch
      << '\n';
  if (told.model)
    for (const KernelAccount& kernel : told.model->kernels) print_kernel(out, kernel, bold);
  else
    out << "\nno model: " << told.no_model << '\n';
  if (told.model || told.hardware) print_totals(out, told);
  if (told.hardware)
    print_hardware(out, *told.hardware);
  else
    out << "\nhardware not measured: " << told.no_hardware << '\n';
  if (told.bytes_in_flight != 0)
    out << "bytes in flight: " << (told.hardware ? "" : "at most ")
        << bytes_text(told.bytes_in_flight) << " of loads a multiprocessor\n";
  if (told.model && !told.model->findings.empty()) {
    out << "\nfindings:\n";
    for (const Finding& finding : told.model->findings) out << "  " << to_string(finding) << '\n';
  }
  out << '\n' << told.limiter << '\n';
}

}  // namespace xpose::app
