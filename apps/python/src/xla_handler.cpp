#include "xla_handler.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "layout.hpp"
#include "mover.hpp"
#include "xla_ffi.hpp"

namespace xpose::python {
namespace {

// The plans of XLA's calls. XLA calls from threads of its own, without Python's lock.
class XlaPlans {
 public:
  void use(const Engine& engine) {
    const std::lock_guard lock(mutex_);
    engine_ = engine;
  }

  Plan plan_for(const Problem& problem, const std::vector<std::int64_t>& key, Policy policy) {
    std::optional<Engine> engine;
    {
      const std::lock_guard lock(mutex_);
      const auto found = plans_.find(key);
      if (found != plans_.end() && !is_asked_again(found->second, policy)) return found->second;
      engine = engine_;
    }
    PlanOptions options;
    options.policy = policy;
    const Plan plan = engine.value().plan(problem, options);
    const std::lock_guard lock(mutex_);
    if (plan_bytes_ >= kMostPlanBytes) forget_host();
    const auto [kept, is_new] = plans_.try_emplace(key, plan);
    if (is_new) plan_bytes_ += bytes_of(plan);
    if (kept->second.is_estimate() && !plan.is_estimate()) {
      plan_bytes_ += bytes_of(plan) - bytes_of(kept->second);
      retire(std::exchange(kept->second, plan));
    }
    return kept->second;
  }

  void forget() {
    const std::lock_guard lock(mutex_);
    for (auto& [key, plan] : plans_) retire(std::move(plan));
    plans_.clear();
    plan_bytes_ = 0;
  }

 private:
  static bool is_on_cuda(const Plan& plan) {
    return plan.problem().device.kind == DeviceKind::cuda;
  }
  // Work that a device has not begun may need what a plan holds there.
  void retire(Plan plan) {
    if (is_on_cuda(plan)) retired_.push_back(std::move(plan));
  }
  void forget_host() {
    std::erase_if(plans_, [](const auto& kept) { return !is_on_cuda(kept.second); });
    plan_bytes_ = 0;
  }

  std::mutex mutex_;
  std::optional<Engine> engine_;
  std::map<std::vector<std::int64_t>, Plan> plans_;
  std::uint64_t plan_bytes_ = 0;  // of plans_
  std::vector<Plan> retired_;
};

XlaPlans& xla_plans() {
  static auto* const plans = new XlaPlans;  // never freed: XLA's threads may outlive this module
  return *plans;
}

xla::Failure* failure(const xla::Api& api, xla::ErrorCode code, const char* message) {
  xla::MakeFailure made{sizeof made, nullptr, message, code};
  return api.make_failure(&made);
}

xla::ErrorCode code_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::invalid:
      return xla::ErrorCode::invalid_argument;
    case ErrorKind::no_memory:
      return xla::ErrorCode::resource_exhausted;
    case ErrorKind::no_strategy:
      return xla::ErrorCode::unimplemented;
    default:
      return xla::ErrorCode::internal;
  }
}

const void* attribute(const xla::Attributes& attributes, std::string_view name) {
  for (std::int64_t i = 0; i < attributes.size; ++i)
    if (std::string_view(attributes.names[i]->begin, attributes.names[i]->size) == name)
      return attributes.values[i];
  throw Error(ErrorKind::invalid, "a call of xpose lacks the attribute " + std::string(name));
}

std::int64_t number(const xla::Attributes& attributes, std::string_view name) {
  const auto* const scalar = static_cast<const xla::Scalar*>(attribute(attributes, name));
  return *static_cast<const std::int64_t*>(scalar->value);
}

Axes axes_of(const xla::Attributes& attributes) {
  const auto* const array = static_cast<const xla::Array*>(attribute(attributes, "axes"));
  Axes axes;
  for (std::size_t i = 0; i < array->size; ++i)
    axes.push(static_cast<const std::int64_t*>(array->values)[i]);
  return axes;
}

Layout layout_of(const xla::Buffers& buffers, std::int64_t element_bytes, Device device) {
  if (buffers.size != 1)
    throw Error(ErrorKind::invalid, "a call of xpose has one input and one output");
  const auto& buffer = *static_cast<const xla::Buffer*>(buffers.buffers[0]);
  Axes extents;
  for (std::int64_t i = 0; i < buffer.rank; ++i) extents.push(buffer.extents[i]);
  Layout layout = dense(extents, element_bytes, device);
  layout.address = buffer.data;
  return layout;
}

