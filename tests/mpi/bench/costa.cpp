// COSTA's transpose.
#include <costa/grid2grid/transform.hpp>
#include <costa/layout.hpp>

#include "contestant.hpp"

namespace xpose::bench {
namespace {

class Costa : public Contestant {
 public:
  Costa(const Case& matrix, const std::vector<Arrays>& arrays) {
    for (const Arrays& pair : arrays)
      layouts_.push_back({layout(matrix.from, pair.in), layout(matrix.to, pair.out)});
  }

  std::string name() const override { return "COSTA"; }
  void run(std::size_t pair) override {
    costa::transform(layouts_[pair].from, layouts_[pair].to, 'T', 1.0, 0.0, MPI_COMM_WORLD);
  }

 private:
  static costa::grid_layout<double> layout(const Layout& layout, double* array) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const BlockCyclic& blocks = layout.blocks;
    const LocalArray local = local_array(placement_of(layout, sizeof(double)), rank);
    const bool is_rows = layout.order == Order::row_major;
    const auto m = static_cast<int>(blocks.m), n = static_cast<int>(blocks.n);
    return costa::block_cyclic_layout<double>(
        m, n, static_cast<int>(blocks.mb), static_cast<int>(blocks.nb), 1, 1, m, n, blocks.nprow,
        blocks.npcol, blocks.grid == Order::row_major ? 'R' : 'C', blocks.rsrc, blocks.csrc, array,
        static_cast<int>(is_rows ? local.cols : local.rows), is_rows ? 'R' : 'C', rank);
  }

  struct Pair {
    costa::grid_layout<double> from, to;
  };
  std::vector<Pair> layouts_;
};

}  // namespace

void add_costa(Contestants& all, const Case& matrix, const std::vector<Arrays>& arrays) {
  all.push_back(std::make_unique<Costa>(matrix, arrays));
}

}  // namespace xpose::bench
