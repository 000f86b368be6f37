#include "run/ring.hpp"

#include <liburing.h>
#include <sys/uio.h>

#include <cerrno>
#include <vector>

namespace xpose::app {
namespace {

class KernelRing : public Ring {
 public:
  explicit KernelRing(std::size_t depth)
      : parts_(depth), refusal_(-io_uring_queue_init(static_cast<unsigned>(depth), &ring_, 0)) {}
  KernelRing(const KernelRing&) = delete;  // the kernel knows its place
  KernelRing& operator=(const KernelRing&) = delete;
  ~KernelRing() override {
    if (refusal_ == 0) io_uring_queue_exit(&ring_);
  }

  int refusal() const { return refusal_; }

  // Vectors, because every kernel that has rings takes them.
  void push(const DirectFile& file, const Transfer& transfer, std::size_t tag) override {
    parts_[tag] = {transfer.bytes.data(), transfer.bytes.size()};
    io_uring_sqe* const entry = io_uring_get_sqe(&ring_);
    if (file.direction == DirectFile::Direction::read)
      io_uring_prep_readv(entry, file.fd, &parts_[tag], 1, transfer.offset);
    else
      io_uring_prep_writev(entry, file.fd, &parts_[tag], 1, transfer.offset);
    entry->user_data = tag;
  }

  int submit(std::size_t ends) override {
    return io_uring_submit_and_wait(&ring_, static_cast<unsigned>(ends));
  }

  int wait() override {
    io_uring_cqe* entry = nullptr;
    return io_uring_wait_cqe(&ring_, &entry);
  }

  std::optional<End> pop() override {
    io_uring_cqe* entry = nullptr;
    if (io_uring_peek_cqe(&ring_, &entry) != 0) return std::nullopt;
    const End end = {entry->user_data, entry->res};
    io_uring_cqe_seen(&ring_, entry);
    return end;
  }

 private:
  io_uring ring_{};
  std::vector<iovec> parts_;  // of the tags; older kernels read them late
  int refusal_;
};

}  // namespace

std::unique_ptr<Ring> make_ring(std::size_t depth) {
  auto ring = std::make_unique<KernelRing>(depth);
  if (ring->refusal() == 0) return ring;
  errno = ring->refusal();
  return nullptr;
}

}  // namespace xpose::app
