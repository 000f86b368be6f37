#include "trial/arena.hpp"

#include <algorithm>
#include <array>

#include "problem/normal_form.hpp"
#include "trial/verify.hpp"

namespace xpose {
namespace {

constexpr std::uint64_t guard = 4096;  // bytes on either side; a multiple of 256
constexpr std::byte guard_byte{0xc3};
constexpr std::uint64_t max_workspace = std::uint64_t{1} << 62;  // so that sums do not wrap

// An address that is aligned to `alignment` and no more, behind a 256-byte aligned one.
std::uint64_t misalignment(std::uint32_t alignment) { return alignment < 256 ? alignment : 0; }

std::uint64_t round_up(std::uint64_t bytes) { return (bytes + 255) / 256 * 256; }

std::uint64_t in_bytes(const Problem& problem) {
  const std::int64_t elements = std::max(in_span(problem), element_count(problem));
  return round_up(2 * guard + 256 + static_cast<std::uint64_t>(elements) * problem.element_bytes);
}

std::uint64_t out_bytes(const Problem& problem) {
  return round_up(2 * guard + 256 +
                  static_cast<std::uint64_t>(out_span(problem)) * problem.element_bytes);
}

std::string describe(const Problem& problem, const OutputPosition& at) {
  std::string text = "out[";
  for (std::size_t i = 0; i < problem.batch.size(); ++i)
    text += std::to_string(at.batch.at(i)) + ';';
  return text + std::to_string(at.col) + ',' + std::to_string(at.row) + ']';
}

}  // namespace

Arena::Arena(Backend& backend, const Problem& problem, std::size_t sets, Content content)
    : backend_(backend),
      problem_(problem),
      bytes_(static_cast<std::uint64_t>(element_count(problem)) * problem.element_bytes),
      in_offset_(guard + misalignment(problem.in_alignment)),
      out_offset_(guard + misalignment(problem.out_alignment)) {
  backend_.make_current();
  std::vector<std::byte> in(in_bytes(problem), guard_byte);
  const auto in_elements =
      static_cast<std::int64_t>((in.size() - guard - in_offset_) / problem.element_bytes);
  fill_with_index(in.data() + in_offset_,
                  std::min(in_elements, std::max(in_span(problem), element_count(problem))),
                  problem.element_bytes, content);
  input_ = DeviceBuffer(backend_, in.size());
  backend_.upload(input_.data(), in.data(), in.size());

  std::vector<std::byte> out(out_bytes(problem), guard_byte);
  reference_transpose(problem, in.data() + in_offset_, out.data() + out_offset_);
  expected_ = DeviceBuffer(backend_, out.size());
  backend_.upload(expected_.data(), out.data(), out.size());

  // The complement, put where the reference puts it, leaves the gaps alone.
  for (std::byte& byte : in) byte = ~byte;
  reference_transpose(problem, in.data() + in_offset_, out.data() + out_offset_);
  poisoned_ = DeviceBuffer(backend_, out.size());
  backend_.upload(poisoned_.data(), out.data(), out.size());

  workspace_guard_ = DeviceBuffer(backend_, guard);
  const std::vector<std::byte> guard_image(guard, guard_byte);
  backend_.upload(workspace_guard_.data(), guard_image.data(), guard);
  for (std::size_t i = 0; i < sets; ++i) {
    sets_.push_back({DeviceBuffer(backend_, in.size()), DeviceBuffer(backend_, out.size())});
    restore(i);
  }
}

const void* Arena::in(std::size_t set) const { return sets_.at(set).in.data() + in_offset_; }
void* Arena::out(std::size_t set) const { return sets_.at(set).out.data() + out_offset_; }
const void* Arena::copy_in(std::size_t set) const { return sets_.at(set).in.data() + guard; }
void* Arena::copy_out(std::size_t set) const { return sets_.at(set).out.data() + guard; }

void* Arena::workspace(std::uint64_t bytes) {
  if (bytes > max_workspace)
    throw Error(ErrorKind::no_memory,
                "no device has a workspace of " + std::to_string(bytes) + " bytes");
  workspace_bytes_ = bytes == 0 ? 0 : round_up(bytes);
  if (bytes == 0) return nullptr;
  if (workspace_.bytes() < 2 * guard + workspace_bytes_)
    workspace_ = DeviceBuffer(backend_, 2 * guard + workspace_bytes_);
  backend_.copy(workspace_.data(), workspace_guard_.data(), guard);
  backend_.copy(workspace_.data() + guard + workspace_bytes_, workspace_guard_.data(), guard);
  return workspace_.data() + guard;
}

void Arena::poison(std::size_t set) {
  backend_.copy(sets_.at(set).out.data(), poisoned_.data(), poisoned_.bytes());
}

void Arena::restore(std::size_t set) {
  backend_.copy(sets_.at(set).in.data(), input_.data(), input_.bytes());
  poison(set);
}

Outcome Arena::check_transpose(std::size_t set) {
  const std::byte* out = sets_.at(set).out.data();
  // The guards first: a write outside explains more than the wrong element it may also cause.
  const std::uint64_t tail = expected_.bytes() - guard;
  if (const auto at = backend_.first_difference(out, expected_.data(), guard))
    return {Verdict::wrote_outside,
            "wrote " + std::to_string(out_offset_ - *at) + " bytes before the output"};
  if (const auto at = backend_.first_difference(out + tail, expected_.data() + tail, guard))
    return explain_output(set, tail + *at);
  if (const auto at = backend_.first_difference(out, expected_.data(), expected_.bytes()))
    return explain_output(set, *at);
  return check_input_and_workspace(set);
}

Outcome Arena::check_copy(std::size_t set) {
  const std::byte* out = sets_.at(set).out.data();
  if (const auto at =
          backend_.first_difference(out + guard, sets_.at(set).in.data() + guard, bytes_))
    return {Verdict::wrong_result, "byte " + std::to_string(*at) + " was not copied"};
  const std::uint64_t end = guard + bytes_;
  const std::uint64_t rest = end / 256 * 256;  // the device compares from aligned addresses
  std::array<std::byte, 256> edge{};
  std::array<std::byte, 256> image{};
  backend_.download(edge.data(), out + rest, edge.size());
  backend_.download(image.data(), poisoned_.data() + rest, image.size());
  const bool edge_intact =
      std::equal(edge.begin() + static_cast<std::ptrdiff_t>(end - rest), edge.end(),
                 image.begin() + static_cast<std::ptrdiff_t>(end - rest));
  if (!edge_intact || backend_.first_difference(out, poisoned_.data(), guard) ||
      backend_.first_difference(out + rest + 256, poisoned_.data() + rest + 256,
                                poisoned_.bytes() - rest - 256))
    return {Verdict::wrote_outside, "the copy wrote outside its bytes"};
  return check_input_and_workspace(set);
}

Outcome Arena::check_input_and_workspace(std::size_t set) {
  if (const auto at =
          backend_.first_difference(sets_.at(set).in.data(), input_.data(), input_.bytes()))
    return {Verdict::modified_input, "changed the byte " +
                                         std::to_string(static_cast<std::int64_t>(*at) -
                                                        static_cast<std::int64_t>(in_offset_)) +
                                         " of the input"};
  if (workspace_bytes_ != 0) {
    const std::byte* end = workspace_.data() + guard + workspace_bytes_;
    if (backend_.first_difference(workspace_.data(), workspace_guard_.data(), guard))
      return {Verdict::wrote_outside, "wrote before the workspace"};
    if (backend_.first_difference(end, workspace_guard_.data(), guard))
      return {Verdict::wrote_outside,
              "wrote past the workspace of " + std::to_string(workspace_bytes_) + " bytes"};
  }
  return {};
}

Outcome Arena::explain_output(std::size_t set, std::uint64_t offset) {
  if (offset < out_offset_)
    return {Verdict::wrote_outside,
            "wrote " + std::to_string(out_offset_ - offset) + " bytes before the output"};
  const std::int64_t span = out_span(problem_);
  const auto position = static_cast<std::int64_t>((offset - out_offset_) / problem_.element_bytes);
  if (position >= span)
    return {Verdict::wrote_outside,
            "wrote " +
                std::to_string(offset - out_offset_ -
                               static_cast<std::uint64_t>(span) * problem_.element_bytes) +
                " bytes past the output's end"};
  const OutputPosition at = locate_output(problem_, position);
  if (!at.is_element)
    return {Verdict::wrote_outside,
            "wrote into the gap behind " + describe(problem_, at) + ", which holds no element"};
  std::array<std::byte, 16> found{};
  std::array<std::byte, 16> poison{};
  std::array<std::byte, 16> wanted{};
  const std::uint64_t begin =
      out_offset_ + static_cast<std::uint64_t>(position) * problem_.element_bytes;
  backend_.download(found.data(), sets_.at(set).out.data() + begin, problem_.element_bytes);
  backend_.download(poison.data(), poisoned_.data() + begin, problem_.element_bytes);
  backend_.download(wanted.data(), expected_.data() + begin, problem_.element_bytes);
  const std::string where = describe(problem_, at) + " should be in[" + std::to_string(at.row) +
                            ',' + std::to_string(at.col) + "], ";
  if (found == poison) return {Verdict::wrong_result, where + "but was not written"};
  const std::int64_t elements = std::max(in_span(problem_), element_count(problem_));
  return {Verdict::wrong_result,
          where + describe_value(wanted.data(), problem_.element_bytes, elements) + "; found " +
              describe_value(found.data(), problem_.element_bytes, elements)};
}

std::uint64_t Arena::footprint(const Problem& problem, std::size_t sets) {
  return in_bytes(problem) * (sets + 1) + out_bytes(problem) * (sets + 2);
}

}  // namespace xpose
