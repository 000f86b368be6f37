// The ways to transpose a matrix over the ranks of MPI_COMM_WORLD that route_bench measures.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "xpose/mpi.hpp"
#include "xpose/route.hpp"

namespace xpose::bench {

// A block-cyclic matrix, and the order of elements in its arrays.
struct Layout {
  BlockCyclic blocks;
  Order order = Order::column_major;
};

inline Placement placement_of(const Layout& layout, std::uint32_t element_bytes) {
  Placement placement = block_cyclic(layout.blocks, element_bytes);
  placement.order = layout.order;
  return placement;
}

// A matrix of doubles, whose transpose the target has.
struct Case {
  std::string name;
  Layout from, to;
};

// The arrays of this rank. A benchmark has several pairs, so that none is in a cache.
struct Arrays {
  double* in = nullptr;
  double* out = nullptr;
};

class Contestant {
 public:
  virtual ~Contestant() = default;
  virtual std::string name() const = 0;
  virtual void run(std::size_t pair) = 0;  // collective
};

using Contestants = std::vector<std::unique_ptr<Contestant>>;

// Each adds a contestant, or nothing where the library cannot do the case or was not found.
void add_route(Contestants& all, const Case& matrix, const std::vector<Arrays>& arrays,
               Engine& engine, const RouteOptions& options);
void add_alltoallv(Contestants& all, const Case& matrix, const std::vector<Arrays>& arrays,
                   Engine& engine, const PlanOptions& options);
void add_pdtran(Contestants& all, const Case& matrix, const std::vector<Arrays>& arrays);
void add_fftw(Contestants& all, const Case& matrix, const std::vector<Arrays>& arrays);
void add_costa(Contestants& all, const Case& matrix, const std::vector<Arrays>& arrays);

}  // namespace xpose::bench
