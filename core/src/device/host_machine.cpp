#include "device/host_machine.hpp"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>

#include "device/processor_limits.hpp"
#include "process/descriptor.hpp"

namespace xpose {
namespace {

// The first bytes of a file of the kernel's, as many as one read gives; empty where there is none.
// Not a stream: these files are read whenever a process starts, and the kernel fills a longer
// buffer with what nobody asked for (/proc/cpuinfo: every other processor).
std::string beginning_of(const char* path) {
  const Descriptor file(::open(path, O_RDONLY | O_CLOEXEC));
  std::string text(1024, '\0');
  const ssize_t got = ::read(file.get(), text.data(), text.size());
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return text;
}

}  // namespace

std::string processor_name() {
  const std::string text = beginning_of("/proc/cpuinfo");
  if (const auto label = text.find("model name"); label != std::string::npos)
    if (const auto name = text.find(": ", label); name != std::string::npos)
      if (const auto end = text.find('\n', name); end != std::string::npos)
        return text.substr(name + 2, end - name - 2);
  return "host processor";
}

unsigned machine_processors() {
  const std::int64_t online = std::max<std::int64_t>(sysconf(_SC_NPROCESSORS_ONLN), 1);
  return std::min(static_cast<unsigned>(online), processors_by_groups());
}

unsigned usable_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return std::min(std::max(1U, static_cast<unsigned>(CPU_COUNT(&set))), machine_processors());
}

// Of the first processor. Not sysconf's figure first: on some machines that is the sum over a
// package of which a virtual machine sees a part.
std::uint64_t last_level_cache() {
  std::uint64_t bytes = 0;
  for (int index = 0;; ++index) {
    const std::string path =
        "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/size";
    const std::string text = beginning_of(path.c_str());  // "1024K"
    if (text.empty()) break;
    std::uint64_t size = 0;
    const char* unit = std::from_chars(text.data(), text.data() + text.size(), size).ptr;
    bytes = std::max(bytes, size << (*unit == 'M' ? 20 : 10));
  }
  if (bytes != 0) return bytes;
  const std::int64_t l3 = sysconf(_SC_LEVEL3_CACHE_SIZE);
  return static_cast<std::uint64_t>(std::max<std::int64_t>(l3, std::int64_t{32} << 20));
}

std::uint64_t available_memory() {
  std::ifstream info("/proc/meminfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("MemAvailable:"))
      return std::strtoull(line.c_str() + 13, nullptr, 10) * 1024;
  return static_cast<std::uint64_t>(sysconf(_SC_AVPHYS_PAGES)) *
         static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace xpose
