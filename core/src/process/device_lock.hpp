// One measurement at a time on a device, across the processes of a machine.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <string>

#include "process/descriptor.hpp"

namespace xpose {

// $XPOSE_LOCK_FOLDER where it is absolute; else /run/lock where everyone may create files in it,
// else /tmp: the same folder for every user, or they would not meet. Containers that share none of
// these meet in a folder that the variable names in each.
std::filesystem::path lock_folder();

// The reason why $XPOSE_LOCK_FOLDER is not followed, with the remedy, as one line; "" where it is.
std::string lock_folder_trouble();

// Holds an advisory lock while it lives; a process that dies lets go of it. A child that is started
// with exec does not inherit it; one that only forks shares it, and keeps it while it lives.
// First come, first served: each draws a ticket, a byte of the file that it locks (OFD), and
// has the device when all bytes in front are free. So a process that lets go and comes back stands
// behind those that waited. A waiter looks again a hundred times a second: a wait in the kernel is
// ended by signals alone, which are not a library's to send. [one thread]
class DeviceLock {
 public:
  // Takes the lock named after the device ("host", "GPU-UUID"): a file that every user can open and
  // that stays when the lock is let go. Waits while others hold it or came before, calling
  // `waiting` about ten times a second until it returns false or `seconds` have passed: then it
  // goes on without. Anything but a regular file in its place is not opened and means no lock, as
  // does one that cannot be opened or locked. Throws only what `waiting` throws.
  DeviceLock(const std::string& device, double seconds, const std::function<bool()>& waiting,
             const std::filesystem::path& folder = lock_folder());
  DeviceLock(const DeviceLock&) = delete;  // one owner, who is waited for
  DeviceLock& operator=(const DeviceLock&) = delete;

  bool held() const { return file_.get() >= 0; }
  bool waited() const { return waited_; }  // another process had it: look into the cache again
  const std::string& trouble() const { return trouble_; }  // why there can be none; one line

 private:
  bool is_first();

  Descriptor file_ = Descriptor(-1);
  off_t ticket_ = 0;  // the byte of the file that is ours; 0: none yet
  bool waited_ = false;
  std::string trouble_;
};

}  // namespace xpose
