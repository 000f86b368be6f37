#include "run/two_passes.hpp"

#include <algorithm>
#include <optional>

#include "run/band_pipeline.hpp"
#include "run/piece_reader.hpp"
#include "run/piece_writer.hpp"
#include "run/placed_box.hpp"

namespace xpose::app {
namespace {

// Gathers the pieces of a range, which lie one behind the other, into the order of the output.
class Gatherer {
 public:
  Gatherer(const TwoPassPlan& plan, std::int64_t range) : plan_(plan), range_(range) {
    const DenseArray& array = plan.file().array;
    whole_ = plan.range(range);
    std::size_t stride = array.item_bytes;
    strides_.resize(array.axes.size());
    for (std::size_t i = array.axes.size(); i-- > 0;) {
      strides_[i] = stride;
      stride *= static_cast<std::size_t>(whole_.extents[axis_at(i)]);
    }
  }

  void gather(const std::byte* from, std::byte* to) const {
    plan_.for_each_piece(range_, [&](const ByteRange& bytes, const Block& part) {
      BoxPlace place{{}, strides_, plan_.file().array.item_bytes};
      std::size_t first = 0;
      for (std::size_t i = 0; i < strides_.size(); ++i) {
        const std::size_t axis = axis_at(i);
        place.extents.push_back(part.extents[axis]);
        first += static_cast<std::size_t>(part.begin[axis] - whole_.begin[axis]) * strides_[i];
      }
      place_box(place, from, to + first);
      from += bytes.size();
    });
  }

 private:
  std::size_t axis_at(std::size_t i) const {
    return static_cast<std::size_t>(plan_.file().array.axes[i]);
  }

  const TwoPassPlan& plan_;
  std::int64_t range_;
  Block whole_;
  std::vector<std::size_t> strides_;  // of the output's axes in the range
};

std::int64_t in_one_strip(std::int64_t) { return 1; }

// first: the band that it begins with.
std::string first_pass(const TwoPassPlan& plan, std::int64_t first, const InputFile& input,
                       ScratchFile& scratch, const TileTransposer::Options& options,
                       const PassReports& reports) {
  const std::uint64_t most = plan.band_bytes(0).size();
  const TileWork largest = band_work(plan, plan.band(0).extents);
  std::optional<TileTransposer> transposer;  // made while the first band is read
  scratch.go_on(plan.band_bytes(first).begin);
  run_bands(plan.bands() - first, {most, most},
            {in_one_strip,
             [&](const Strip& band, std::byte* in) {
               const ByteRange bytes = plan.band_bytes(first + band.tile);
               PieceReader reader(input);
               reader.read(plan.file().in_offset + bytes.begin, {in, bytes.size()});
               reader.finish();
             },
             [&](const Strip& band, const std::byte* in, std::byte* out) {
               if (!transposer) {
                 reports.tell("choosing a strategy, and transposing");
                 transposer.emplace(options, largest, band_work(plan, plan.file().array.extents));
               }
               transposer->transpose(band_work(plan, plan.band(first + band.tile).extents), in,
                                     out);
             },
             [&](std::int64_t i, const std::byte* out) {
               if (i == 0) reports.tell("writing the scratch file");
               const std::uint64_t bytes = plan.band_bytes(first + i).size();
               scratch.write({out, bytes});
               reports.wrote(first + i, bytes);
             }});
  return transposer->chosen();
}

// first: the range that it begins with.
void second_pass(const TwoPassPlan& plan, std::int64_t first, const ScratchFile& scratch,
                 OutputFile& output, const PassReports& reports) {
  const std::uint64_t most = plan.range_bytes(0).size();
  run_bands(
      plan.ranges() - first, {most, most},
      {in_one_strip,
       [&](const Strip& range, std::byte* in) {
         PieceReader reader(scratch.written());
         plan.for_each_piece(first + range.tile, [&](const ByteRange& bytes, const Block&) {
           reader.read(bytes.begin, {in, bytes.size()});
           in += bytes.size();
         });
         reader.finish();
       },
       [&](const Strip& range, const std::byte* in, std::byte* out) {
         Gatherer(plan, first + range.tile).gather(in, out);
       },
       [&](std::int64_t i, const std::byte* out) {
         if (i == 0) reports.tell("writing");
         const ByteRange bytes = plan.range_bytes(first + i);
         PieceWriter writer(output);
         writer.write(plan.file().out_offset + bytes.begin, {out, bytes.size()}, {true, false});
         writer.finish();
         reports.wrote(plan.bands() + first + i, bytes.size());
       }});
  scratch.check();
}

}  // namespace

TileWork band_work(const TwoPassPlan& plan, const std::vector<std::int64_t>& extents) {
  const DenseArray& array = plan.file().array;
  return permutation_work(folded({extents, array.axes, array.item_bytes}));
}

std::string pass_text(const TwoPassPlan& plan) {
  const auto counted = [](std::int64_t count, const char* name, const Block& largest) {
    return std::to_string(count) + ' ' + name + (count == 1 ? " of " : "s of ") +
           shape_text(largest.extents);
  };
  return counted(plan.bands(), "band", plan.band(0)) + " and " +
         counted(plan.ranges(), "range", plan.range(0));
}

std::int64_t steps(const TwoPassPlan& plan) { return plan.bands() + plan.ranges(); }

std::uint64_t step_bytes(const TwoPassPlan& plan, std::int64_t step) {
  return step < plan.bands() ? plan.band_bytes(step).size()
                             : plan.range_bytes(step - plan.bands()).size();
}

std::string move_in_two_passes(const TwoPassPlan& plan, std::int64_t first, const InputFile& input,
                               ScratchFile& scratch, OutputFile& output,
                               const TileTransposer::Options& options, const PassReports& reports) {
  std::string chosen = "nothing";
  if (first < plan.bands())
    chosen = first_pass(plan, first, input, scratch, options, reports);
  else
    scratch.go_on(plan.file().array.bytes());
  second_pass(plan, std::max<std::int64_t>(first - plan.bands(), 0), scratch, output, reports);
  return chosen;
}

}  // namespace xpose::app
