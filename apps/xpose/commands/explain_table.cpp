#include <ostream>

#include "commands/explain.hpp"
#include "output/table.hpp"

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

std::string kernel_text(const KernelAccount& kernel) {
  std::string text = "kernel " + kernel.name + ", grid " + shape_text(kernel.grid) + ", block " +
                     shape_text(kernel.block);
  if (kernel.shared_bytes != 0) text += ", " + bytes_text(kernel.shared_bytes) + " shared";
  if (kernel.launches != 1) text += ", launched " + std::to_string(kernel.launches) + " times";
  return text + ", " + std::to_string(kernel.barriers) + " barriers passed by blocks";
}

void print_kernel(std::ostream& out, const KernelAccount& kernel, const Screen& screen) {
  out << '\n' << wrapped_text(kernel_text(kernel), screen.width) << '\n';
  Table table({{"line", Table::left, Table::wrap, 24},
               {"access"},
               {"bytes a lane", Table::right, Table::whole, 0, 3},
               {"requests", Table::right, Table::whole, 0, 2},
               {"sectors", Table::right},
               {"wavefronts", Table::right},
               {"ideal", Table::right, Table::whole, 0, 1},
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
  table.print(out, screen);
}

std::string difference_text(std::uint64_t simulated, std::uint64_t hardware) {
  if (simulated == hardware) return "0 %";
  if (simulated == 0) return "";
  const double more = static_cast<double>(hardware) / static_cast<double>(simulated) - 1;
  return (more > 0 ? "+" : "") + fixed(100 * more, 2) + " %";
}

void print_totals(std::ostream& out, const Explanation& told, const Screen& screen) {
  const AccessTotals simulated = told.simulation ? told.simulation->totals() : AccessTotals{};
  const AccessTotals real = told.hardware ? told.hardware->totals : AccessTotals{};
  std::vector<Table::Column> columns = {{"total"}};
  if (told.simulation)
    columns.insert(columns.end(), {{"ideal", Table::right}, {"simulator", Table::right}});
  if (told.hardware) columns.push_back({"hardware", Table::right});
  if (told.simulation && told.hardware) columns.push_back({"difference", Table::right});
  Table table(columns);
  const auto row = [&](const char* name, std::uint64_t ideal, std::uint64_t simulated_count,
                       std::uint64_t counted) {
    std::vector<std::string> cells = {name};
    if (told.simulation)
      cells.insert(cells.end(), {std::to_string(ideal), std::to_string(simulated_count)});
    if (told.hardware) cells.push_back(std::to_string(counted));
    if (told.simulation && told.hardware)
      cells.push_back(difference_text(simulated_count, counted));
    table.add(cells);
  };
  row("global load sectors", simulated.ideal_load_sectors, simulated.load_sectors,
      real.load_sectors);
  row("global store sectors", simulated.ideal_store_sectors, simulated.store_sectors,
      real.store_sectors);
  row("shared load wavefronts", simulated.ideal_load_wavefronts, simulated.load_wavefronts,
      real.load_wavefronts);
  row("shared store wavefronts", simulated.ideal_store_wavefronts, simulated.store_wavefronts,
      real.store_wavefronts);
  out << '\n';
  table.print(out, screen);
}

std::string hardware_text(const HardwareAccount& hardware) {
  return "\nDRAM: " + bytes_text(hardware.dram_read_bytes) + " read, " +
         bytes_text(hardware.dram_write_bytes) + " written\ntime: " + time_text(hardware.seconds) +
         "; the roof: " + time_text(hardware.roof_seconds) +
         "\noccupancy: " + percent(hardware.occupancy) + ", " +
         std::to_string(hardware.blocks_per_multiprocessor) + " blocks a multiprocessor, " +
         std::to_string(hardware.registers) + " registers a thread, " +
         bytes_text(hardware.shared_bytes) +
         " shared a block\ninstructions: " + std::to_string(hardware.instructions) + " by warps";
}

}  // namespace

void print_explanation(std::ostream& out, const Explanation& told, const Screen& screen) {
  const auto say = [&](const std::string& text, std::size_t indent = 0) {
    out << wrapped_text(text, screen.width, indent) << '\n';
  };
  say(to_string(told.variant) + " on " + to_string(told.problem) + ": " + told.launch);
  if (told.simulation)
    for (const KernelAccount& kernel : told.simulation->kernels) print_kernel(out, kernel, screen);
  else
    say("\nno simulation: " + told.no_simulation);
  if (told.simulation || told.hardware) print_totals(out, told, screen);
  say(told.hardware ? hardware_text(*told.hardware)
                    : "\nhardware not measured: " + told.no_hardware);
  if (told.bytes_in_flight != 0)
    say(std::string("bytes in flight: ") + (told.hardware ? "" : "at most ") +
        bytes_text(told.bytes_in_flight) + " of loads a multiprocessor");
  if (told.simulation && !told.simulation->findings.empty()) {
    say("\nfindings:");
    for (const Finding& finding : told.simulation->findings) say("  " + to_string(finding), 4);
  }
  say("");
  say(told.limiter);
}

}  // namespace xpose::app
