// Matrices with 2, 3 or 4 columns or rows: groups of the long side by Highway's interleaved
// accesses. In small ones the last group lies over the one before it.
//
// Included once for each target of Highway, as granules-inl.hpp is.
#include <type_traits>

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

// Vectors of the columns of dense rows, and dense rows of vectors.
template <int Few, class D>
HWY_INLINE void load_columns(D d, const uint8_t* in, hn::Vec<D>* v) {
  const auto* const from = reinterpret_cast<const hn::TFromD<D>*>(in);
  if constexpr (Few == 2)
    hn::LoadInterleaved2(d, from, v[0], v[1]);
  else if constexpr (Few == 3)
    hn::LoadInterleaved3(d, from, v[0], v[1], v[2]);
  else
    hn::LoadInterleaved4(d, from, v[0], v[1], v[2], v[3]);
}

template <int Few, class D>
HWY_INLINE void store_rows(D d, const hn::Vec<D>* v, uint8_t* out) {
  auto* const to = reinterpret_cast<hn::TFromD<D>*>(out);
  if constexpr (Few == 2)
    hn::StoreInterleaved2(v[0], v[1], d, to);
  else if constexpr (Few == 3)
    hn::StoreInterleaved3(v[0], v[1], v[2], d, to);
  else
    hn::StoreInterleaved4(v[0], v[1], v[2], v[3], d, to);
}

// Calls body(std::integral_constant) for 2, 3 or 4.
template <class Body>
HWY_INLINE void for_few(int64_t few, const Body& body) {
  if (few == 2)
    body(std::integral_constant<int, 2>());
  else if (few == 3)
    body(std::integral_constant<int, 3>());
  else
    body(std::integral_constant<int, 4>());
}

template <int Few, class D>
HWY_INLINE void deinterleave(D d, const uint8_t* in, int64_t rows, uint8_t* out,
                             ptrdiff_t out_pitch) {
  constexpr int64_t kSize = sizeof(hn::TFromD<D>);
  for_tiles(rows, hn::MaxLanes(D()), [&](int64_t r) XPOSE_INLINE {
    hn::Vec<D> v[Few];
    load_columns<Few>(d, in + r * Few * kSize, v);
    unroll<Few>([&](auto c) XPOSE_INLINE {
      hn::StoreU(hn::BitCast(hn::Repartition<uint8_t, D>(), v[c]), hn::Repartition<uint8_t, D>(),
                 out + c * out_pitch + r * kSize);
    });
  });
}

template <int Few, class D>
HWY_INLINE void interleave_rows(D d, const uint8_t* in, ptrdiff_t in_pitch, int64_t cols,
                                uint8_t* out) {
  constexpr int64_t kSize = sizeof(hn::TFromD<D>);
  for_tiles(cols, hn::MaxLanes(D()), [&](int64_t c) XPOSE_INLINE {
    hn::Vec<D> v[Few];
    unroll<Few>([&](auto r) XPOSE_INLINE {
      const hn::Repartition<uint8_t, D> bytes;
      v[r] = hn::BitCast(d, hn::LoadU(bytes, in + r * in_pitch + c * kSize));
    });
    store_rows<Few>(d, v, out + c * Few * kSize);
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
      for_few(few, [&](auto number) XPOSE_INLINE {
        thin_by<Size, number>(d, in, in_pitch, rows, cols, out, out_pitch);
      });
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
