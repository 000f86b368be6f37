#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iostream>

#include "commands/commands.hpp"
#include "output/json.hpp"
#include "output/table.hpp"
#include "xpose/cache.hpp"

namespace xpose::app {
namespace {

struct Finding {
  bool good;
  std::string what;
  std::string remedy;  // where it is not good
};

std::optional<std::filesystem::path> find_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "" : path;
  std::vector<std::filesystem::path> folders;
  while (!rest.empty()) {
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    folders.emplace_back(rest.substr(0, colon));
    rest.remove_prefix(std::min(colon + 1, rest.size()));
  }
  folders.emplace_back("/usr/local/cuda/bin");
  for (const auto& folder : folders)
    if (access((folder / name).c_str(), X_OK) == 0) return folder / name;
  return std::nullopt;
}

Finding cuda_finding() {
  const std::string reason = cuda_unavailable_reason();
  if (reason.empty()) return {true, "a CUDA device can be used", ""};
  if (reason == "built without CUDA")
    return {false, reason, "install the CUDA Toolkit and build again with -DXPOSE_CUDA=ON"};
  return {
      false, reason,
      "the host strategies serve every problem; for a GPU, install NVIDIA's driver and check that "
      "`nvidia-smi` lists the device"};
}

Finding toolkit_finding() {
  if (const auto nvcc = find_program("nvcc")) return {true, "CUDA compiler " + nvcc->string(), ""};
  return {false, "no CUDA compiler (nvcc)",
          "needed only to build CUDA plugins: install the CUDA Toolkit, or put nvcc on the PATH"};
}

Finding counters_finding() {
  std::ifstream params("/proc/driver/nvidia/params");
  if (!params) return {false, "no NVIDIA kernel driver", "needed only for GPU hardware counters"};
  for (std::string line; std::getline(params, line);)
    if (line == "RmProfilingAdminOnly: 1" && geteuid() != 0)
      return {false, "GPU hardware counters are for root alone",
              "to profile as this user, load the nvidia module with "
              "NVreg_RestrictProfilingToAdminUsers=0"};
  return {true, "GPU hardware counters can be read", ""};
}

// Plugins that are built only where a library is found: peers to compare with, and the fastest host
// strategies.
struct LibraryPlugin {
  const char* plugin;
  const char* library;
  const char* gives;
  const char* package;
  const char* else_where = "";  // it is left out on purpose
};
constexpr const char* kNotInWheels = "; the Python package leaves it out";
constexpr std::array<LibraryPlugin, 5> kLibraryPlugins = {{
    {"host_simd", "Highway", "the fastest host strategies", "libhwy-dev"},
    {"host_eigen", "Eigen", "a peer", "libeigen3-dev"},
    {"host_openblas", "OpenBLAS", "a peer", "libopenblas-dev", kNotInWheels},
    {"cuda_cublas", "cuBLAS", "a peer on GPUs", "the CUDA Toolkit with its libcublas-dev",
     kNotInWheels},
    {"cuda_staged", "the CUDA Toolkit", "host matrices through a GPU", "the CUDA Toolkit"},
}};

std::vector<Finding> library_findings(const std::vector<PluginInfo>& plugins) {
  std::vector<Finding> findings;
  for (const LibraryPlugin& sought : kLibraryPlugins) {
    // One that is refused is listed with the reason.
    const bool there = std::ranges::any_of(plugins, [&](const PluginInfo& plugin) {
      return plugin.name == sought.plugin || plugin.file.stem() == sought.plugin;
    });
    const std::string of =
        std::string(sought.library) + ": the plugin " + sought.plugin + ", " + sought.gives;
    if (there)
      findings.push_back({true, of, ""});
    else
      findings.push_back({false, of + ", is missing",
                          std::string("install ") + sought.package + " and build xpose again" +
                              sought.else_where});
  }
  return findings;
}

std::vector<Finding> plugin_findings(const Engine& engine, const EngineOptions& options) {
  std::vector<Finding> findings;
  std::size_t loaded = 0;
  std::size_t strategies = 0;
  const std::vector<PluginInfo>* plugins = nullptr;
  try {
    plugins = &engine.plugins();
  } catch (const Error& error) {
    return {{false, error.what(), "trials need the worker; --in-process goes without it"}};
  }
  for (const PluginInfo& plugin : *plugins) {
    if (!plugin.refused.empty()) {
      findings.push_back({false, "refused " + plugin.refused, "repair or remove the file"});
      continue;
    }
    ++loaded;
    strategies += plugin.strategies.size();
  }
  std::string folders;
  for (const auto& folder : options.plugin_folders)
    folders += (folders.empty() ? "" : ", ") + folder.string();
  findings.insert(findings.begin(),
                  {loaded != 0,
                   std::to_string(loaded) + " plugins with " + std::to_string(strategies) +
                       " strategies, from " + (folders.empty() ? "no folder" : folders),
                   "name a folder with --plugins or in XPOSE_PLUGIN_PATH"});
  for (Finding& finding : library_findings(*plugins)) findings.push_back(std::move(finding));
  return findings;
}

Finding cache_finding(const EngineOptions& options) {
  const std::filesystem::path file = options.cache.empty() ? default_cache_file() : options.cache;
  if (file.empty())
    return {false, "no home folder for a cache", "name a file with --cache or in XPOSE_CACHE"};
  std::error_code failure;
  if (!std::filesystem::exists(file, failure) && !failure)
    return {true, "nothing is remembered yet in " + file.string(), ""};
  if (failure)
    return {false, "cache " + file.string() + " cannot be looked for: " + failure.message(),
            "name another file with --cache or in XPOSE_CACHE"};
  try {
    const CacheContents contents = read_cache(file);
    return {true,
            std::to_string(contents.decisions.size()) + " decisions and " +
                std::to_string(contents.quarantine.size()) + " strategies in quarantine in " +
                file.string(),
            ""};
  } catch (const Error& error) {
    return {false, error.what(), "name another file with --cache or in XPOSE_CACHE"};
  }
}

std::string device_text(const DeviceInfo& device) {
  const bool host = device.device.kind == DeviceKind::host;
  std::string text = to_string(device.device) + ": " + device.name + ", " +
                     std::to_string(device.multiprocessors) +
                     (host ? " processor" : " multiprocessor") +
                     (device.multiprocessors == 1 ? ", " : "s, ");
  if (device.compute_capability != 0)
    text += "compute capability " + std::to_string(device.compute_capability / 10) + '.' +
            std::to_string(device.compute_capability % 10) + ", ";
  return text + bytes_text(device.cache_bytes) + " last-level cache, " +
         bytes_text(device.memory_bytes) + " memory";
}

void print_findings(std::ostream& out, const std::vector<Finding>& findings, std::size_t width) {
  out << "xpose " << version() << '\n';
  for (const DeviceInfo& device : devices())
    out << wrapped_text(device_text(device), width, 2) << '\n';
  constexpr std::size_t kIndent = 9;
  for (const Finding& finding : findings) {
    out << (finding.good ? "good     " : "missing  ") << wrapped_text(finding.what, width, kIndent)
        << '\n';
    if (!finding.good)
      out << std::string(kIndent, ' ') << wrapped_text(finding.remedy, width, kIndent) << '\n';
  }
}

}  // namespace

