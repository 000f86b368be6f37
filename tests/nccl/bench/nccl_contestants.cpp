#include "contestant.hpp"
#include "xpose/nccl.hpp"

namespace xpose::bench {
namespace {

void check_nccl(ncclResult_t result, const char* what) {
  if (result != ncclSuccess)
    throw Error(ErrorKind::failed, std::string(what) + ": " + ncclGetErrorString(result) + "; " +
                                       ncclGetLastError(nullptr));
}

class FoundNccl : public Nccl {
 public:
  FoundNccl() {
    const int devices[kRanks] = {0, 1};
    check_nccl(ncclCommInitAll(comms_.data(), kRanks, devices), "making communicators");
  }
  // The ranks have been closed before; both are destroyed by one thread.
  ~FoundNccl() override {
    for (ncclComm_t comm : comms_) (void)ncclCommDestroy(comm);
  }

  std::shared_ptr<DeviceRanks> make_ranks(const Rank& rank) override {
    return nccl_ranks(comm(rank), rank.stream);
  }

  void exchange(const Rank& rank, std::size_t pair) override {
    check_nccl(ncclGroupStart(), "beginning a group");
    check_nccl(ncclSend((*rank.own)[pair].in, rank.sent_bytes(), ncclInt8, 1 - rank.number,
                        comm(rank), rank.stream),
               "sending");
    check_nccl(ncclRecv((*rank.own)[pair].out, rank.sent_bytes(), ncclInt8, 1 - rank.number,
                        comm(rank), rank.stream),
               "receiving");
    check_nccl(ncclGroupEnd(), "ending a group");
    check(cudaStreamSynchronize(rank.stream), "waiting for messages");
  }

 private:
  ncclComm_t comm(const Rank& rank) { return comms_[static_cast<std::size_t>(rank.number)]; }

  std::array<ncclComm_t, kRanks> comms_{};
};

}  // namespace

std::unique_ptr<Nccl> make_nccl() { return std::make_unique<FoundNccl>(); }

}  // namespace xpose::bench
