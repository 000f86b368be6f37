// ScaLAPACK's transpose.
#include <algorithm>
#include <array>

#include "contestant.hpp"

extern "C" {
void Cblacs_get(int context, int what, int* value);
void Cblacs_gridinit(int* context, const char* order, int rows, int cols);
void Cblacs_gridexit(int context);
void descinit_(int* descriptor, const int* m, const int* n, const int* mb, const int* nb,
               const int* rsrc, const int* csrc, const int* context, const int* lld, int* info);
void pdtran_(const int* m, const int* n, const double* alpha, const double* a, const int* ia,
             const int* ja, const int* desca, const double* beta, double* c, const int* ic,
             const int* jc, const int* descc);
}

namespace xpose::bench {
namespace {

using Descriptor = std::array<int, 9>;

class Pdtran : public Contestant {
 public:
  Pdtran(const Case& matrix, const std::vector<Arrays>& arrays) : arrays_(arrays) {
    const BlockCyclic& from = matrix.from.blocks;
    rows_ = static_cast<int>(matrix.to.blocks.m);
    cols_ = static_cast<int>(matrix.to.blocks.n);
    Cblacs_get(-1, 0, &context_);
    Cblacs_gridinit(&context_, from.grid == Order::row_major ? "Row" : "Col", from.nprow,
                    from.npcol);
    from_ = descriptor(matrix.from);
    to_ = descriptor(matrix.to);
  }
  ~Pdtran() override { Cblacs_gridexit(context_); }

  std::string name() const override { return "ScaLAPACK pdtran"; }
  void run(std::size_t pair) override {
    const double one = 1, zero = 0;
    const int first = 1;
    pdtran_(&rows_, &cols_, &one, arrays_[pair].in, &first, &first, from_.data(), &zero,
            arrays_[pair].out, &first, &first, to_.data());
  }

 private:
  Descriptor descriptor(const Layout& layout) const {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const BlockCyclic& blocks = layout.blocks;
    const std::array sizes = {static_cast<int>(blocks.m), static_cast<int>(blocks.n),
                              static_cast<int>(blocks.mb), static_cast<int>(blocks.nb)};
    const int lld =
        std::max(static_cast<int>(local_array(placement_of(layout, sizeof(double)), rank).rows), 1);
    Descriptor made{};
    int info = 0;
    descinit_(made.data(), &sizes[0], &sizes[1], &sizes[2], &sizes[3], &blocks.rsrc, &blocks.csrc,
              &context_, &lld, &info);
    if (info != 0)
      throw Error(ErrorKind::failed, "descinit refuses argument " + std::to_string(-info));
    return made;
  }

  std::vector<Arrays> arrays_;
  int context_ = 0, rows_ = 0, cols_ = 0;
  Descriptor from_{}, to_{};
};

}  // namespace

// Both matrices lie on one grid, and blocks of the target are transposed ones of the source.
void add_pdtran(Contestants& all, const Case& matrix, const std::vector<Arrays>& arrays) {
  const BlockCyclic &from = matrix.from.blocks, &to = matrix.to.blocks;
  if (matrix.from.order != Order::column_major || matrix.to.order != Order::column_major ||
      from.nprow != to.nprow || from.npcol != to.npcol || from.grid != to.grid ||
      from.mb != to.nb || from.nb != to.mb)
    return;
  all.push_back(std::make_unique<Pdtran>(matrix, arrays));
}

}  // namespace xpose::bench
