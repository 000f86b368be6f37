#include "simulator/fiber.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <new>

namespace xpose::simulator {
namespace {
constexpr std::size_t kStackBytes = 64u << 10;
}  // namespace

Stacks::Stacks() : memory_(nullptr), stride_(0) {}

Stacks::~Stacks() {
  if (memory_ != nullptr) munmap(memory_, stride_ * kMaxThreads);
}

void Stacks::reserve() {
  if (memory_ != nullptr) return;
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  stride_ = kStackBytes + page;
  void* const memory = mmap(nullptr, stride_ * kMaxThreads, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  for (std::size_t i = 0; i < kMaxThreads; ++i)
    if (mprotect(static_cast<char*>(memory) + i * stride_, page, PROT_NONE) != 0) {
      munmap(memory, stride_ * kMaxThreads);
      throw std::bad_alloc();
    }
  memory_ = memory;
}

Range Stacks::range() const {
  return {reinterpret_cast<uintptr_t>(memory_), stride_ * kMaxThreads};
}

void* Stacks::prepare(std::size_t index, void (*main)()) const {
  // Stacks that end at the same place of a page would contend for the same sets of the cache.
  const std::size_t shift = index * 320 % 4096;
  auto** const top = reinterpret_cast<void**>(static_cast<char*>(memory_) + (index + 1) * stride_ -
                                              shift);  // 16-byte aligned
#if defined(__x86_64__)
  constexpr int kSlots = 8;  // six registers, the address to go on at, and none to return to
  for (int i = 1; i <= kSlots; ++i) top[-i] = nullptr;
  top[-2] = reinterpret_cast<void*>(main);
#elif defined(__aarch64__)
  constexpr int kSlots = 20;  // x19 to x30, d8 to d15
  for (int i = 1; i <= kSlots; ++i) top[-i] = nullptr;
  top[-kSlots + 11] = reinterpret_cast<void*>(main);  // x30
#endif
  return top - kSlots;
}

}  // namespace xpose::simulator

// A jump, not a return: a return to another stack is always predicted wrong, which would double the
// time that a kernel with barriers takes.
#if defined(__x86_64__)
asm(R"(
  .pushsection .text
  .globl xpose_simulator_switch
  .hidden xpose_simulator_switch
  .type xpose_simulator_switch, @function
xpose_simulator_switch:
  endbr64
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  popq %rcx
  jmp *%rcx
  .size xpose_simulator_switch, . - xpose_simulator_switch
  .popsection
)");
#elif defined(__aarch64__)
asm(R"(
  .pushsection .text
  .globl xpose_simulator_switch
  .hidden xpose_simulator_switch
  .type xpose_simulator_switch, %function
xpose_simulator_switch:
  sub sp, sp, #160
  stp x19, x20, [sp]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x2, sp
  str x2, [x0]
  mov sp, x1
  ldp x19, x20, [sp]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  ret
  .size xpose_simulator_switch, . - xpose_simulator_switch
  .popsection
)");
#else
#error "the simulator switches stacks by hand: only x86-64 and aarch64 are known"
#endif
