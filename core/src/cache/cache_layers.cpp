#include "cache/cache_layers.hpp"

#include "cache/cache_rows.hpp"

namespace xpose {
namespace {

using Fault = DatabaseError::Fault;

Fault fault_of(const std::exception& error) {
  const auto* known = dynamic_cast<const DatabaseError*>(&error);
  return known == nullptr ? Fault::failed : known->fault();
}

}  // namespace

CacheLayers::CacheLayers(std::filesystem::path user, std::filesystem::path system)
    : user_path_(std::move(user)), system_path_(std::move(system)) {
  if (!user_path_.empty()) {
    open_user();
    return;
  }
  use_memory();
  if (!system_path_.empty())  // neither: nobody asked for a file
    warnings_.emplace_back(
        "there is no folder for a cache, so choices are remembered in memory only; set HOME, or "
        "XPOSE_CACHE to a file");
}

std::filesystem::path CacheLayers::file() const {
  return memory_ || !user_ ? std::filesystem::path() : user_path_;
}

std::vector<std::string> CacheLayers::take_warnings() { return std::exchange(warnings_, {}); }

// ------------------------------------------------------------------------------------ read, write

void CacheLayers::ask(const std::function<bool(Database&)>& has_answer) {
  for (const Layer which : {Layer::memory, Layer::user, Layer::system}) try {
      Database* database = layer(which);
      if (database != nullptr && has_answer(*database)) return;
    } catch (const std::exception& error) {
      if (which == Layer::user) {
        recover(error);
      } else if (which == Layer::system) {
        tell(system_path_, error);
        system_.reset();
      }
    }
}

void CacheLayers::write(const std::function<void(Database&)>& body) {
  for (int attempt = 1; attempt <= 2; ++attempt) {
    Database* database = layer(memory_ ? Layer::memory : Layer::user);
    if (database == nullptr) return;
    try {
      return body(*database);
    } catch (const std::exception& error) {
      if (memory_) {
        tell("in memory", error);
      } else if (fault_of(error) == Fault::corrupt) {
        recover(error);
      } else {
        tell(user_path_, error);
        use_memory();
      }
    }
  }
}

// ---------------------------------------------------------------------------------------- layers

Database* CacheLayers::layer(Layer which) {
  switch (which) {
    case Layer::memory:
      return memory_ ? &*memory_ : nullptr;
    case Layer::user:
      return user_ ? &user_->database : nullptr;
    case Layer::system:
      if (!system_opened_) open_system();
      return system_ ? &*system_ : nullptr;
  }
  return nullptr;
}

void CacheLayers::open_user() {
  try {
    for (int attempt = 1; !user_; ++attempt) {
      const Inode seen = inode_of(user_path_);
      try {
        user_ = open_cache_file(user_path_);
      } catch (const DatabaseError& error) {
        if (error.fault() != Fault::corrupt || attempt == 3) throw;
        replace_user(seen, error.what());
      }
    }
    if (user_->journal == Journal::rollback)
      warnings_.push_back("cache " + user_path_.string() +
                          ": its file system grants no write-ahead log, so it is slower; name "
                          "a file on a local disk with --cache or in XPOSE_CACHE");
  } catch (const std::exception& error) {
    tell(user_path_, error);
    use_memory();
    if (fault_of(error) == Fault::unwritable) try {
        user_ = CacheFile{{}, {}, open_cache_read_only(user_path_)};
      } catch (const std::exception&) {  // not even readable; what matters has been told
      }
  }
}

// Moves a corrupt file aside, unless another process has done so.
void CacheLayers::replace_user(Inode corrupt, const std::string& what) {
  if (const auto aside = move_aside(user_path_, corrupt))
    warnings_.push_back("cache " + user_path_.string() + " is corrupt (" + what + "): moved to " +
                        aside->string() + " and a new one begun; delete the old one when you like");
}

void CacheLayers::open_system() {
  system_opened_ = true;
  std::error_code ignored;
  if (!std::filesystem::exists(system_path_, ignored)) return;
  try {
    system_ = open_cache_read_only(system_path_);
  } catch (const std::exception& error) {
    tell(system_path_, error);
  }
}

void CacheLayers::use_memory() {
  try {
    memory_.emplace();
    memory_->adopt(kCacheApplication, kCacheSchema);
  } catch (const std::exception& error) {
    memory_.reset();
    tell("in memory", error);
  }
}

// After an error of the user's file: without it, or with a new one.
void CacheLayers::recover(const std::exception& error) {
  const Inode inode = user_->inode;
  user_.reset();  // it must be closed before it is moved
  if (!memory_ && fault_of(error) == Fault::corrupt) try {
      replace_user(inode, error.what());
      return open_user();
    } catch (const std::exception& immovable) {
      tell(user_path_, immovable);
      return use_memory();
    }
  tell(user_path_, error);
  if (!memory_) use_memory();
}

void CacheLayers::tell(const std::filesystem::path& file, const std::exception& error) {
  const Fault fault = fault_of(error);
  if (told_.emplace(file, fault).second)
    warnings_.push_back(
        explain(file, DatabaseError(fault, error.what())) +
        (file == user_path_ ? "; until then choices are remembered in memory only" : ""));
}

}  // namespace xpose
