#include "strategy/outcome.hpp"

#include <algorithm>
#include <array>

namespace xpose {
namespace {

struct Failure {
  xpose_status status;
  ErrorKind kind;
  Verdict verdict;
};

// A plugin that calls a problem invalid or unsupported after its quote accepted it breaks its
// contract.
constexpr std::array<Failure, 4> kFailures = {
    {{XPOSE_UNSUPPORTED, ErrorKind::no_strategy, Verdict::protocol_error},
     {XPOSE_INVALID, ErrorKind::invalid, Verdict::protocol_error},
     {XPOSE_NO_MEMORY, ErrorKind::no_memory, Verdict::no_memory},
     {XPOSE_DEVICE_ERROR, ErrorKind::device, Verdict::device_error}}};

template <class Field>
const Failure* find(Field Failure::*field, Field value) {
  const auto found = std::ranges::find(kFailures, value, field);
  return found == kFailures.end() ? nullptr : &*found;
}

}  // namespace

ErrorKind kind_of(xpose_status status) {
  const Failure* failure = find(&Failure::status, status);
  return failure == nullptr ? ErrorKind::failed : failure->kind;
}

ErrorKind kind_of(Verdict verdict) {
  if (verdict == Verdict::unsupported) return ErrorKind::no_strategy;
  if (verdict == Verdict::protocol_error) return ErrorKind::wrong;
  const Failure* failure = find(&Failure::verdict, verdict);
  return failure == nullptr ? ErrorKind::wrong : failure->kind;
}

Outcome outcome_of(const Error& error) {
  const Failure* failure = find(&Failure::kind, error.kind());
  return {failure == nullptr ? Verdict::protocol_error : failure->verdict, error.what()};
}

}  // namespace xpose
