// libcuda.so.1 before the driver's own: hands every call through and fails one. The CUDA runtime
// asks cuGetProcAddress for nearly all functions of the driver; what it gets here is a thunk that
// counts and then either jumps to the driver's function, with registers and stack as they came, or
// returns the error. So no signature is needed. Look-ups themselves neither count nor fail, and
// calls through cuGetExportTable are not seen.
//
// Environment, read at the first call:
//   XPOSE_FAULT_DRIVER  path of the driver's library
//   XPOSE_FAULT_AT      which call of the process fails, from 1
//   XPOSE_FAULT_ERROR   the CUresult; all but CUDA_ERROR_OUT_OF_MEMORY stay, as they do in a
//   context XPOSE_FAULT_TOKEN   a file. The process that fails renames it to TOKEN.failed and
//   writes the
//                       function's name into it; without the file nothing fails, so that of several
//                       processes one does, and once.
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <string_view>

// The driver's C interface as far as it is named here; a CUresult is an int.
#define XPOSE_DRIVER_API extern "C" __attribute__((visibility("default"))) int

// Thunk i, 16 bytes long, is xpose_thunks + 16 * i: it pushes i, and xpose_thunk asks xpose_target
// where to go, keeping all registers that carry arguments.
asm(R"(
    .text
    .p2align 4
xpose_thunks:
    .set index, 0
    .rept 1024
    .p2align 4
    endbr64
    pushq $index
    jmp xpose_thunk
    .set index, index + 1
    .endr

    .p2align 4
xpose_thunk:
    pushq %rdi
    pushq %rsi
    pushq %rdx
    pushq %rcx
    pushq %r8
    pushq %r9
    pushq %rax
    pushq %r10
    subq $128, %rsp
    movups %xmm0, (%rsp)
    movups %xmm1, 16(%rsp)
    movups %xmm2, 32(%rsp)
    movups %xmm3, 48(%rsp)
    movups %xmm4, 64(%rsp)
    movups %xmm5, 80(%rsp)
    movups %xmm6, 96(%rsp)
    movups %xmm7, 112(%rsp)
    movq 192(%rsp), %rdi
    call xpose_target
    movq %rax, %r11
    movups (%rsp), %xmm0
    movups 16(%rsp), %xmm1
    movups 32(%rsp), %xmm2
    movups 48(%rsp), %xmm3
    movups 64(%rsp), %xmm4
    movups 80(%rsp), %xmm5
    movups 96(%rsp), %xmm6
    movups 112(%rsp), %xmm7
    addq $128, %rsp
    popq %r10
    popq %rax
    popq %r9
    popq %r8
    popq %rcx
    popq %rdx
    popq %rsi
    popq %rdi
    addq $8, %rsp
    testq %r11, %r11
    jz 1f
    jmp *%r11
1:  movl xpose_error(%rip), %eax
    ret
)");

extern "C" {
__attribute__((visibility("hidden"))) extern const char xpose_thunks[];
__attribute__((visibility("hidden"), used)) int xpose_error = 0;
__attribute__((visibility("hidden"), used)) void* xpose_target(std::uint64_t index);
}

namespace {

constexpr int kOutOfMemory = 2;
constexpr int kNoDevice = 100;
constexpr std::size_t kMostFunctions = 1024;

const char* environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// The driver's functions that have a thunk. Leaked: the runtime calls until the process is gone.
class Shim {
 public:
  static Shim& self() {
    static auto* shim = new Shim;
    return *shim;
  }

  void* find(const char* name) const {
    return driver_ == nullptr ? nullptr : ::dlsym(driver_, name);
  }

  // The thunk of a driver's function; without one those that no device makes fail.
  void* wrap(std::string_view name, void* function) {
    if (function == nullptr || name.starts_with("cuGetError") || name == "cuGetExportTable" ||
        name == "cuDriverGetVersion")
      return function;
    const std::lock_guard lock(mutex_);
    std::size_t index = 0;
    while (index < used_ && functions_.at(index).address != function) ++index;
    if (index == kMostFunctions) return function;
    if (index == used_) functions_.at(used_++) = {function, std::string(name)};
    return const_cast<char*>(xpose_thunks + 16 * index);
  }

