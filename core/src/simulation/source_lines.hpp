// From an address in a loaded plugin to the line of its source. elfutils' libdw is included by
// source_lines.cpp alone, and opened when it is first needed.
#pragma once

#include <filesystem>
#include <memory>

#include "xpose/explain.hpp"

namespace xpose {

// [one thread at a time]
class SourceLines {
 public:
  // `code`: any address in the plugin's code, by which the loader says where it lies; `file`: the
  // plugin's file, since the loader knows it by a descriptor. Debug information is looked for in
  // that file alone, so that nothing is fetched from a network. Throws Error failed without libdw.
  SourceLines(const void* code, const std::filesystem::path& file);
  SourceLines(const SourceLines&) = delete;  // owns the open file
  SourceLines& operator=(const SourceLines&) = delete;
  ~SourceLines();

  // The line of the instruction before an address, such as an access's site; where that was inlined
  // from functions marked artificial, as the simulator's own are, the line that called them. Empty
  // where the plugin has no debug information.
  SourceLine before(const void* site) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;  // null: nothing can be told
};

}  // namespace xpose
