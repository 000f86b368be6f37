// Small matrices with 2, 3 or 4 columns or rows: groups of the long side by Highway's interleaved
// accesses, of which the last lies over the one before it.
//
// Included once for each target of Highway, as granules-inl.hpp is.
#include "granules-inl.hpp"

#if defined(XPOSE_HOST_SKINNY_THIN) == defined(HWY_TARGET_TOGGLE)
#ifdef XPOSE_HOST_SKINNY_THIN
#undef XPOSE_HOST_SKINNY_THIN
#else
#define XPOSE_HOST_SKINNY_THIN
#endif

HWY_BEFORE_NAMESPACE();
namespace host_skinny {
namespace HWY_NAMESPACE {

// Columns of dense rows.
template <int Few, class D>
HWY_INLINE void deinterleave(D d, const uint8_t* in, int64_t rows, uint8_t* out,
                             ptrdiff_t out_pitch) {
  using Element = hn::TFromD<D>;
  constexpr int64_t kGroup = hn::MaxLanes(D());
  for_tiles(rows, kGroup, [&](int64_t r) XPOSE_INLINE {
    hn::Vec<D> v[4];
    const auto* const from = reinterpret_cast<const Element*>(in) + r * Few;
    if constexpr (Few == 2)
      hn::LoadInterleaved2(d, from, v[0], v[1]);
    else if constexpr (Few == 3)
      hn::LoadInterleaved3(d, from, v[0], v[1], v[2]);
    else
      hn::LoadInterleaved4(d, from, v[0], v[1], v[2], v[3]);
    unroll<Few>([&](auto c) XPOSE_INLINE {
      hn::StoreU(v[c], d, reinterpret_cast<Element*>(out + c * out_pitch) + r);
    });
  });
}

// Rows to dense columns.
template <int Few, class D>
HWY_INLINE void interleave_rows(D d, const uint8_t* in, ptrdiff_t in_pitch, int64_t cols,
                                uint8_t* out) {
  using Element = hn::TFromD<D>;
  constexpr int64_t kGroup = hn::MaxLanes(D());
  for_tiles(cols, kGroup, [&](int64_t c) XPOSE_INLINE {
    hn::Vec<D> v[4];
    unroll<Few>([&](auto r) XPOSE_INLINE {
      v[r] = hn::LoadU(d, reinterpret_cast<const Element*>(in + r * in_pitch) + c);
    });
    auto* const to = reinterpret_cast<Element*>(out) + c * Few;
    if constexpr (Few == 2)
      hn::StoreInterleaved2(v[0], v[1], d, to);
    else if constexpr (Few == 3)
      hn::StoreInterleaved3(v[0], v[1], v[2], d, to);
    else
      hn::StoreInterleaved4(v[0], v[1], v[2], v[3], d, to);
  });
}

template <int Size, int Few, class D>
HWY_NOINLINE void thin_by(D d, const uint8_t* in, ptrdiff_t in_pitch, int64_t rows, int64_t cols,
                          uint8_t* out, ptrdiff_t out_pitch) {
  if (cols == Few)
    deinterleave<Few>(d, in, rows, out, out_pitch);
  else
    interleave_rows<Few>(d, in, in_pitch, cols, out);
}

// False where the matrix is another.
template <int Size>
bool transpose_thin(const uint8_t* in, ptrdiff_t in_pitch, int64_t rows, int64_t cols, uint8_t* out,
                    ptrdiff_t out_pitch) {
  if constexpr (Size == 16) {
    return false;
  } else {
    const Lanes<Size> lanes;
    const hn::Repartition<typename UintOf<Size>::type, Block> narrow;
    const int64_t few = std::min(rows, cols), many = std::max(rows, cols);
    const bool dense = cols == few ? in_pitch == cols * Size : out_pitch == rows * Size;
    if (few > 4 || !dense || many < 16 / Size) return false;
    const auto by = [&](auto d) XPOSE_INLINE {
      if (few == 2)
        thin_by<Size, 2>(d, in, in_pitch, rows, cols, out, out_pitch);
      else if (few == 3)
        thin_by<Size, 3>(d, in, in_pitch, rows, cols, out, out_pitch);
      else
        thin_by<Size, 4>(d, in, in_pitch, rows, cols, out, out_pitch);
    };
    if (many >= kVector / Size)
      by(lanes);
    else
      by(narrow);
    return true;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace host_skinny
HWY_AFTER_NAMESPACE();

#endif
