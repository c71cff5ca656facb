// Recurrences: the loops over time of LSTM, GRU and simple recurrent layers, and their gradients.
//
// XLA runs a loop over time whose body is a product of matrices and a few loops over the result, each of them on all threads. Here a
// task has some sequences of the batch and goes through all times alone, so threads never wait for each other. The weights are
// copied into blocks, in the order in which the loops read them. The gates of a vector of units are computed together, so that
// their sums stay in registers until the state is written. No result depends on how the batch is divided.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "threads.h"
#include "vectors.h"

namespace ffi = xla::ffi;

namespace {

using V = Vector<float>::type;
using I = Vector<float>::order;
constexpr int64_t kWidth = Vector<float>::kWidth;
constexpr int64_t kBlock = 4;  // vectors of a block of the backward product

struct Sizes {
  int64_t times, batch, hidden;
  bool reverse;

  int64_t Vectors() const { return (hidden + kWidth - 1) / kWidth; }
  int64_t Padded() const { return Vectors() * kWidth; }
  int64_t Time(int64_t step) const { return reverse ? times - 1 - step : step; }
};

INLINE V Load(const float* from, int64_t width) {
  V v;
  CopyPart(from, reinterpret_cast<float*>(&v), width);
  return v;
}

INLINE V At(const float* from) { return *reinterpret_cast<const V*>(from); }

INLINE void Store(V v, float* to, int64_t width) { std::memcpy(to, &v, width * sizeof(float)); }

INLINE void CopyRow(const float* from, float* to, int64_t count) { std::memcpy(to, from, count * sizeof(float)); }

// --- functions ----------------------------------------------------------------------------------------------------------------

// e to the power of x, from a polynomial of the remainder of x by log 2; between the smallest and largest normal numbers.
INLINE V Exp(V x) {
  const V low = V{} - 87.3f, high = V{} + 88.3f;
  x = x < low ? low : x;
  x = x > high ? high : x;
  const V n = (x * 1.44269504f + 12582912.0f) - 12582912.0f;
  const V r = (x - n * 0.693359375f) - n * -2.12194440e-4f;
  V p = V{} + 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * (r * r) + r + 1.0f;
  const I power = (__builtin_convertvector(n, I) + 127) << 23;
  return p * reinterpret_cast<const V&>(power);
}

INLINE V Sigmoid(V x) { return 1.0f / (1.0f + Exp(-x)); }

INLINE V Tanh(V x) {
  const V square = x * x;
  V p = V{} - 5.70498872745e-3f;
  p = p * square + 2.06390887954e-2f;
  p = p * square - 5.37397155531e-2f;
  p = p * square + 1.33314422036e-1f;
  p = p * square - 3.33332819422e-1f;
  const V near = x + x * square * p, size = x < 0.0f ? -x : x;
  const V far = 1.0f - 2.0f / (Exp(size + size) + 1.0f);
  return size < 0.625f ? near : (x < 0.0f ? -far : far);
}

// --- one step, by kind --------------------------------------------------------------------------------------------------------

// A kind has gates: sums of an input and the product of the state h with weights. A step saves vectors for the gradient, of which
// there are as many as gradients of a step: first those of the gates, then that of an input that stays apart from its gate's sum.
// It also keeps the state that the gradient needs.

struct Lstm {
  static constexpr int64_t kGates = 4, kSaved = 4, kApart = -1, kRows = 4;  // i, f, g, o

  static INLINE V Next(const V* sum, V, V, V& c, V* saved, V& kept) {
    const V i = Sigmoid(sum[0]), f = Sigmoid(sum[1]), g = Tanh(sum[2]), o = Sigmoid(sum[3]);
    c = f * c + i * g;
    kept = c;
    saved[0] = i, saved[1] = f, saved[2] = g, saved[3] = o;
    return o * Tanh(c);
  }

  static INLINE V Back(const V* saved, V c, V before, V of_h, V& of_c, V* out) {
    const V i = saved[0], f = saved[1], g = saved[2], o = saved[3], tanh = Tanh(c);
    const V total = of_c + of_h * o * (1.0f - tanh * tanh);
    out[0] = total * g * i * (1.0f - i);
    out[1] = total * before * f * (1.0f - f);
    out[2] = total * i * (1.0f - g * g);
    out[3] = of_h * tanh * o * (1.0f - o);
    of_c = total * f;
    return V{};
  }
};

struct Gru {
  static constexpr int64_t kGates = 3, kSaved = 4, kApart = 2, kRows = 4;  // r, z, n; the input of n stays apart

