// Every CUDA plugin, compiled by the host compiler: its sources as they are, each entry in a
// namespace of its own.
#include "cuda_plugins_on_host.hpp"

// Loads and their uses stand under equal conditions, which the compiler does not see.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include "cuda_on_host.hpp"
// The headers of the plugins, first, so that they are not drawn into the namespaces below.
#include "cuda_copy/copy_col.cuh"
#include "cuda_copy/copy_row.cuh"
#include "cuda_copy/copy_wide.cuh"
#include "cuda_copy/rows_of_bytes.hpp"
#include "cuda_naive/naive_col.cuh"
#include "cuda_naive/naive_row.cuh"
#include "cuda_smem/smem.cuh"
#include "cuda_smem/tile_shape.hpp"
#include "cuda_smem_unroll2/smem_unroll2.cuh"
#include "cuda_unroll4/unroll4_col.cuh"
#include "cuda_unroll4/unroll4_row.cuh"

#undef XPOSE_PLUGIN
#define XPOSE_PLUGIN(NAME, VERSION, ...)                                  \
  const xpose_plugin* entry() {                                           \
    return ::xpose::plugin::detail::describe<__VA_ARGS__>(NAME, VERSION); \
  }

namespace cuda_copy {
#include "cuda_copy/cuda_copy.cu"
}
namespace cuda_naive {
#include "cuda_naive/cuda_naive.cu"
}
namespace cuda_smem {
#include "cuda_smem/cuda_smem.cu"
}
namespace cuda_smem_unroll2 {
#include "cuda_smem_unroll2/cuda_smem_unroll2.cu"
}
namespace cuda_unroll4 {
#include "cuda_unroll4/cuda_unroll4.cu"
}

std::vector<const xpose_strategy*> cuda_strategies_on_host() {
  std::vector<const xpose_strategy*> all;
  for (const xpose_plugin* plugin : {cuda_copy::entry(), cuda_naive::entry(), cuda_smem::entry(),
                                     cuda_smem_unroll2::entry(), cuda_unroll4::entry()})
    all.insert(all.end(), plugin->strategies, plugin->strategies + plugin->strategy_count);
  return all;
}
