// FFTW's transpose over MPI.
#include <fftw3-mpi.h>

#include "contestant.hpp"

namespace xpose::bench {
namespace {

class Fftw : public Contestant {
 public:
  Fftw(const Case& matrix, const std::vector<Arrays>& arrays) {
    fftw_mpi_init();
    for (const Arrays& pair : arrays)
      plans_.push_back(fftw_mpi_plan_transpose(matrix.from.blocks.m, matrix.from.blocks.n, pair.in,
                                               pair.out, MPI_COMM_WORLD, FFTW_MEASURE));
  }
  ~Fftw() override {
    for (fftw_plan plan : plans_) fftw_destroy_plan(plan);
  }

  std::string name() const override { return "FFTW-MPI"; }
  void run(std::size_t pair) override { fftw_execute(plans_[pair]); }

 private:
  std::vector<fftw_plan> plans_;
};

bool is_slabs(const Layout& layout, int ranks) {
  const BlockCyclic& blocks = layout.blocks;
  return layout.order == Order::row_major && blocks.npcol == 1 && blocks.nprow == ranks &&
         blocks.mb * ranks == blocks.m;
}

}  // namespace

// Planning overwrites the arrays.
void add_fftw(Contestants& all, const Case& matrix, const std::vector<Arrays>& arrays) {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (is_slabs(matrix.from, ranks) && is_slabs(matrix.to, ranks))
    all.push_back(std::make_unique<Fftw>(matrix, arrays));
}

}  // namespace xpose::bench
