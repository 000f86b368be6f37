// One measurement at a time on a device, across the processes of a machine.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "descriptor.hpp"

namespace xpose {

// /run/lock where everyone may create files in it, else /tmp: the same folder for every user, or
// they would not meet. Containers that do not share it do not meet either.
std::filesystem::path lock_folder();

// Holds an advisory lock while it lives; a process that dies lets go of it. A child that is started
// with exec does not inherit it; one that only forks shares it, and keeps it while it lives.
// [one thread]
class DeviceLock {
 public:
  // Takes the lock named after the device ("host", "GPU-UUID"): a file that every user can open and
  // that stays when the lock is let go. Waits while another process holds it, calling `waiting`
  // about ten times a second until it returns false or `seconds` have passed: then it goes on
  // without. A file that cannot be opened means no lock. Throws only what `waiting` throws.
  DeviceLock(const std::string& device, double seconds, const std::function<bool()>& waiting,
             const std::filesystem::path& folder = lock_folder());
  DeviceLock(const DeviceLock&) = delete;  // one owner, who is waited for
  DeviceLock& operator=(const DeviceLock&) = delete;

  bool held() const { return file_.get() >= 0; }
  bool waited() const { return waited_; }  // another process had it: look into the cache again

 private:
  Descriptor file_;
  bool waited_ = false;
};

}  // namespace xpose
