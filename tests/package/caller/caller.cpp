// A caller of the installed library: raw pointers with a plan paid for ahead of time, Eigen
// matrices in one call, and an error.
#include <Eigen/Core>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <vector>
#include <xpose/xpose.hpp>

namespace {

int failures = 0;

void expect(bool holds, const char* what) {
  std::printf("%s %s\n", holds ? "ok  " : "FAIL", what);
  failures += !holds;
}

void transpose_raw_pointers(xpose::Engine& engine) {
  constexpr std::int64_t kRows = 37, kCols = 53;
  std::vector<double> in(kRows * kCols), out(kCols * kRows);
  std::iota(in.begin(), in.end(), 1.0);
  const xpose::Plan plan = engine.plan(xpose::matrix(kRows, kCols, sizeof(double)));
  plan.execute(in.data(), out.data());
  bool same = true;
  for (std::int64_t r = 0; r < kRows; ++r)
    for (std::int64_t c = 0; c < kCols; ++c) same &= out[c * kRows + r] == in[r * kCols + c];
  expect(same, "raw pointers, planned ahead");
}

void transpose_eigen_matrices(xpose::Engine& engine) {
  const Eigen::MatrixXf in = Eigen::MatrixXf::Random(100, 33);
  Eigen::MatrixXf out;
  engine.transpose(in, out);
  expect(out == in.transpose(), "Eigen, column-major, resized");

  using RowMajor = Eigen::Matrix<int, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const RowMajor whole = RowMajor::Random(40, 60);
  RowMajor target = RowMajor::Zero(60, 50);
  engine.transpose(whole.block(3, 5, 20, 30), target.block(7, 11, 30, 20));
  expect(target.block(7, 11, 30, 20) == whole.block(3, 5, 20, 30).transpose(),
         "Eigen, blocks with leading dimensions");
  target.block(7, 11, 30, 20).setZero();
  expect((target.array() == 0).all(), "Eigen, nothing outside the block written");
}

void meet_an_error(xpose::Engine& engine) {
  try {
    engine.plan(xpose::matrix(4, 4, 300));
    expect(false, "an element of 300 bytes is refused");
  } catch (const xpose::Error& error) {
    expect(error.kind() == xpose::ErrorKind::invalid, "an element of 300 bytes is refused");
  }
}

}  // namespace

int main() {
  expect(std::strcmp(xpose::version(), XPOSE_VERSION) == 0,
         "header and library are of one version");
  xpose::Engine engine;
  transpose_raw_pointers(engine);
  transpose_eigen_matrices(engine);
  meet_an_error(engine);
  return failures == 0 ? 0 : 1;
}