// The device and the stream of a call.
struct Place {
  Device device;
  void* stream = nullptr;
};

xla::Failure* find_place(const xla::CallFrame& frame, Place& place) {
  const xla::Api& api = *frame.api;
  if (api.struct_size < sizeof(xla::Api) || api.get_ordinal == nullptr)
    return failure(api, xla::ErrorCode::unimplemented,
                   "this version of JAX does not tell its device to xpose: update JAX");
  xla::GetStream stream{sizeof stream, nullptr, frame.context, nullptr};
  if (xla::Failure* const failed = api.get_stream(&stream)) return failed;
  xla::GetOrdinal ordinal{sizeof ordinal, nullptr, frame.context, 0};
  if (xla::Failure* const failed = api.get_ordinal(&ordinal)) return failed;
  place = {{DeviceKind::cuda, ordinal.ordinal}, stream.stream};
  return nullptr;
}

void permute(const xla::CallFrame& frame, const Place& place) {
  const std::int64_t element_bytes = number(frame.attributes, "element_bytes");
  const auto policy = static_cast<Policy>(number(frame.attributes, "policy"));
  const Axes axes = axes_of(frame.attributes);
  const Layout in = layout_of(frame.inputs, element_bytes, place.device);
  const Layout out = layout_of(frame.outputs, element_bytes, place.device);
  check_fit(in, out, axes);
  if (in.is_empty()) return;
  const std::uint32_t in_alignment = alignment_for_plans(in.address, place.device.kind);
  const std::uint32_t out_alignment = alignment_for_plans(out.address, place.device.kind);
  std::vector<std::int64_t> key{static_cast<std::int64_t>(policy), element_bytes, in_alignment,
                                out_alignment,
                                place.device.kind == DeviceKind::cuda ? place.device.ordinal : -1};
  key.insert(key.end(), in.extents.span().begin(), in.extents.span().end());
  key.insert(key.end(), axes.span().begin(), axes.span().end());
  Problem problem = problem_of(in, out, axes, false);
  problem.in_alignment = in_alignment;
  problem.out_alignment = out_alignment;
  xla_plans().plan_for(problem, key, policy).execute(in.address, out.address, place.stream);
}

// XLA asks a new handler for the version that it was made for, and calls it in stages later.
xla::Failure* handle(const xla::CallFrame* frame, bool on_cuda) {
  for (xla::Extension* extension = frame->extensions; extension != nullptr;
       extension = extension->next)
    if (extension->type == xla::ExtensionType::metadata) {
      xla::Metadata& metadata = *reinterpret_cast<xla::MetadataExtension*>(extension)->metadata;
      metadata.version.major_version = xla::kMajorVersion;
      metadata.version.minor_version =
          frame->api == nullptr ? xla::kMinorVersion
                                : std::min(xla::kMinorVersion, frame->api->version.minor_version);
      metadata.traits = 0;  // a first call chooses, which no capture would see
      return nullptr;
    }
  if (frame->stage != xla::Stage::execute) return nullptr;
  try {
    Place place;
    if (on_cuda)
      if (xla::Failure* const failed = find_place(*frame, place)) return failed;
    permute(*frame, place);
    return nullptr;
  } catch (const Error& error) {
    return failure(*frame->api, code_of(error.kind()), error.what());
  } catch (const std::exception& error) {
    return failure(*frame->api, xla::ErrorCode::internal, error.what());
  }
}

xla::Failure* handle_on_host(xla::CallFrame* frame) { return handle(frame, false); }
xla::Failure* handle_on_cuda(xla::CallFrame* frame) { return handle(frame, true); }

}  // namespace

nanobind::tuple xla_handlers(const Engine& engine) {
  xla_plans().use(engine);
  return nanobind::make_tuple(nanobind::capsule(reinterpret_cast<void*>(&handle_on_host)),
                              nanobind::capsule(reinterpret_cast<void*>(&handle_on_cuda)));
}

void forget_xla_plans() { xla_plans().forget(); }

}  // namespace xpose::python
