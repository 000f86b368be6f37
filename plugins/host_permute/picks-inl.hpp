// Picks: vectors of the output from the windows of the input that hold their bytes. AVX-512 VBMI
// puts any of 64 bytes anywhere by one instruction; other targets have that for 16, AVX2 twice.
//
// Included once for each target of Highway, as register_tile-inl.hpp is.
#include "../kit/host/register_tile-inl.hpp"
#include "kernels.hpp"
#include "odd_units-inl.hpp"

#if defined(XPOSE_HOST_PERMUTE_PICKS) == defined(HWY_TARGET_TOGGLE)
#ifdef XPOSE_HOST_PERMUTE_PICKS
#undef XPOSE_HOST_PERMUTE_PICKS
#else
#define XPOSE_HOST_PERMUTE_PICKS
#endif

HWY_BEFORE_NAMESPACE();
namespace host_permute {
namespace HWY_NAMESPACE {

using namespace host::HWY_NAMESPACE;

// Calls body(in, out, places) for every piece and everywhere that a pattern occurs.
template <int Count, class Body>
HWY_INLINE void everywhere(const Picks::Pattern& pattern, const Blocks& b, const Body& body) {
  const int64_t* const end = pattern.places.data() + pattern.places.size();
  for (const int64_t* places = pattern.places.data(); places != end; places += Count)
    for (int64_t piece = 0; piece < b.count; ++piece)
      body(b.in + b.pieces[piece].in, b.out + b.pieces[piece].out, places);
}

#if HWY_TARGET == HWY_AVX2

// Two vectors of the output by each instruction: a window goes to both.
template <int Vectors, int Windows>
void pick_pairs(const Picks::Pattern& pattern, const Blocks& b) {
  constexpr int kPairs = Vectors / 2;
  const hn::FixedTag<uint8_t, 32> pair;
  using Pair = hn::Vec<decltype(pair)>;
  Pair table[kPairs * Windows];
  unroll<kPairs * Windows>([&](auto i) XPOSE_INLINE {
    constexpr int kFirst = i / Windows * 2 * Windows + i % Windows;
    table[i] = hn::Combine(pair, hn::Load(Block(), pattern.tables[kFirst + Windows].from.data()),
                           hn::Load(Block(), pattern.tables[kFirst].from.data()));
  });
  everywhere<Vectors + Windows>(
      pattern, b,
      [&](const uint8_t* HWY_RESTRICT in, uint8_t* HWY_RESTRICT out, const int64_t* places)
          XPOSE_INLINE {
            Pair window[Windows];
            unroll<Windows>([&](auto w) XPOSE_INLINE {
              window[w] = hn::LoadDup128(pair, in + places[Vectors + w]);
            });
            unroll<kPairs>([&](auto v) XPOSE_INLINE {
              auto picked = hn::TableLookupBytesOr0(window[0], table[v * Windows]);
              unroll<Windows - 1>([&](auto w) XPOSE_INLINE {
                picked = hn::Or(picked,
                                hn::TableLookupBytesOr0(window[w + 1], table[v * Windows + w + 1]));
              });
              hn::StoreU(hn::LowerHalf(picked), Block(), out + places[2 * v]);
              hn::StoreU(hn::UpperHalf(Block(), picked), Block(), out + places[2 * v + 1]);
            });
          });
}

#endif

// The tables stay in registers.
template <int Vectors, int Windows>
void pick_narrow(const Picks::Pattern& pattern, const Blocks& b) {
  hn::Vec<Block> table[Vectors * Windows];
  unroll<Vectors * Windows>(
      [&](auto i) XPOSE_INLINE { table[i] = hn::Load(Block(), pattern.tables[i].from.data()); });
  everywhere<Vectors + Windows>(
      pattern, b,
      [&](const uint8_t* HWY_RESTRICT in, uint8_t* HWY_RESTRICT out, const int64_t* places)
          XPOSE_INLINE {
            hn::Vec<Block> window[Windows];
            unroll<Windows>([&](auto w) XPOSE_INLINE {
              window[w] = hn::LoadU(Block(), in + places[Vectors + w]);
            });
            unroll<Vectors>([&](auto v) XPOSE_INLINE {
              auto picked = hn::Zero(Block());
              unroll<Windows>([&](auto w) XPOSE_INLINE {
                picked = hn::Or(picked, hn::TableLookupBytesOr0(window[w], table[v * Windows + w]));
              });
              hn::StoreU(picked, Block(), out + places[v]);
            });
          });
}

#if HWY_TARGET == HWY_AVX3

inline int64_t pick_width() {
  return __builtin_cpu_supports("avx512vbmi") ? Picks::kWide : Picks::kNarrow;
}

HWY_INLINE __mmask64 first_bytes(int64_t bytes) { return ~uint64_t{0} >> (Picks::kWide - bytes); }

#define XPOSE_VBMI __attribute__((target(HWY_TARGET_STR ",avx512vbmi")))

// The bytes of a table that have the top bit. A compiler keeps masks that a loop does not change in
// general registers, and on their way back they take the turn of a permutation: so they are made
// anew.
HWY_INLINE __mmask64 mine(__m512i table) {
  __mmask64 mask;
  asm volatile("vpmovb2m %1, %0" : "=Yk"(mask) : "v"(table));
  return mask;
}

// Whole: every window has all its bytes.
template <int Vectors, int Windows, bool Whole>
XPOSE_VBMI void pick_wide(const Picks::Pattern& pattern, const Blocks& b) {
  __m512i table[Vectors * Windows];
  const __mmask64 stored = first_bytes(pattern.vector_bytes),
                  loaded = first_bytes(pattern.window_bytes);
  for (int i = 0; i < Vectors * Windows; ++i)
    table[i] = _mm512_load_si512(pattern.tables[i].from.data());
  const int64_t* const end = pattern.places.data() + pattern.places.size();
  for (const int64_t* at = pattern.places.data(); at != end; at += Vectors + Windows)
    for (int64_t piece = 0; piece < b.count; ++piece) {
      const uint8_t* HWY_RESTRICT const in = b.in + b.pieces[piece].in;
      uint8_t* HWY_RESTRICT const out = b.out + b.pieces[piece].out;
      __m512i window[Windows];
      for (int w = 0; w < Windows; ++w)
        window[w] = Whole ? _mm512_loadu_si512(in + at[Vectors + w])
                          : _mm512_maskz_loadu_epi8(loaded, in + at[Vectors + w]);
      for (int v = 0; v < Vectors; ++v) {
        __m512i picked = _mm512_permutexvar_epi8(table[v * Windows], window[0]);
        for (int w = 1; w < Windows; ++w) {
          const __m512i from = table[v * Windows + w];
          picked = _mm512_mask_permutexvar_epi8(picked, mine(from), from, window[w]);
        }
        _mm512_mask_storeu_epi8(out + at[v], stored, picked);
      }
    }
}

template <int Vectors, int Windows>
HWY_INLINE void pick_by(int64_t width, const Picks::Pattern& pattern, const Blocks& b) {
  if (width == Picks::kNarrow)
    pick_narrow<Vectors, Windows>(pattern, b);
  else if (pattern.window_bytes == Picks::kWide)
    pick_wide<Vectors, Windows, true>(pattern, b);
  else
    pick_wide<Vectors, Windows, false>(pattern, b);
}

#else

inline int64_t pick_width() { return Picks::kNarrow; }

template <int Vectors, int Windows>
HWY_INLINE void pick_by(int64_t, const Picks::Pattern& pattern, const Blocks& b) {
#if HWY_TARGET == HWY_AVX2
  if constexpr (Vectors % 2 == 0) return pick_pairs<Vectors, Windows>(pattern, b);
#endif
  pick_narrow<Vectors, Windows>(pattern, b);
}

#endif

void pick(const Blocks& blocks, const Picks& picks) {
  const Blocks b = blocks;
  for (const Picks::Pattern& pattern : picks.patterns)
    unroll<Picks::kMostVectors>([&](auto v) XPOSE_INLINE {
      unroll<Picks::kMostWindows>([&](auto w) XPOSE_INLINE {
        constexpr int kVectors = v + 1, kWindows = w + 1;
        if constexpr (kVectors * kWindows <= Picks::kMostTables)
          if (pattern.vectors == kVectors && pattern.windows == kWindows)
            pick_by<kVectors, kWindows>(picks.width, pattern, b);
      });
    });
}

}  // namespace HWY_NAMESPACE
}  // namespace host_permute
HWY_AFTER_NAMESPACE();

#endif
