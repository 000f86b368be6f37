// The library's plugins, loaded into the test.
#pragma once

#include "registry/catalog.hpp"

namespace xpose {

inline const Catalog& loaded_plugins() {
  static Cache cache({}, {}, {});
  static Worker worker("", 10);  // never started
  static Admission here(worker, cache, {}, true);
  static const Catalog catalog = [] {
    const std::filesystem::path folder = XPOSE_PLUGINS;
    Catalog scanned = scan({&folder, 1}, cache);
    describe(scanned, here);
    return scanned;
  }();
  return catalog;
}

}  // namespace xpose
