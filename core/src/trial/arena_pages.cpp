// The arena's part in buffers at the edge of pages.
#include "problem/batch_loop.hpp"
#include "problem/normal_form.hpp"
#include "trial/arena.hpp"

namespace xpose {

std::vector<bool> Arena::used_pages(const DeviceBuffer& buffer, bool is_output,
                                    Launched launched) const {
  const std::uint64_t page = page_bytes();
  std::vector<bool> used(buffer.bytes() / page);
  const auto use = [&](std::uint64_t begin, std::uint64_t bytes) {
    for (std::uint64_t at = begin / page; at <= (begin + bytes - 1) / page; ++at)
      used.at(at) = true;
  };
  if (launched == Launched::copy) {
    use(kCopyOffset, bytes_);
    return used;
  }
  if ((is_output ? out_span(problem_) : in_span(problem_)) == element_count(problem_)) {
    use(is_output ? out_offset_ : in_begin_, bytes_);  // no gap
    return used;
  }
  // The elements that lie side by side are the matrices of a longer batch.
  std::vector<BatchDim> lines = problem_.batch;
  lines.push_back(is_output ? BatchDim{problem_.cols, 0, problem_.out_ld}
                            : BatchDim{problem_.rows, problem_.in_ld, 0});
  const auto line = static_cast<std::uint64_t>(is_output ? problem_.rows : problem_.cols) *
                    problem_.element_bytes;
  const std::byte* const first = buffer.data() + (is_output ? out_offset_ : in_offset_);
  for_each_matrix(lines, problem_.element_bytes, first, const_cast<std::byte*>(first),
                  [&](const void* in, void* out) {
                    const auto* const at = static_cast<const std::byte*>(is_output ? out : in);
                    use(static_cast<std::uint64_t>(at - buffer.data()), line);
                  });
  return used;
}

std::vector<PageWatch::Pages> Arena::closed_pages(std::size_t set, Launched launched) {
  if (form_.edge == ArenaForm::Edge::none) return {};  // as on a device
  std::vector<PageWatch::Pages> closed;
  const auto close = [&](const DeviceBuffer& buffer, bool is_output) {
    const std::vector<bool> used = used_pages(buffer, is_output, launched);
    const std::uint64_t page = page_bytes();
    for (std::size_t i = 0; i < used.size(); ++i) {
      std::byte* const begin = buffer.data() + i * page;
      if (is_output && used[i]) continue;
      if (!closed.empty() && closed.back().end == begin && closed.back().is_readable == used[i])
        closed.back().end += page;
      else
        closed.push_back({begin, begin + page, used[i]});
    }
  };
  const bool in_place = problem_.in_place && launched == Launched::transpose;
  if (!in_place) close(sets_.at(set).in, false);
  close(sets_.at(set).out, true);
  return closed;
}

Outcome Arena::explain_touch(std::size_t set, Launched launched, const std::byte* address) {
  const Set& buffers = sets_.at(set);
  const bool is_output =
      address >= buffers.out.data() && address < buffers.out.data() + buffers.out.bytes();
  const DeviceBuffer& buffer = is_output ? buffers.out : buffers.in;
  const std::string name = is_output ? "the output" : "the input";
  const auto offset = static_cast<std::uint64_t>(address - buffer.data());
  const bool is_copy = launched == Launched::copy;
  const std::uint64_t begin = is_copy ? kCopyOffset : is_output ? out_offset_ : in_begin_;
  const auto span = static_cast<std::uint64_t>(is_output ? out_span(problem_) : in_span(problem_));
  const std::uint64_t end = begin + (is_copy ? bytes_ : span * problem_.element_bytes);
  if (used_pages(buffer, is_output, launched).at(offset / page_bytes()))
    return {Verdict::modified_input, "wrote to the byte " +
                                         std::to_string(static_cast<std::int64_t>(offset - begin)) +
                                         " of the input, although what lay there before"};
  if (offset < begin)
    return {Verdict::read_outside,
            "touched memory " + std::to_string(begin - offset) + " bytes before " + name};
  if (offset >= end)
    return {Verdict::read_outside,
            "touched memory " + std::to_string(offset - end) + " bytes past " + name + "'s end"};
  return {Verdict::read_outside, "touched byte " + std::to_string(offset - begin) + " of " + name +
                                     ", in a gap between its elements"};
}

}  // namespace xpose
