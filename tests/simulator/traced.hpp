// A plugin file's strategies, run by the simulator, and all that the observer was told.
#pragma once

#include <dlfcn.h>
#include <xpose/plugin.h>

#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

// Loads a plugin for good.
inline const xpose_plugin* load_plugin(const std::string& file) {
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
  const auto entry = reinterpret_cast<xpose_plugin_entry_fn>(dlsym(library, XPOSE_ENTRY_SYMBOL));
  return entry();
}

struct Block {
  uint64_t number;
};
struct Barrier {
  const void* site;
  uint32_t warp;
};
struct Fault {
  uint32_t what;
  const void* site;
  uint64_t block;
  uint32_t thread;
  uint32_t access;
  std::string text;
};

struct Traced {
  xpose_status status = XPOSE_OK;
  std::string text;
  std::vector<xpose_kernel> kernels;
  std::vector<std::variant<Block, xpose_access, Barrier>> events;
  std::vector<Fault> faults;

  std::vector<xpose_access> accesses() const {
    std::vector<xpose_access> all;
    for (const auto& event : events)
      if (const auto* access = std::get_if<xpose_access>(&event)) all.push_back(*access);
    return all;
  }
};

// keep_events: without it, kernels and faults alone are kept.
inline Traced trace(const xpose_strategy& strategy, const xpose_problem& problem,
                    const std::vector<int64_t>& config, const xpose_launch& launch,
                    const std::vector<xpose_region>& regions, bool keep_events = false) {
  struct Context {
    Traced traced;
    bool keep_events;
  } context = {{}, keep_events};
  xpose_observer observer = {};
  observer.size = sizeof observer;
  observer.region_count = static_cast<uint32_t>(regions.size());
  observer.regions = regions.data();
  observer.context = &context;
  observer.kernel = [](void* c, const xpose_kernel* kernel) {
    static_cast<Context*>(c)->traced.kernels.push_back(*kernel);
  };
  observer.block = [](void* c, uint64_t block) {
    if (static_cast<Context*>(c)->keep_events)
      static_cast<Context*>(c)->traced.events.push_back(Block{block});
  };
  observer.access = [](void* c, const xpose_access* access) {
    if (static_cast<Context*>(c)->keep_events)
      static_cast<Context*>(c)->traced.events.push_back(*access);
  };
  observer.barrier = [](void* c, const void* site, uint32_t warp) {
    if (static_cast<Context*>(c)->keep_events)
      static_cast<Context*>(c)->traced.events.push_back(Barrier{site, warp});
  };
  observer.fault = [](void* c, const xpose_fault* fault) {
    static_cast<Context*>(c)->traced.faults.push_back(
        {fault->what, fault->site, fault->block, fault->thread, fault->access, fault->text});
  };
  char text[512] = "";
  context.traced.status =
      strategy.trace(&problem, config.data(), &launch, &observer, {text, sizeof text});
  context.traced.text = text;
  return context.traced;
}