  static INLINE V Next(const V* sum, V input, V h, V&, V* saved, V& kept) {
    const V r = Sigmoid(sum[0]), z = Sigmoid(sum[1]), n = Tanh(input + r * sum[2]);
    saved[0] = r, saved[1] = z, saved[2] = n, saved[3] = sum[2];
    return kept = n + z * (h - n);
  }

  static INLINE V Back(const V* saved, V, V before, V of_h, V&, V* out) {
    const V r = saved[0], z = saved[1], n = saved[2], of_n = of_h * (1.0f - z) * (1.0f - n * n);
    out[0] = of_n * saved[3] * r * (1.0f - r);
    out[1] = of_h * (before - n) * z * (1.0f - z);
    out[2] = of_n * r;
    out[3] = of_n;
    return of_h * z;
  }
};

template <bool kIsRelu>
struct Simple {
  static constexpr int64_t kGates = 1, kSaved = 1, kApart = -1, kRows = 8;

  static INLINE V Next(const V* sum, V, V, V&, V* saved, V& kept) {
    return kept = saved[0] = kIsRelu ? (sum[0] < 0.0f ? V{} : sum[0]) : Tanh(sum[0]);
  }

  static INLINE V Back(const V* saved, V, V, V of_h, V&, V* out) {
    out[0] = kIsRelu ? (saved[0] > 0.0f ? of_h : V{}) : of_h * (1.0f - saved[0] * saved[0]);
    return V{};
  }
};

// --- forward ------------------------------------------------------------------------------------------------------------------

struct Forward {
  Sizes s;
  const float *gates, *bias, *first_h, *first_c;  // `bias`: of the gate whose input stays apart
  const int32_t* lengths;
  const float* weights;  // [vector of units][unit of the state before][gate][unit]
  float *outputs, *last_h, *last_c, *saved, *kept;  // `saved` and `kept` may be null
};

// Compute a vector of units of kCount sequences at a time.
template <typename Kind, int kCount>
INLINE void Units(const Forward& f, int64_t t, int64_t n, int64_t j, const float* h, const float* c, float* new_h, float* new_c) {
  constexpr int64_t kGates = Kind::kGates;
  const int64_t hidden = f.s.hidden, padded = f.s.Padded(), first = j * kWidth, width = std::min(kWidth, hidden - first);
  const auto input = [&](int r, int64_t g) { return Load(f.gates + ((t * f.s.batch + n + r) * kGates + g) * hidden + first, width); };
  V sums[kCount][kGates];
  for (int r = 0; r < kCount; ++r)
    for (int64_t g = 0; g < kGates; ++g) sums[r][g] = g == Kind::kApart ? Load(f.bias + first, width) : input(r, g);
  const float* w = f.weights + j * hidden * kGates * kWidth;
  for (int64_t k = 0; k < hidden; ++k, w += kGates * kWidth) {
    for (int64_t g = 0; g < kGates; ++g) {
      const V weight = At(w + g * kWidth);
      for (int r = 0; r < kCount; ++r) sums[r][g] += weight * h[r * padded + k];
    }
  }
  for (int r = 0; r < kCount; ++r) {
    const int64_t at = r * padded + first, row = t * f.s.batch + n + r;
    V saved[Kind::kSaved] = {}, kept = {}, output = {}, next_h = At(h + at), next_c = At(c + at);
    if (t < f.lengths[n + r])
      next_h = output = Kind::Next(sums[r], Kind::kApart < 0 ? V{} : input(r, Kind::kApart), next_h, next_c, saved, kept);
    std::memcpy(new_c + at, &next_c, kBytes);
    std::memcpy(new_h + at, &next_h, kBytes);
    Store(output, f.outputs + row * hidden + first, width);
    if (f.saved == nullptr) continue;
    Store(kept, f.kept + row * hidden + first, width);
    for (int64_t g = 0; g < Kind::kSaved; ++g) Store(saved[g], f.saved + (row * Kind::kSaved + g) * hidden + first, width);
  }
}

template <typename Kind>
INLINE void RunForward(const Forward& f, int64_t begin, int64_t end) {
  const Sizes& s = f.s;
  const int64_t padded = s.Padded(), size = (end - begin) * padded;
  std::vector<float> memory(4 * size, 0.0f);
  float *h = memory.data(), *c = h + size, *new_h = c + size, *new_c = new_h + size;
  for (int64_t n = begin; n < end; ++n) {
    CopyRow(f.first_h + n * s.hidden, h + (n - begin) * padded, s.hidden);
    CopyRow(f.first_c + n * s.hidden, c + (n - begin) * padded, s.hidden);
  }
  for (int64_t step = 0; step < s.times; ++step) {
    const int64_t t = s.Time(step);
    for (int64_t j = 0; j < s.Vectors(); ++j) {
      int64_t n = begin, at = 0;
      for (; n + Kind::kRows <= end; n += Kind::kRows, at += Kind::kRows * padded)
        Units<Kind, Kind::kRows>(f, t, n, j, h + at, c + at, new_h + at, new_c + at);
      for (; n < end; ++n, at += padded) Units<Kind, 1>(f, t, n, j, h + at, c + at, new_h + at, new_c + at);
    }
    std::swap(h, new_h), std::swap(c, new_c);
  }
  for (int64_t n = begin; n < end; ++n) {
    CopyRow(h + (n - begin) * padded, f.last_h + n * s.hidden, s.hidden);
    CopyRow(c + (n - begin) * padded, f.last_c + n * s.hidden, s.hidden);
  }
}

// --- the gradient -------------------------------------------------------------------------------------------------------------

struct Backward {
  Sizes s;
  const float *saved, *kept, *first;  // `first`: the state that `kept` has at the other times
  const int32_t* lengths;
  const float *outputs, *last_h, *last_c;  // gradients
  const float* weights;                    // [block of units][row of the weights][unit]
  float *sums, *first_h, *first_c;         // gradients
};

// The gradients of the sums of one sequence at a time. `of_h` and `of_c` are those of the states after it, then of those before;
// what comes to h through the gates is still missing.
template <typename Kind>
INLINE void Sums(const Backward& b, int64_t t, int64_t before, int64_t n, float* of_h, float* of_c) {
  const int64_t hidden = b.s.hidden, row = t * b.s.batch + n;
  const float* previous = before < 0 ? b.first + n * hidden : b.kept + (before * b.s.batch + n) * hidden;
  for (int64_t j = 0; j < hidden; j += kWidth) {
    const int64_t width = std::min(kWidth, hidden - j), at = row * Kind::kSaved * hidden + j;
    V saved[Kind::kSaved], out[Kind::kSaved], c = At(of_c + j);
    for (int64_t g = 0; g < Kind::kSaved; ++g) saved[g] = Load(b.saved + at + g * hidden, width);
    const V kept = Load(b.kept + row * hidden + j, width), h = At(of_h + j) + Load(b.outputs + row * hidden + j, width);
    const V rest = Kind::Back(saved, kept, Load(previous + j, width), h, c, out);
    std::memcpy(of_h + j, &rest, kBytes);
    std::memcpy(of_c + j, &c, kBytes);
    for (int64_t g = 0; g < Kind::kSaved; ++g) Store(out[g], b.sums + at + g * hidden, width);
  }
}

// Add, to the gradients of kCount states before the gates, the product of the gates' gradients and a block of the weights.
template <typename Kind, int kCount>
INLINE void States(const Backward& b, int64_t t, int64_t n, int64_t block, float* of_h) {
  const int64_t padded = b.s.Padded(), rows = Kind::kGates * b.s.hidden, size = Kind::kSaved * b.s.hidden;
  const float* w = b.weights + block * rows * kBlock * kWidth;
  const float* sums = b.sums + (t * b.s.batch + n) * size;
  V acc[kCount][kBlock] = {};
  for (int64_t k = 0; k < rows; ++k, w += kBlock * kWidth) {
    for (int v = 0; v < kBlock; ++v) {
      const V weight = At(w + v * kWidth);
      for (int r = 0; r < kCount; ++r) acc[r][v] += weight * sums[r * size + k];
    }
  }
  for (int r = 0; r < kCount; ++r) {
    for (int64_t v = 0; v < std::min(kBlock, b.s.Vectors() - block * kBlock); ++v) {
      float* to = of_h + r * padded + (block * kBlock + v) * kWidth;
      const V sum = At(to) + acc[r][v];
      std::memcpy(to, &sum, kBytes);
    }
  }
}

template <typename Kind>
INLINE void RunBackward(const Backward& b, int64_t begin, int64_t end) {
  constexpr int kRows = 4;
  const Sizes& s = b.s;
  const int64_t padded = s.Padded(), size = (end - begin) * padded, blocks = (s.Vectors() + kBlock - 1) / kBlock;
  std::vector<float> memory(2 * size, 0.0f);
  float *of_h = memory.data(), *of_c = of_h + size;
  for (int64_t n = begin; n < end; ++n) {
    CopyRow(b.last_h + n * s.hidden, of_h + (n - begin) * padded, s.hidden);
    CopyRow(b.last_c + n * s.hidden, of_c + (n - begin) * padded, s.hidden);
  }
  for (int64_t step = s.times - 1; step >= 0; --step) {
    const int64_t t = s.Time(step), before = step == 0 ? -1 : s.Time(step - 1);
    for (int64_t n = begin; n < end; ++n) {
      if (t < b.lengths[n]) {
        const bool is_first = before < 0 || before >= b.lengths[n];
        Sums<Kind>(b, t, is_first ? -1 : before, n, of_h + (n - begin) * padded, of_c + (n - begin) * padded);
      } else {
        Zero(b.sums + (t * s.batch + n) * Kind::kSaved * s.hidden, Kind::kSaved * s.hidden);  // so the state stays
      }
    }
    for (int64_t block = 0; block < blocks; ++block) {
      int64_t n = begin;
      for (; n + kRows <= end; n += kRows) States<Kind, kRows>(b, t, n, block, of_h + (n - begin) * padded);
      for (; n < end; ++n) States<Kind, 1>(b, t, n, block, of_h + (n - begin) * padded);
    }
  }
  for (int64_t n = begin; n < end; ++n) {
    CopyRow(of_h + (n - begin) * padded, b.first_h + n * s.hidden, s.hidden);
    CopyRow(of_c + (n - begin) * padded, b.first_c + n * s.hidden, s.hidden);
  }
}

// --- one task, compiled for each generation of processors ----------------------------------------------------------------------

enum Kinds : int64_t { kLstm, kGru, kTanh, kRelu };  // their order is that of `KINDS` in Python

FOR_EACH_PROCESSOR void ForwardTask(int64_t kind, const Forward& f, int64_t begin, int64_t end) {
  switch (kind) {
    case kLstm: return RunForward<Lstm>(f, begin, end);
    case kGru: return RunForward<Gru>(f, begin, end);
    case kTanh: return RunForward<Simple<false>>(f, begin, end);
    default: return RunForward<Simple<true>>(f, begin, end);
  }
}

FOR_EACH_PROCESSOR void BackwardTask(int64_t kind, const Backward& b, int64_t begin, int64_t end) {
  switch (kind) {
    case kLstm: return RunBackward<Lstm>(b, begin, end);
    case kGru: return RunBackward<Gru>(b, begin, end);
    case kTanh: return RunBackward<Simple<false>>(b, begin, end);
    default: return RunBackward<Simple<true>>(b, begin, end);
  }
}

// Call a function with parts of the batch, on all threads.
template <typename Task>
void ForParts(ffi::ThreadPool& pool, int64_t batch, Task task) {
  constexpr int64_t kMultiple = 8, kMost = 32;  // sequences
  const int64_t threads = std::max<int64_t>(pool.num_threads(), 1), even = (batch + threads - 1) / threads;
  const int64_t rows = std::min(kMost, (even + kMultiple - 1) / kMultiple * kMultiple);
  Run(pool, (batch + rows - 1) / rows, [=](int64_t i) { task(i * rows, std::min(batch, (i + 1) * rows)); });
}

// --- XLA's calls --------------------------------------------------------------------------------------------------------------

using Array3 = ffi::Buffer<ffi::F32, 3>;
using Array2 = ffi::Buffer<ffi::F32, 2>;
using Array1 = ffi::Buffer<ffi::F32, 1>;
using Lengths = ffi::Buffer<ffi::S32, 1>;

// The results: outputs, the last h and c, and if there are five, what is saved and kept.
void ForwardCall(ffi::ThreadPool pool, Array3 gates, Array2 weights, Array1 bias, Array2 h, Array2 c, Lengths lengths,
                 ffi::RemainingRets results, int64_t kind, bool reverse) {
  const Sizes s{gates.dimensions()[0], h.dimensions()[0], h.dimensions()[1], reverse};
  const int64_t hidden = s.hidden, count = weights.dimensions()[0] / hidden;  // of gates
  const float* w = weights.typed_data();
  std::vector<float> blocks(s.Vectors() * hidden * count * kWidth, 0.0f);
  float* all = blocks.data();
  Run(pool, s.Vectors(), [=](int64_t j) {
    float* to = all + j * hidden * count * kWidth;
    for (int64_t g = 0; g < count; ++g)
      for (int64_t u = 0; u < std::min(kWidth, hidden - j * kWidth); ++u)
        for (int64_t k = 0; k < hidden; ++k) to[(k * count + g) * kWidth + u] = w[(g * hidden + j * kWidth + u) * hidden + k];
  });
  const auto result = [&](size_t i) -> float* {
    return i < results.size() ? static_cast<float*>((*results.get<ffi::AnyBuffer>(i))->untyped_data()) : nullptr;
  };
  const Forward f{s,   gates.typed_data(), bias.typed_data(), h.typed_data(), c.typed_data(), lengths.typed_data(),
                  all, result(0),          result(1),         result(2),      result(3),      result(4)};
  ForParts(pool, s.batch, [=](int64_t begin, int64_t end) { ForwardTask(kind, f, begin, end); });
}

void BackwardCall(ffi::ThreadPool pool, Array3 saved, Array3 kept, Array2 first, Array2 weights, Lengths lengths,
                  Array3 outputs, Array2 last_h, Array2 last_c, ffi::Result<Array3> sums, ffi::Result<Array2> first_h,
                  ffi::Result<Array2> first_c, int64_t kind, bool reverse) {
  const Sizes s{saved.dimensions()[0], first.dimensions()[0], first.dimensions()[1], reverse};
  const int64_t count = (s.Vectors() + kBlock - 1) / kBlock, rows = weights.dimensions()[0];
  const float* w = weights.typed_data();
  std::vector<float> blocks(count * rows * kBlock * kWidth, 0.0f);
  float* all = blocks.data();
  Run(pool, count, [=](int64_t block) {
    float* to = all + block * rows * kBlock * kWidth;
    const int64_t begin = block * kBlock * kWidth, width = std::min(kBlock * kWidth, s.hidden - begin);
    for (int64_t k = 0; k < rows; ++k) CopyRow(w + k * s.hidden + begin, to + k * kBlock * kWidth, width);
  });
  const Backward b{s,
                   saved.typed_data(),
                   kept.typed_data(),
                   first.typed_data(),
                   lengths.typed_data(),
                   outputs.typed_data(),
                   last_h.typed_data(),
                   last_c.typed_data(),
                   all,
                   sums->typed_data(),
                   first_h->typed_data(),
                   first_c->typed_data()};
  ForParts(pool, s.batch, [=](int64_t begin, int64_t end) { BackwardTask(kind, b, begin, end); });
}

}  // namespace

XLA_FFI_DEFINE_HANDLER_SYMBOL(recurrent_f32, Safe<ForwardCall>::Call,
                              ffi::Ffi::Bind()
                                  .Ctx<ffi::ThreadPool>()
                                  .Arg<Array3>()
                                  .Arg<Array2>()
                                  .Arg<Array1>()
                                  .Arg<Array2>()
                                  .Arg<Array2>()
                                  .Arg<Lengths>()
                                  .RemainingRets()
                                  .Attr<int64_t>("kind")
                                  .Attr<bool>("reverse"));
XLA_FFI_DEFINE_HANDLER_SYMBOL(recurrent_gradient_f32, Safe<BackwardCall>::Call,
                              ffi::Ffi::Bind()
                                  .Ctx<ffi::ThreadPool>()
                                  .Arg<Array3>()
                                  .Arg<Array3>()
                                  .Arg<Array2>()
                                  .Arg<Array2>()
                                  .Arg<Lengths>()
                                  .Arg<Array3>()
                                  .Arg<Array2>()
                                  .Arg<Array2>()
                                  .Ret<Array3>()
                                  .Ret<Array2>()
                                  .Ret<Array2>()
                                  .Attr<int64_t>("kind")
                                  .Attr<bool>("reverse"));