int doctor(const Arguments& arguments) {
  po::options_description options;
  options.add_options()(
      "json",
      po::value<std::string>()->default_value("")->implicit_value("-")->value_name("FILE|-"),
      "write the findings as JSON");
  add_engine_options(options);
  const auto values =
      parse("doctor", "Lists the devices of this machine, missing parts and their remedies.",
            options, {}, arguments);
  if (!values) return done;
  JsonOutput json(output_name(*values, "json"));
  const EngineOptions chosen = engine_options(*values);
  const Engine engine(chosen);

  std::vector<Finding> findings = {cuda_finding(), toolkit_finding(), counters_finding(),
                                   cache_finding(chosen)};
  for (Finding& finding : plugin_findings(engine, chosen)) findings.push_back(std::move(finding));

  Json document = {{"schema", "xpose.doctor/1"},
                   {"xpose", version()},
                   {"devices", Json::array()},
                   {"findings", Json::array()}};
  for (const DeviceInfo& device : devices()) document["devices"].push_back(to_json(device));
  for (const Finding& finding : findings)
    document["findings"].push_back(
        {{"good", finding.good}, {"what", finding.what}, {"remedy", finding.remedy}});
  json.write(document);
  if (json.is_stdout()) return done;

  print_findings(std::cout, findings, screen_of(STDOUT_FILENO).width);
  return done;
}

}  // namespace xpose::app
