// Vectors of the length of the longest registers, and functions compiled for each generation of processors.

#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#if defined(__x86_64__) && defined(__linux__)
#define FOR_EACH_PROCESSOR __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define FOR_EACH_PROCESSOR
#endif
#define INLINE inline __attribute__((always_inline))

namespace {

constexpr int64_t kBytes = 64;  // of a vector: the compiler splits it where registers are shorter

template <typename T>
struct Vector {
  static constexpr int64_t kWidth = kBytes / sizeof(T);
  using Index = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
  typedef T type __attribute__((vector_size(kBytes), aligned(sizeof(T)), may_alias));
  typedef Index order __attribute__((vector_size(kBytes), aligned(sizeof(T)), may_alias));
};

#if defined(__GNUC__) && !defined(__clang__)
template <typename V, typename Order>
INLINE V Shuffle(V x, Order order) {
  return __builtin_shuffle(x, order);
}
#else
template <typename V, typename Order>
INLINE V Shuffle(V x, Order order) {
  V out;
  for (size_t c = 0; c < sizeof(V) / sizeof(x[0]); ++c) out[c] = x[order[c]];
  return out;
}
#endif

// Copy a part of a vector; the rest is zero.
template <typename T>
INLINE void CopyPart(const T* from, T* to, int64_t width) {
  constexpr int64_t kWidth = Vector<T>::kWidth;
  if (width == kWidth) {
    std::memcpy(to, from, kBytes);
  } else {
    for (int64_t c = 0; c < kWidth; ++c) to[c] = c < width ? from[c] : T(0);
  }
}

template <typename T>
INLINE void Zero(T* to, int64_t count) {
  std::memset(to, 0, count * sizeof(T));
}

}  // namespace
