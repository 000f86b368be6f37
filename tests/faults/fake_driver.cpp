// A library that answers like a driver, for the shim to stand before.
#include <cstdint>
#include <cstring>

#define XPOSE_DRIVER_API extern "C" __attribute__((visibility("default"))) int

// NOLINTBEGIN(readability-identifier-naming): the names are the driver's
XPOSE_DRIVER_API cuInit(unsigned flags) { return flags == 0 ? 0 : 1; }
XPOSE_DRIVER_API cuDriverGetVersion(int* version) {
  *version = 13000;
  return 0;
}
XPOSE_DRIVER_API cuGetErrorString(int error, const char** words) {
  *words = error == 2 ? "out of memory" : "?";
  return 0;
}
XPOSE_DRIVER_API cuGetExportTable(const void** table, const void* id) {
  *table = id;
  return 0;
}

// Arguments in every register that can hold one, and on the stack.
XPOSE_DRIVER_API cuLaunchKernel(std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d,
                                std::int64_t e, std::int64_t f, double s, double t, double u,
                                double v, double w, double x, double y, double z, std::int64_t g,
                                std::int64_t h) {
  const bool whole = a == 1 && b == 2 && c == 3 && d == 4 && e == 5 && f == 6 && g == 7 && h == 8;
  const bool parts =
      s == 0.5 && t == 1.5 && u == 2.5 && v == 3.5 && w == 4.5 && x == 5.5 && y == 6.5 && z == 7.5;
  return whole && parts ? 4242 : -1;
}

XPOSE_DRIVER_API cuGetProcAddress_v2(const char* name, void** function, int, std::uint64_t, int*) {
  struct Entry {
    const char* name;
    void* address;
  };
  const Entry entries[] = {
      {"cuInit", reinterpret_cast<void*>(&cuInit)},
      {"cuGetErrorString", reinterpret_cast<void*>(&cuGetErrorString)},
      {"cuLaunchKernel", reinterpret_cast<void*>(&cuLaunchKernel)},
      {"cuGetProcAddress", reinterpret_cast<void*>(&cuGetProcAddress_v2)},
  };
  for (const Entry& entry : entries)
    if (std::strcmp(entry.name, name) == 0) {
      *function = entry.address;
      return 0;
    }
  *function = nullptr;
  return 500;
}
// NOLINTEND(readability-identifier-naming)
