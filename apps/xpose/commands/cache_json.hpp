// The cache as a JSON document, "xpose.cache/1", by which it travels between machines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "output/json.hpp"
#include "xpose/cache.hpp"

namespace xpose::app {

// The longest document that is read, in bytes.
constexpr std::size_t kMaxCacheDocument = std::size_t{256} << 20;

Json to_json(const CacheContents& contents);

// The rows that a document holds; fields it does not know are passed over. `now`, in seconds since
// 1970: rows dated more than a day later are refused, because they would outlive every newer
// measurement. Throws Error failed with one sentence: the place of the fault, by byte or by JSON
// pointer, and the expectation there.
CacheContents cache_from_json(std::string_view document, std::int64_t now);

}  // namespace xpose::app
