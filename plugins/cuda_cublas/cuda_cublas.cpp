// cuBLAS's two ways to transpose. geam (C = alpha*A^T + beta*B) multiplies: it turns NaNs into
// others and, complex, -0 into 0, so that it is timed and never chosen. cublasLtMatrixTransform on
// 32-bit and 8-bit integers with an integer factor keeps every bit, and competes.
#include <cublasLt.h>
#include <cublas_v2.h>

#include <xpose/plugin.hpp>

#include "../kit/cuda/cuda_card.hpp"
#include "handles.hpp"

using namespace xpose::plugin;

namespace {

struct Geam {
  static Card card() {
    return cuda_card({.name = "cublas_geam",
                      .summary = "cublasSgeam, Dgeam or Zgeam with factors 1 and 0",
                      .role = XPOSE_NUMERIC,
                      .element_sizes = 4 | 8 | 16,
                      .prior_rank = 800});
  }

  static Quote quote(const Problem&, const Config&) { return {.launch = "cuBLAS's own"}; }

  Geam(const Problem& problem, const Config&)
      : problem_(problem), handle_(cublas::handle(problem.device_ordinal)) {}

  void launch(const Launch& launch) const {
    const std::lock_guard lock(handle_.mutex);  // the stream is a state of the handle
    cublas::check(cublasSetStream(handle_.value, static_cast<cudaStream_t>(launch.stream)),
                  "cublasSetStream");
    switch (problem_.element_bytes) {
      case 4:
        return enqueue(launch, "cublasSgeam", cublasSgeam_64, 1.0F, 0.0F);
      case 8:
        return enqueue(launch, "cublasDgeam", cublasDgeam_64, 1.0, 0.0);
      default:
        return enqueue(launch, "cublasZgeam", cublasZgeam_64, cuDoubleComplex{1, 0},
                       cuDoubleComplex{0, 0});
    }
  }

 private:
  // cuBLAS counts by columns: to it the input is cols x rows, and the output rows x cols.
  template <class Function, class Number>
  void enqueue(const Launch& launch, const char* name, Function geam, Number one,
               Number zero) const {
    const auto* const in = static_cast<const Number*>(launch.in);
    auto* const out = static_cast<Number*>(launch.out);
    cublas::check(geam(handle_.value, CUBLAS_OP_T, CUBLAS_OP_N, problem_.rows, problem_.cols, &one,
                       in, problem_.in_ld, &zero, out, problem_.out_ld, out, problem_.out_ld),
                  name);
  }

  Problem problem_;
  cublas::Handle& handle_;
};

struct Transform {
  static Card card() {
    return cuda_card({.name = "cublaslt_transform",
                      .summary = "cublasLtMatrixTransform on integers of 1 or 4 bytes",
                      .element_sizes = 1 | 4,
                      .max_batch_rank = 1,
                      .prior_rank = 790});
  }

  static Quote quote(const Problem& problem, const Config&) {
    if (problem.batch_rank != 0 && problem.batch[0].extent > INT32_MAX)
      throw Unsupported("cublasLt needs fewer than 2^31 matrices");
    return {.launch = "cublasLt's own"};
  }

  Transform(const Problem& problem, const Config&)
      : handle_(cublas::handle(problem.device_ordinal)) {
    const cudaDataType type = problem.element_bytes == 1 ? CUDA_R_8I : CUDA_R_32I;
    cublas::check(cublasLtMatrixTransformDescInit(&transform_, CUDA_R_32I),
                  "cublasLtMatrixTransformDescInit");
    const cublasOperation_t transpose = CUBLAS_OP_T;
    cublas::check(
        cublasLtMatrixTransformDescSetAttribute(&transform_, CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSA,
                                                &transpose, sizeof transpose),
        "cublasLtMatrixTransformDescSetAttribute");
    const bool batched = problem.batch_rank != 0;
    const xpose_batch_dim batch = batched ? problem.batch[0] : xpose_batch_dim{1, 0, 0};
    describe(in_, type, problem.cols, problem.rows, problem.in_ld, batch.extent, batch.in_stride);
    describe(out_, type, problem.rows, problem.cols, problem.out_ld, batch.extent,
             batch.out_stride);
  }

  void launch(const Launch& launch) const {
    const int32_t one = 1;
    const int32_t zero = 0;
    cublas::check(
        cublasLtMatrixTransform(reinterpret_cast<cublasLtHandle_t>(handle_.value), transform(),
                                &one, launch.in, layout(in_), &zero, nullptr, nullptr, launch.out,
                                layout(out_), static_cast<cudaStream_t>(launch.stream)),
        "cublasLtMatrixTransform");
  }

 private:
  // rows x cols by columns, as cuBLAS counts them.
  static void describe(cublasLtMatrixLayoutOpaque_t& layout, cudaDataType type, int64_t rows,
                       int64_t cols, int64_t ld, int64_t count, int64_t stride) {
    cublas::check(cublasLtMatrixLayoutInit(&layout, type, static_cast<uint64_t>(rows),
                                           static_cast<uint64_t>(cols), ld),
                  "cublasLtMatrixLayoutInit");
    if (count == 1) return;
    const auto matrices = static_cast<int32_t>(count);
    cublas::check(cublasLtMatrixLayoutSetAttribute(&layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT,
                                                   &matrices, sizeof matrices),
                  "cublasLtMatrixLayoutSetAttribute");
    cublas::check(cublasLtMatrixLayoutSetAttribute(
                      &layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride, sizeof stride),
                  "cublasLtMatrixLayoutSetAttribute");
  }
  // The functions that only read these take pointers to non-const.
  cublasLtMatrixTransformDesc_t transform() const {
    return const_cast<cublasLtMatrixTransformDesc_t>(&transform_);
  }
  static cublasLtMatrixLayout_t layout(const cublasLtMatrixLayoutOpaque_t& layout) {
    return const_cast<cublasLtMatrixLayout_t>(&layout);
  }

  cublas::Handle& handle_;
  cublasLtMatrixTransformDescOpaque_t transform_{};
  cublasLtMatrixLayoutOpaque_t in_{};
  cublasLtMatrixLayoutOpaque_t out_{};
};

}  // namespace

XPOSE_PLUGIN("cuda_cublas", "1.0", Geam, Transform)
