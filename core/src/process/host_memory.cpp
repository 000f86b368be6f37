#include "xpose/detail/host_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <random>
#include <string>
#include <utility>

#include "process/descriptor.hpp"

namespace xpose::detail {
namespace {

constexpr std::size_t kHeader = 64;  // bytes, of which the drawn number is the first

std::uint64_t draw() {
  std::random_device random;
  return std::uint64_t{random()} << 32 | random();
}

}  // namespace

HostMemory::HostMemory(int file, std::byte* all, std::size_t bytes)
    : file_(file), all_(all), bytes_(bytes) {}

HostMemory::~HostMemory() {
  close_file();
  ::munmap(all_, bytes_);
}

std::unique_ptr<HostMemory> HostMemory::map(int file, std::size_t bytes) {
  Descriptor owned(file);
  void* const all = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (all == MAP_FAILED) return nullptr;
  return std::unique_ptr<HostMemory>(
      new HostMemory(owned.release(), static_cast<std::byte*>(all), bytes));
}

std::unique_ptr<HostMemory> HostMemory::make(std::size_t bytes) {
  const std::size_t all_bytes = kHeader + bytes;
  Descriptor file(::memfd_create("xpose ranks", MFD_CLOEXEC));
  if (file.get() < 0 || ::ftruncate(file.get(), static_cast<off_t>(all_bytes)) != 0) return nullptr;
  const int number = file.get();
  std::unique_ptr<HostMemory> made = map(file.release(), all_bytes);
  if (made == nullptr) return nullptr;
  made->name_ = {static_cast<std::int32_t>(::getpid()), number, draw()};
  std::memcpy(made->all_, &made->name_.drawn, sizeof made->name_.drawn);
  return made;
}

std::unique_ptr<HostMemory> HostMemory::open(const Name& name, std::size_t bytes) {
  if (name.process == 0) return nullptr;
  const std::string path =
      "/proc/" + std::to_string(name.process) + "/fd/" + std::to_string(name.descriptor);
  Descriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (file.get() < 0 || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) ||
      status.st_size != static_cast<off_t>(kHeader + bytes))
    return nullptr;
  std::unique_ptr<HostMemory> opened = map(file.release(), kHeader + bytes);
  if (opened == nullptr || std::memcmp(opened->all_, &name.drawn, sizeof name.drawn) != 0)
    return nullptr;
  opened->name_ = name;
  return opened;
}

std::byte* HostMemory::data() const { return all_ + kHeader; }

void HostMemory::close_file() {
  if (file_ >= 0) ::close(std::exchange(file_, -1));
}

}  // namespace xpose::detail
