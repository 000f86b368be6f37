#include "fake_nccl.hpp"

#include <cstdlib>
#include <cstring>
#include <set>

namespace {

constexpr int kLooks = 3;  // until a call that does not block is on the stream

thread_local int group_depth = 0;
thread_local std::vector<FakeComm*> group;

std::mutex gone_mutex;
std::set<const FakeComm*> gone;

bool is_gone(const FakeComm* comm) {
  const std::lock_guard lock(gone_mutex);
  return gone.contains(comm);
}

// NCCL refuses a call to a communicator that is still at work on another.
ncclResult_t begin(FakeComm* comm, bool takes_group) {
  if (comm->looks_in_progress > 0 && !(takes_group && comm->is_in_group)) {
    ++fake_counts().wrong_calls;
    return ncclSystemError;
  }
  if (comm->blocks) return ncclSuccess;
  if (takes_group && group_depth > 0) {
    group.push_back(comm);
    return ncclSuccess;
  }
  comm->looks_in_progress = kLooks;
  return ncclInProgress;
}

void post(FakeComm* comm, int to, const void* data, std::size_t bytes) {
  const std::lock_guard lock(comm->world->mutex);
  const auto* const begin = static_cast<const std::byte*>(data);
  comm->world->letters[{comm->rank, to}].emplace_back(begin, begin + bytes);
}

bool take(FakeComm* comm, int from, void* data, std::size_t bytes) {
  const std::lock_guard lock(comm->world->mutex);
  auto& letters = comm->world->letters[{from, comm->rank}];
  if (letters.empty()) return false;
  if (letters.front().size() != bytes) ++fake_counts().wrong_calls;
  std::memcpy(data, letters.front().data(), letters.front().size());
  letters.pop_front();
  return true;
}

}  // namespace

FakeCounts& fake_counts() {
  static FakeCounts counts;
  return counts;
}

cudaError_t cudaSetDevice(int) { return cudaSuccess; }
cudaError_t cudaMallocBytes(void** memory, std::size_t bytes) {
  *memory = std::malloc(bytes);
  ++fake_counts().memory;
  return cudaSuccess;
}
cudaError_t cudaFree(void* memory) {
  if (memory != nullptr) --fake_counts().memory;
  std::free(memory);
  return cudaSuccess;
}
cudaError_t cudaFreeHost(void* memory) { return cudaFree(memory); }
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind,
                            cudaStream_t stream) {
  stream->steps.push_back({nullptr, [=] {
                             std::memcpy(to, from, bytes);
                             return true;
                           }});
  return cudaSuccess;
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  for (; !stream->steps.empty(); stream->steps.pop_front())
    if (!is_gone(stream->steps.front().comm) && !stream->steps.front().try_it())
      return cudaErrorNotReady;
  return cudaSuccess;
}
cudaError_t cudaGetLastError() { return cudaSuccess; }
const char* cudaGetErrorString(cudaError_t) { return "a CUDA error"; }

ncclResult_t ncclCommUserRank(ncclComm_t comm, int* rank) {
  *rank = comm->rank;
  return ncclSuccess;
}
ncclResult_t ncclCommCount(ncclComm_t comm, int* count) {
  *count = comm->world->size;
  return ncclSuccess;
}
ncclResult_t ncclCommCuDevice(ncclComm_t comm, int* ordinal) {
  *ordinal = comm->rank;
  return ncclSuccess;
}

// The ranks of one world split it into one other.
ncclResult_t ncclCommSplit(ncclComm_t comm, int, int key, ncclComm_t* made, ncclConfig_t* config) {
  const std::lock_guard lock(comm->world->mutex);
  std::shared_ptr<FakeWorld> world = comm->world->split.lock();
  if (world == nullptr) {
    world = std::make_shared<FakeWorld>();
    world->size = comm->world->size;
    comm->world->split = world;
  }
  *made = new FakeComm{world, key, config->blocking != 0, kLooks, false};
  ++fake_counts().comms;
  return ncclSuccess;
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* state) {
  *state = comm->looks_in_progress > 0 ? ncclInProgress : ncclSuccess;
  if (comm->looks_in_progress > 0 && --comm->looks_in_progress == 0) comm->is_in_group = false;
  return ncclSuccess;
}
ncclResult_t ncclCommFinalize(ncclComm_t comm) { return begin(comm, false); }
ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  if (comm->looks_in_progress > 0) ++fake_counts().wrong_calls;
  --fake_counts().comms;
  delete comm;
  return ncclSuccess;
}
// It stays where streams may still name it.
ncclResult_t ncclCommAbort(ncclComm_t comm) {
  static std::vector<std::unique_ptr<FakeComm>> kept;
  const std::lock_guard lock(gone_mutex);
  gone.insert(comm);
  kept.emplace_back(comm);
  --fake_counts().comms;
  ++fake_counts().aborted;
  return ncclSuccess;
}

ncclResult_t ncclAllGather(const void* own, void* all, std::size_t count, ncclDataType_t,
                           ncclComm_t comm, cudaStream_t stream) {
  const ncclResult_t result = begin(comm, true);
  if (result != ncclSuccess && result != ncclInProgress) return result;
  stream->steps.push_back({comm, [=] {
                             for (int to = 0; to < comm->world->size; ++to)
                               post(comm, to, own, count);
                             return true;
                           }});
  for (int from = 0; from < comm->world->size; ++from)
    stream->steps.push_back({comm, [=] {
                               return take(comm, from,
                                           static_cast<std::byte*>(all) +
                                               static_cast<std::size_t>(from) * count,
                                           count);
                             }});
  return result;
}
ncclResult_t ncclGroupStart() {
  ++group_depth;
  return ncclSuccess;
}
ncclResult_t ncclGroupEnd() {
  if (--group_depth > 0 || group.empty()) return ncclSuccess;
  for (FakeComm* comm : group) {
    comm->looks_in_progress = kLooks;
    comm->is_in_group = true;
  }
  group.clear();
  return ncclInProgress;
}
ncclResult_t ncclSend(const void* data, std::size_t count, ncclDataType_t, int rank,
                      ncclComm_t comm, cudaStream_t stream) {
  if (fake_counts().sends_fail) return ncclSystemError;
  const ncclResult_t result = begin(comm, true);
  stream->steps.push_back({comm, [=] {
                             post(comm, rank, data, count);
                             return true;
                           }});
  return result;
}
// All messages of a group begin together, so that its receives wait behind its sends.
ncclResult_t ncclRecv(void* data, std::size_t count, ncclDataType_t, int rank, ncclComm_t comm,
                      cudaStream_t stream) {
  const ncclResult_t result = begin(comm, true);
  stream->steps.push_back({comm, [=] { return take(comm, rank, data, count); }});
  return result;
}
const char* ncclGetErrorString(ncclResult_t) { return "an error of the system"; }
const char* ncclGetLastError(ncclComm_t) { return "a cable is missing"; }
