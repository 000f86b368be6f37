#include "counters/counter_names.hpp"

#include <array>
#include <cmath>

namespace xpose {
namespace {

using Account = HardwareAccount;

// lsu is the pipe of ordinary loads and stores; bulk copies bypass it and are not in these.
constexpr std::array kAll = {
    Counter{"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
            [](Account& a) -> std::uint64_t& { return a.totals.load_sectors; }},
    Counter{"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
            [](Account& a) -> std::uint64_t& { return a.totals.store_sectors; }},
    Counter{"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
            [](Account& a) -> std::uint64_t& { return a.totals.load_requests; }},
    Counter{"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
            [](Account& a) -> std::uint64_t& { return a.totals.store_requests; }},
    Counter{"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
            [](Account& a) -> std::uint64_t& { return a.totals.load_wavefronts; }},
    Counter{"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
            [](Account& a) -> std::uint64_t& { return a.totals.store_wavefronts; }},
    Counter{"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
            [](Account& a) -> std::uint64_t& { return a.arbitrated_load_wavefronts; }},
    Counter{"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
            [](Account& a) -> std::uint64_t& { return a.arbitrated_store_wavefronts; }},
    Counter{"dram__bytes_read.sum", [](Account& a) -> std::uint64_t& { return a.dram_read_bytes; }},
    Counter{"dram__bytes_write.sum",
            [](Account& a) -> std::uint64_t& { return a.dram_write_bytes; }},
    Counter{"smsp__inst_executed.sum", [](Account& a) -> std::uint64_t& { return a.instructions; }},
};

}  // namespace

std::span<const Counter> counters() { return kAll; }

bool set_counter(HardwareAccount& account, const std::string& metric, double value) {
  constexpr double kBeyond = 18446744073709551616.0;  // 2^64
  if (!(value >= 0 && value < kBeyond)) return false;
  for (const Counter& counter : kAll)
    if (metric == counter.metric) {
      counter.field(account) = static_cast<std::uint64_t>(std::round(value));
      return true;
    }
  return false;
}

}  // namespace xpose