  // Where a call goes: the driver's function, or nowhere.
  void* target(std::size_t index) {
    const Function& function = functions_.at(index);
    if (failed_ && xpose_error != kOutOfMemory) return nullptr;
    if (++calls_ != at_) return function.address;
    const std::string failed = token_ + ".failed";
    if (std::rename(token_.c_str(), failed.c_str()) != 0) return function.address;
    if (const int file = ::open(failed.c_str(), O_WRONLY | O_CLOEXEC); file >= 0) {
      (void)!::write(file, function.name.data(), function.name.size());
      ::close(file);
    }
    failed_ = true;
    return nullptr;
  }

 private:
  struct Function {
    void* address = nullptr;
    std::string name;
  };

  Shim()
      : driver_(::dlopen(environment("XPOSE_FAULT_DRIVER"), RTLD_NOW | RTLD_LOCAL)),
        at_(std::strtoull(environment("XPOSE_FAULT_AT"), nullptr, 10)),
        token_(environment("XPOSE_FAULT_TOKEN")) {
    xpose_error = static_cast<int>(std::strtol(environment("XPOSE_FAULT_ERROR"), nullptr, 10));
  }

  void* driver_;
  std::uint64_t at_;
  std::string token_;
  std::atomic<std::uint64_t> calls_ = 0;
  std::atomic<bool> failed_ = false;
  std::mutex mutex_;
  std::array<Function, kMostFunctions> functions_;
  std::size_t used_ = 0;
};

template <class... Parameters>
int call(void* function, Parameters... parameters) {
  if (function == nullptr) return kNoDevice;  // there is no driver
  return reinterpret_cast<int (*)(Parameters...)>(function)(parameters...);
}

template <class... Parameters>
int call_counted(const char* name, Parameters... parameters) {
  Shim& shim = Shim::self();
  return call(shim.wrap(name, shim.find(name)), parameters...);
}

}  // namespace

void* xpose_target(std::uint64_t index) { return Shim::self().target(index); }

// NOLINTBEGIN(readability-identifier-naming): the names are the driver's
// All that the runtime looks up by dlsym.
XPOSE_DRIVER_API cuInit(unsigned flags) { return call_counted("cuInit", flags); }
XPOSE_DRIVER_API cuDriverGetVersion(int* version) {
  return call(Shim::self().find("cuDriverGetVersion"), version);
}
XPOSE_DRIVER_API cuGetExportTable(const void** table, const void* id) {
  return call(Shim::self().find("cuGetExportTable"), table, id);
}
XPOSE_DRIVER_API cuGetProcAddress(const char* name, void** function, int version,
                                  std::uint64_t flags);
XPOSE_DRIVER_API cuGetProcAddress_v2(const char* name, void** function, int version,
                                     std::uint64_t flags, int* status);

namespace {

// What a look-up gives for a function of the driver: for itself ours, else a thunk.
void* found(const char* name, void* function) {
  Shim& shim = Shim::self();
  if (function == shim.find("cuGetProcAddress_v2"))
    return reinterpret_cast<void*>(&cuGetProcAddress_v2);
  if (function == shim.find("cuGetProcAddress")) return reinterpret_cast<void*>(&cuGetProcAddress);
  return shim.wrap(name, function);
}

}  // namespace

XPOSE_DRIVER_API cuGetProcAddress(const char* name, void** function, int version,
                                  std::uint64_t flags) {
  const int result = call(Shim::self().find("cuGetProcAddress"), name, function, version, flags);
  if (result == 0 && *function != nullptr) *function = found(name, *function);
  return result;
}

XPOSE_DRIVER_API cuGetProcAddress_v2(const char* name, void** function, int version,
                                     std::uint64_t flags, int* status) {
  const int result =
      call(Shim::self().find("cuGetProcAddress_v2"), name, function, version, flags, status);
  if (result == 0 && *function != nullptr) *function = found(name, *function);
  return result;
}
// NOLINTEND(readability-identifier-naming)
