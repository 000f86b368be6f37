#include "trial/arena.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "problem/alignment.hpp"
#include "problem/normal_form.hpp"
#include "trial/verify.hpp"

namespace xpose {
namespace {

constexpr std::uint64_t kGuard = Arena::kCopyOffset;  // bytes on either side; a multiple of 256
constexpr std::uint64_t kMostForEigen = 4 << 20;      // bytes; a few milliseconds on one processor
constexpr std::uint8_t kOtherGuardByte = 0x5a;
constexpr std::uint64_t kOtherFlip = 0xa5a5a5a5a5a5a5a5;         // in every byte, and not to poison
constexpr std::uint64_t kMaxWorkspace = std::uint64_t{1} << 62;  // so that sums do not wrap

// An address that is aligned to `alignment` and no more, behind a 256-byte aligned one.
std::uint64_t misalignment(std::uint32_t alignment) { return alignment < 256 ? alignment : 0; }

std::uint64_t round_up(std::uint64_t bytes, std::uint64_t to = 256) {
  return (bytes + to - 1) / to * to;
}

// An element of a pattern, which is a part of a fat one, as it must be; zeros behind it.
std::array<std::byte, 16> element_bytes(const Pattern& pattern, std::int64_t position) {
  const ElementBits bits = element_at(pattern, position);
  std::array<std::byte, 16> value{};
  std::memcpy(value.data(), &bits, pattern.element_bytes);
  return value;
}

}  // namespace

Arena::Place Arena::place(const Side& side, ArenaForm::Edge edge) {
  if (edge == ArenaForm::Edge::none)
    return {round_up(2 * kGuard + 256 + side.payload), kGuard + side.behind};
  const std::uint64_t page = page_bytes();
  const std::uint64_t bytes = round_up(page + side.payload, page) + 2 * page;
  if (edge == ArenaForm::Edge::begins_page) return {bytes, page};
  const std::uint64_t before_end = round_up(page + side.span, page) - side.span;
  return {bytes, before_end / side.row_alignment * side.row_alignment};
}

Arena::Place Arena::place_in(const Problem& problem, ArenaForm::Edge edge) {
  const auto span = static_cast<std::uint64_t>(in_span(problem)) * problem.element_bytes;
  const auto copied = static_cast<std::uint64_t>(element_count(problem)) * problem.element_bytes;
  const auto before = static_cast<std::uint64_t>(-in_low(problem)) * problem.element_bytes;
  return place({std::max(span, copied), span, (misalignment(problem.in_alignment) - before) % 256,
                row_alignment(problem).in},
               edge);
}

Arena::Place Arena::place_out(const Problem& problem, ArenaForm::Edge edge) {
  const auto span = static_cast<std::uint64_t>(out_span(problem)) * problem.element_bytes;
  return place({span, span, misalignment(problem.out_alignment), row_alignment(problem).out}, edge);
}

Arena::Arena(Backend& backend, const Problem& problem, std::size_t sets, ArenaForm form)
    : backend_(backend),
      problem_(problem),
      form_(form),
      bytes_(static_cast<std::uint64_t>(element_count(problem)) * problem.element_bytes),
      in_begin_(place_in(problem, form.edge).begin),
      in_offset_(in_begin_ - static_cast<std::uint64_t>(in_low(problem) * problem.element_bytes)),
      out_offset_(place_out(problem, form.edge).begin) {
  backend_.make_current();
  const auto buffer = [&](std::uint64_t bytes) {
    return form.edge == ArenaForm::Edge::none ? DeviceBuffer(backend_, bytes)
                                              : DeviceBuffer::of_pages(backend_, bytes);
  };
  for (std::size_t i = 0; i < sets; ++i)
    sets_.push_back(
        {buffer(place_in(problem, form.edge).bytes), buffer(place_out(problem, form.edge).bytes)});
  hold(Content::bits);
}

void Arena::hold(Content content) {
  if (content == content_) return;
  content_.reset();  // until all of it is done
  hold_patterns(content);
  for (std::size_t i = 0; i < sets_.size(); ++i) restore(i);
  if (!sets_.empty() && input_.bytes + expected_.bytes <= kMostForEigen) hold_check_against_eigen();
  content_ = content;
}

void Arena::hold_patterns(Content content) {
  const std::uint64_t in_bytes = place_in(problem_, form_.edge).bytes;
  const std::uint64_t out_bytes = place_out(problem_, form_.edge).bytes;
  input_ = form_.is_other ? input_elements_pattern(problem_, in_bytes, in_begin_)
                          : input_pattern(problem_, in_bytes, in_begin_);
  expected_ = output_pattern(problem_, out_bytes, out_offset_);
  poison_ = problem_.in_place ? in_place_pattern(problem_, out_bytes, out_offset_) : expected_;
  const bool are_numbers = content == Content::numbers;
  for (Pattern* pattern : {&input_, &expected_, &poison_}) {
    if (are_numbers) hold_numbers(*pattern);
    if (!form_.is_other) continue;
    pattern->flip = are_numbers ? 1 : kOtherFlip;  // a normal number stays one
    pattern->guard = kOtherGuardByte;
  }
  // Unwritten bytes show: by a transpose, or in place by a copy.
  Pattern& complement = problem_.in_place ? input_ : poison_;
  complement.flip = ~complement.flip;
}

// The device's check accepts Eigen's transpose of what the device filled in.
void Arena::hold_check_against_eigen() {
  std::vector<std::byte> out(expected_.bytes);
  backend_.download(out.data(), sets_[0].out.data(), out.size());
  std::vector<std::byte> in = out;
  if (!problem_.in_place) {
    in.resize(input_.bytes);
    backend_.download(in.data(), sets_[0].in.data(), in.size());
  }
  reference_transpose(problem_, in.data() + in_offset_, out.data() + out_offset_);
  backend_.upload(sets_[0].out.data(), out.data(), out.size());
  if (backend_.difference(expected_, sets_[0].out.data(), 0, expected_.bytes))
    throw Error(ErrorKind::failed, "the check of " + to_string(problem_) +
                                       " refuses Eigen's transpose: " + to_string(problem_.device) +
                                       " returns wrong bytes; test its memory");
  poison(0);
}

const void* Arena::in(std::size_t set) const {
  return problem_.in_place ? out(set) : sets_.at(set).in.data() + in_offset_;
}
void* Arena::out(std::size_t set) const { return sets_.at(set).out.data() + out_offset_; }
const void* Arena::copy_in(std::size_t set) const { return sets_.at(set).in.data() + kGuard; }
void* Arena::copy_out(std::size_t set) const { return sets_.at(set).out.data() + kGuard; }

std::span<const std::byte> Arena::in_buffer(std::size_t set) const {
  return {sets_.at(set).in.data(), sets_.at(set).in.bytes()};
}
std::span<const std::byte> Arena::out_buffer(std::size_t set) const {
  return {sets_.at(set).out.data(), sets_.at(set).out.bytes()};
}

void* Arena::workspace(std::uint64_t bytes) {
  if (bytes > kMaxWorkspace)
    throw Error(ErrorKind::no_memory, "the quote asks for a workspace of " + std::to_string(bytes) +
                                          " bytes, more than any device has");
  workspace_bytes_ = bytes == 0 ? 0 : round_up(bytes);
  if (bytes == 0) return nullptr;
  if (workspace_.bytes() < 2 * kGuard + workspace_bytes_)
    workspace_ = DeviceBuffer(backend_, 2 * kGuard + workspace_bytes_);
  const Pattern guards = workspace_guards();
  backend_.fill(guards, workspace_.data(), 0, kGuard);
  backend_.fill(guards, workspace_.data(), kGuard + workspace_bytes_, guards.bytes);
  return workspace_.data() + kGuard;
}

Pattern Arena::workspace_guards() const {
  Pattern guards;  // no element
  guards.bytes = 2 * kGuard + workspace_bytes_;
  return guards;
}

void Arena::poison(std::size_t set) {
  backend_.fill(poison_, sets_.at(set).out.data(), 0, poison_.bytes);
}

void Arena::restore(std::size_t set) {
  backend_.fill(input_, sets_.at(set).in.data(), 0, input_.bytes);
  poison(set);
}

Outcome Arena::check_transpose(std::size_t set) {
  const std::byte* out = sets_.at(set).out.data();
  const auto first = backend_.difference(expected_, out, 0, expected_.bytes);
  if (!first) return check_input_and_workspace(set);
  // The guards first: a write outside explains more than the wrong element it may also cause.
  if (*first >= kGuard)
    if (const auto behind =
            backend_.difference(expected_, out, expected_.bytes - kGuard, expected_.bytes))
      return explain_output(set, *behind);
  return explain_output(set, *first);
}

Outcome Arena::check_copy(std::size_t set) {
  const std::byte* out = sets_.at(set).out.data();
  if (const auto at =
          backend_.first_difference(out + kGuard, sets_.at(set).in.data() + kGuard, bytes_))
    return {Verdict::wrong_result, "byte " + std::to_string(*at) + " was not copied"};
  if (backend_.difference(poison_, out, 0, kGuard) ||
      backend_.difference(poison_, out, kGuard + bytes_, poison_.bytes))
    return {Verdict::wrote_outside, "the copy wrote outside its bytes"};
  return check_input_and_workspace(set);
}

Outcome Arena::check_input_and_workspace(std::size_t set) {
  if (const auto at = backend_.difference(input_, sets_.at(set).in.data(), 0, input_.bytes))
    return {Verdict::modified_input, "changed the byte " +
                                         std::to_string(static_cast<std::int64_t>(*at) -
                                                        static_cast<std::int64_t>(in_offset_)) +
                                         " of the input"};
  if (workspace_bytes_ != 0) {
    const Pattern guards = workspace_guards();
    if (backend_.difference(guards, workspace_.data(), 0, kGuard))
      return {Verdict::wrote_outside, "wrote before the workspace"};
    if (backend_.difference(guards, workspace_.data(), kGuard + workspace_bytes_, guards.bytes))
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
  const std::int64_t parts = parts_of_element(problem_);
  const auto of_pattern =
      static_cast<std::int64_t>((offset - out_offset_) / expected_.element_bytes);
  const std::int64_t position = of_pattern / parts;
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
  const auto wanted = element_bytes(expected_, of_pattern);
  std::array<std::byte, 16> found{};
  backend_.download(found.data(),
                    sets_.at(set).out.data() + out_offset_ +
                        static_cast<std::uint64_t>(of_pattern) * expected_.element_bytes,
                    expected_.element_bytes);
  const std::string where = (parts > 1 ? describe_part(of_pattern % parts) : "") +
                            describe(problem_, at) + " should be in[" + std::to_string(at.row) +
                            ',' + std::to_string(at.col) + "], ";
  if (found == element_bytes(poison_, of_pattern))
    return {Verdict::wrong_result,
            where + (problem_.in_place ? "but was not moved" : "but was not written")};
  const std::int64_t elements = std::max(in_span(problem_), element_count(problem_));
  const auto described = [&](std::array<std::byte, 16> value) {
    for (std::size_t i = 0; i < value.size(); ++i)  // as it would be in the usual form
      value.at(i) ^= static_cast<std::byte>(expected_.flip >> (i % 8 * 8));
    return describe_value(value.data(), expected_.element_bytes, elements, parts);
  };
  return {Verdict::wrong_result, where + described(wanted) + "; found " + described(found)};
}

std::uint64_t Arena::footprint(const Problem& problem, std::size_t sets) {
  constexpr auto kUsual = ArenaForm::Edge::none;
  return (place_in(problem, kUsual).bytes + place_out(problem, kUsual).bytes) * sets;
}

}  // namespace xpose
