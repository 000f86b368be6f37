// Linked into the tests on the host: each process measures under a lock of its own. Else tests that
// run at the same time wait for one another, and for others who measure on this machine.
#include <stdlib.h>
#include <unistd.h>

#include "temporary_folder.hpp"

namespace xpose {
namespace {

class OwnLock {
 public:
  OwnLock() { setenv("XPOSE_LOCK_FOLDER", folder_->path().c_str(), 1); }
  ~OwnLock() {
    if (getpid() == owner_) delete folder_;  // a forked child leaves it to its parent
  }
  OwnLock(const OwnLock&) = delete;  // owns the folder on disk
  OwnLock& operator=(const OwnLock&) = delete;

 private:
  const pid_t owner_ = getpid();
  TemporaryFolder* const folder_ = new TemporaryFolder;
};

const OwnLock kOwnLock;

}  // namespace
}  // namespace xpose
