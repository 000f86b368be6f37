#include "xpose/views.hpp"

#include <numeric>
#include <unsupported/Eigen/CXX11/Tensor>

#include "engine_fixture.hpp"

namespace xpose {
namespace {

class ViewsTest : public EngineTest {};

template <int layout>
void expect_shuffled(Engine& engine) {
  Eigen::Tensor<float, 4, layout> in(3, 5, 7, 4), out;
  in.setRandom();
  const Eigen::array<int, 4> order = {2, 0, 3, 1};
  permute(engine, in, out, {2, 0, 3, 1});
  const Eigen::Tensor<float, 4, layout> wanted = in.shuffle(order);
  ASSERT_EQ(out.dimensions(), wanted.dimensions());
  for (Eigen::Index i = 0; i < wanted.size(); ++i) ASSERT_EQ(out.data()[i], wanted.data()[i]) << i;
}

TEST_F(ViewsTest, TensorsAreShuffledAsEigenDoes) {
  expect_shuffled<Eigen::ColMajor>(engine());
  expect_shuffled<Eigen::RowMajor>(engine());
}

TEST_F(ViewsTest, AMappedTensorIsNotResized) {
  Eigen::Tensor<int, 2> in(3, 5);
  for (int i = 0; i < 15; ++i) in.data()[i] = i;
  std::vector<int> memory(15);
  Eigen::TensorMap<Eigen::Tensor<int, 2>> out(memory.data(), 5, 3), wrong(memory.data(), 3, 5);
  permute(engine(), in, out, {1, 0});
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 5; ++j) EXPECT_EQ(out(j, i), in(i, j));
  EXPECT_THROW(permute(engine(), in, wrong, {1, 0}), Error);
  EXPECT_THROW(permute(engine(), in, out, {0, 0}), Error);
}

TEST_F(ViewsTest, AFailureLeavesTheOutputAsItWas) {
  Eigen::Tensor<int, 2> in(3, 5), out(2, 2);
  out.setConstant(7);
  EXPECT_THROW(permute(engine(), in, out, {1, 1}), Error);
  EXPECT_EQ(out.dimension(0), 2);
  EXPECT_EQ(out(1, 1), 7);
  in.setConstant(1);
  EXPECT_THROW(permute(engine(), in, in, {1, 0}), Error);
  EXPECT_EQ(in.dimension(0), 3);
}

TEST_F(ViewsTest, AMatrixThatRepeatsAColumnIsRefused) {
  std::vector<float> memory(16);
  std::iota(memory.begin(), memory.end(), 0.0F);
  using Map = Eigen::Map<Eigen::MatrixXf, 0, Eigen::OuterStride<>>;
  Map repeated(memory.data(), 3, 4, Eigen::OuterStride<>(0));
  const Eigen::MatrixXf in = Eigen::MatrixXf::Ones(4, 3);
  Eigen::MatrixXf out = Eigen::MatrixXf::Ones(4, 3);
  EXPECT_THROW(engine().transpose(repeated, out), Error);
  EXPECT_THROW(engine().transpose(in, repeated), Error);
  for (std::size_t i = 0; i < memory.size(); ++i) EXPECT_EQ(memory[i], static_cast<float>(i));
  const Map column(memory.data(), 3, 1, Eigen::OuterStride<>(0));
  Eigen::MatrixXf row(1, 3);
  engine().transpose(column, row);
  EXPECT_EQ(row, Eigen::MatrixXf(column.transpose()));
}

TEST_F(ViewsTest, AMatrixIsNotResizedBeyondItsStorage) {
  Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, 0, 3, 4> out;
  const Eigen::MatrixXf in = Eigen::MatrixXf::Random(4, 3);
  EXPECT_THROW(engine().transpose(Eigen::MatrixXf(in.transpose()), out), Error);
  EXPECT_EQ(out.size(), 0);
  engine().transpose(in, out);
  EXPECT_EQ(out, in.transpose());
}

// As std::mdspan is, for compilers that lack it.
template <class T>
struct View {
  using element_type = T;
  T* first;
  std::array<std::int64_t, 3> extents, strides;

  static constexpr std::size_t rank() { return 3; }
  T* data_handle() const { return first; }
  std::int64_t extent(std::size_t i) const { return extents[i]; }
  std::int64_t stride(std::size_t i) const { return strides[i]; }
  T& operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
    return first[i * strides[0] + j * strides[1] + k * strides[2]];
  }
};

TEST_F(ViewsTest, ViewsWithoutElementsMayHaveAnyStrides) {
  const View<const int> from{nullptr, {3, 0, 2}, {0, 2, 1}};
  const View<int> to{nullptr, {2, 3, 0}, {0, 0, 0}};
  EXPECT_NO_THROW(permute(engine(), from, to, {2, 0, 1}));
}

TEST_F(ViewsTest, ViewsHaveStridesOfTheirOwn) {
  const std::vector<std::uint32_t> in = numbers(1000);
  std::vector<std::uint32_t> out(1000);
  const View<const std::uint32_t> from{in.data() + 500, {3, 4, 5}, {50, -7, 1}};
  const View<std::uint32_t> to{out.data() + 300, {5, 3, 4}, {-20, 100, 2}};
  permute(engine(), from, to, {2, 0, 1});
  for (std::int64_t i = 0; i < 3; ++i)
    for (std::int64_t j = 0; j < 4; ++j)
      for (std::int64_t k = 0; k < 5; ++k) EXPECT_EQ(to(k, i, j), from(i, j, k));
  try {
    permute(engine(), from, to, {0, 1, 2});
    ADD_FAILURE() << "other extents were accepted";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()),
              "output axis 0 has 5 elements, but input axis 0, which moves there, has 3");
  }
}

}  // namespace
}  // namespace xpose
