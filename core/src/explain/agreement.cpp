#include "explain/agreement.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "explain/wording.hpp"

namespace xpose {
namespace {

constexpr double kCountsAgreeWithin = 0.001;
constexpr double kLinesAgreeWithin = 0.05;  // of DRAM bytes

struct Pair {
  const char* name;
  std::uint64_t simulated;
  std::uint64_t hardware;
  double difference() const {
    if (simulated == 0) return hardware == 0 ? 0 : 1;
    return static_cast<double>(hardware) / static_cast<double>(simulated) - 1;
  }
};

std::string sector_words(const AccessTotals& simulated, const AccessTotals& hardware) {
  std::string words;
  for (const Pair& pair : {Pair{"load", simulated.load_sectors, hardware.load_sectors},
                           Pair{"store", simulated.store_sectors, hardware.store_sectors}})
    if (std::abs(pair.difference()) > kCountsAgreeWithin)
      words += std::string(" The counters have ") + percent(std::abs(pair.difference())) +
               (pair.difference() > 0 ? " more " : " fewer ") + pair.name +
               " sectors than the simulator. Both counts are exact, so the device runs other "
               "instructions than the simulator does: accesses that the compiler merged, split "
               "or left out, or memory that registers spilled to.";
  return words.empty() ? " Simulator and counters agree on the sectors." : words;
}

std::string wavefront_words(const AccessTotals& simulated, const HardwareAccount& hardware) {
  const AccessTotals& counted = hardware.totals;
  std::string words;
  for (const Pair& pair : {Pair{"load", simulated.load_wavefronts, counted.load_wavefronts},
                           Pair{"store", simulated.store_wavefronts, counted.store_wavefronts}})
    if (std::abs(pair.difference()) > kCountsAgreeWithin)
      words +=
          std::string(" The counters have ") + percent(std::abs(pair.difference())) +
          (pair.difference() > 0 ? " more " : " fewer ") + pair.name +
          " wavefronts than the simulator: the compiler merged or split accesses to shared memory.";
  const Pair loads{"load", counted.load_wavefronts, hardware.arbitrated_load_wavefronts};
  const Pair stores{"store", counted.store_wavefronts, hardware.arbitrated_store_wavefronts};
  for (const Pair& pair : {loads, stores})
    if (pair.simulated != 0 && pair.difference() > kCountsAgreeWithin)
      words += std::string(" The device repeated ") + percent(pair.difference()) + " of the " +
               pair.name +
               " wavefronts, where shared and global accesses competed for the data stage; that "
               "changes from run to run.";
  return words;
}

std::string dram_words(const Explanation& told) {
  const AccessTotals ideal = told.simulation->totals();
  const Pair read{"read", 32 * ideal.ideal_load_sectors, told.hardware->dram_read_bytes};
  const Pair written{"written", 32 * ideal.ideal_store_sectors, told.hardware->dram_write_bytes};
  std::string words;
  if (read.simulated != 0 && read.difference() > kLinesAgreeWithin)
    words +=
        " DRAM reads were " + times(1 + read.difference()) +
        " times the bytes needed: lines left the L2 before all their bytes were used, or partly "
        "written ones were read to be completed.";
  if (written.simulated != 0 && written.difference() > kLinesAgreeWithin)
    words +=
        " DRAM writes were " + times(1 + written.difference()) +
        " times the bytes needed: the L2 gave up sectors that were written in part, and wrote them "
        "again.";
  else if (written.simulated != 0 && written.difference() < -kLinesAgreeWithin)
    words +=
        " DRAM writes were fewer than the bytes needed: sectors that the L2 still held at the "
        "end are not counted.";
  return words;
}

}  // namespace

std::string agreement(const Explanation& told) {
  if (!told.simulation || !told.hardware) return {};
  const AccessTotals simulated = told.simulation->totals();
  const std::string words = sector_words(simulated, told.hardware->totals) +
                            wavefront_words(simulated, *told.hardware) + dram_words(told);
  return words.substr(1);
}

}  // namespace xpose
