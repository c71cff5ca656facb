// Normalization over the batch: the mean and the variance of each channel, what follows from them, and the gradient.
//
// An array (batch, channels, elements) is divided into parts, and a task goes through a part two or three times while it is in the
// cache. A part is a channel. If an image has few elements of a channel, a part is as many channels as fit into four vectors.
// Neither the parts nor the order of sums depends on the number of threads. Sums are in float32 for about `kChunk` numbers, and in
// float64 beyond them.
//
// With the channels last, the array is (rows, channels). Only what has one number for each channel is computed here: tasks sum up blocks
// of rows, and one of them combines the sums. The rest XLA computes together with the operations around.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "threads.h"
#include "vectors.h"

#define INLINED __attribute__((always_inline))  // of a lambda: it is compiled for the processor for which its caller is

namespace ffi = xla::ffi;

namespace {

using V = Vector<float>::type;
using I = Vector<float>::order;
constexpr int64_t kWidth = Vector<float>::kWidth;
constexpr int64_t kUnrolled = 4, kBlock = kUnrolled * kWidth, kChunk = 32 * kBlock;
typedef double Wide __attribute__((vector_size(2 * kBytes), aligned(sizeof(double))));  // as many numbers as V has

INLINE Wide ToWide(V v) { return __builtin_convertvector(v, Wide); }
INLINE V ToSingle(Wide v) { return __builtin_convertvector(v, V); }

INLINE void Store(V v, float* to, int64_t width) {
  if (width == kWidth) {
    *reinterpret_cast<V*>(to) = v;
  } else {
    for (int64_t c = 0; c < width; ++c) to[c] = v[c];
  }
}

// The first numbers of a vector; the rest is zero.
INLINE V First(V v, int64_t width) {
  I order;
  for (int64_t c = 0; c < kWidth; ++c) order[c] = c;
  return order < static_cast<int32_t>(width) ? v : V{};
}

// `width` numbers of an array of `size`; the rest of the vector may be anything.
INLINE V Load(const float* from, int64_t at, int64_t width, int64_t size) {
  if (at + kWidth <= size) return *reinterpret_cast<const V*>(from + at);
  V v;
  CopyPart(from + at, reinterpret_cast<float*>(&v), width);
  return v;
}

struct Sizes {
  int64_t batch, channels, elements;
  float eps;

  bool AreShort() const { return elements < kWidth; }
  int64_t Channels() const { return AreShort() ? kBlock / elements : 1; }  // of a part
  int64_t Parts() const { return (channels + Channels() - 1) / Channels(); }
  int64_t Stride() const { return channels * elements; }
  int64_t Size() const { return batch * channels * elements; }
  double Count() const { return static_cast<double>(batch * elements); }
};

// --- parts ----------------------------------------------------------------------------------------------------------------------

// The numbers of a part that belong to one image are its columns. `Sum` adds up kSums values at each place, which `term` computes
// from the place, the width of its vector and the vector's number among the columns. Sums, and other values by channel, are vectors
// with one number for each column. In a part of one channel all columns have the same, so it has one such vector.

struct Channel {
  static constexpr int kVectors = 1;
  const Sizes& s;
  int64_t channel;

  INLINE Channel(const Sizes& s, int64_t i) : s(s), channel(i) {}

  INLINE void Get(const float* values, V* out) const { *out = V{} + values[channel]; }
  INLINE void Put(const V* v, float* values) const { values[channel] = v[0][0]; }
  INLINE V Root(V v) const { return V{} + std::sqrt(v[0]); }

  template <int kSums, typename Term>
  INLINE void Sum(Term term, Wide (*totals)[kVectors]) const {
    Wide sums[kSums] = {};
    V acc[kSums][kUnrolled] = {};
    int64_t count = 0;
    const auto add = [&](int64_t at, int64_t width, int64_t u) INLINED {
      V values[kSums];
      term(at, width, 0, values);
      for (int k = 0; k < kSums; ++k) acc[k][u] += width == kWidth ? values[k] : First(values[k], width);
    };
    const auto widen = [&]() INLINED {
      for (int k = 0; k < kSums; ++k) {
        sums[k] += ToWide((acc[k][0] + acc[k][1]) + (acc[k][2] + acc[k][3]));
        for (V& v : acc[k]) v = V{};
      }
      count = 0;
    };
    for (int64_t n = 0; n < s.batch; ++n) {
      int64_t at = n * s.Stride() + channel * s.elements;
      const int64_t end = at + s.elements;
      while (at < end) {
        const int64_t stop = std::min(end, at + kChunk);
        count += stop - at;
        for (; at + kBlock <= stop; at += kBlock)
          for (int64_t u = 0; u < kUnrolled; ++u) add(at + u * kWidth, kWidth, u);
        for (int64_t u = 0; u < kUnrolled; ++u, at += kWidth)
          if (at < stop) add(at, std::min(kWidth, stop - at), u);
        at = stop;
        if (count >= kChunk) widen();
      }
    }
    widen();
    for (int k = 0; k < kSums; ++k) {
      for (int64_t half = kWidth / 2; half > 0; half /= 2)
        for (int64_t c = 0; c < half; ++c) sums[k][c] += sums[k][c + half];
      totals[k][0] = Wide{} + sums[k][0];
    }
  }

  template <typename Value>
  INLINE void Write(float* to, Value value) const {
    for (int64_t n = 0; n < s.batch; ++n) {
      int64_t at = n * s.Stride() + channel * s.elements;
      const int64_t last = at + s.elements - kWidth;
      for (; at < last; at += kWidth) Store(value(at, kWidth, 0), to + at, kWidth);
      Store(value(last, kWidth, 0), to + last, kWidth);  // writes some numbers once more
    }
  }
};

struct Channels {
  static constexpr int kVectors = kUnrolled;
  const Sizes& s;
  int64_t channel, count, columns;  // `count`: of channels

  INLINE Channels(const Sizes& s, int64_t i)
      : s(s), channel(i * s.Channels()), count(std::min(s.Channels(), s.channels - channel)), columns(count * s.elements) {}

  INLINE void Get(const float* values, V* out) const {
    float all[kBlock] = {};
    for (int64_t c = 0; c < count; ++c)
      for (int64_t e = 0; e < s.elements; ++e) all[c * s.elements + e] = values[channel + c];
    std::memcpy(out, all, sizeof(all));
  }

  INLINE void Put(const V* v, float* values) const {
    float all[kBlock];
    std::memcpy(all, v, sizeof(all));
    for (int64_t c = 0; c < count; ++c) values[channel + c] = all[c * s.elements];
  }

  INLINE V Root(V v) const {
    for (int64_t c = 0; c < kWidth; ++c) v[c] = std::sqrt(v[c]);
    return v;
  }

  // Call a function with the vectors of an image: their places, widths and numbers.
  template <typename Step>
  INLINE void ForVectors(int64_t n, Step step) const {
    const int64_t at = n * s.Stride() + channel * s.elements;
    for (int64_t v = 0; v * kWidth < columns; ++v) step(at + v * kWidth, std::min(kWidth, columns - v * kWidth), v);
  }

  template <int kSums, typename Term>
  INLINE void Sum(Term term, Wide (*totals)[kVectors]) const {
    constexpr int64_t kRows = kChunk / kBlock;
    Wide sums[kSums][kVectors] = {};
    for (int64_t begin = 0; begin < s.batch; begin += kRows) {
      V acc[kSums][kVectors] = {};
      for (int64_t n = begin; n < std::min(s.batch, begin + kRows); ++n) {
        ForVectors(n, [&](int64_t at, int64_t width, int64_t v) INLINED {
          V values[kSums];
          term(at, width, v, values);
          for (int k = 0; k < kSums; ++k) acc[k][v] += values[k];
        });
      }
      for (int k = 0; k < kSums; ++k)
        for (int v = 0; v < kVectors; ++v) sums[k][v] += ToWide(acc[k][v]);
    }
    for (int k = 0; k < kSums; ++k) {
      double all[kBlock];
      std::memcpy(all, sums[k], sizeof(all));
      for (int64_t c = 0; c < columns; c += s.elements) {
        double total = 0.0;
        for (int64_t e = 0; e < s.elements; ++e) total += all[c + e];
        for (int64_t e = 0; e < s.elements; ++e) all[c + e] = total;
      }
      std::memcpy(totals[k], all, sizeof(all));
    }
  }

  template <typename Value>
  INLINE void Write(float* to, Value value) const {
    for (int64_t n = 0; n < s.batch; ++n) {
      ForVectors(n, [&](int64_t at, int64_t width, int64_t v) INLINED { Store(value(at, width, v), to + at, width); });
    }
  }
};

// The mean, the sum, and the sum of squares of the distances from the mean.
template <typename Part>
INLINE void SumMoments(const Part& part, const float* x, V* mean, Wide (*totals)[Part::kVectors]) {
  const int64_t size = part.s.Size();
  const auto number = [&](int64_t at, int64_t width, int64_t, V* out) INLINED { *out = Load(x, at, width, size); };
  part.template Sum<1>(number, totals);
  for (int v = 0; v < Part::kVectors; ++v) mean[v] = ToSingle(totals[0][v] / part.s.Count());
  const auto square = [&](int64_t at, int64_t width, int64_t v, V* out) INLINED {
    const V distance = Load(x, at, width, size) - mean[v];
    *out = distance * distance;
  };
  part.template Sum<1>(square, totals + 1);
}

// The sums of y, and of its products with the distances of x from the mean.
template <typename Part>
INLINE void SumProducts(const Part& part, const float* x, const float* y, const V* mean, Wide (*totals)[Part::kVectors]) {
  const int64_t size = part.s.Size();
  const auto both = [&](int64_t at, int64_t width, int64_t v, V* out) INLINED {
    out[0] = Load(y, at, width, size);
    out[1] = out[0] * (Load(x, at, width, size) - mean[v]);
  };
  part.template Sum<2>(both, totals);
}

// --- forward --------------------------------------------------------------------------------------------------------------------

struct Forward {
  Sizes s;
  double momentum;  // the share of the batch in the moving statistics
  const float *x, *weight, *bias, *old_mean, *old_var;
  float *y, *mean, *var, *new_mean, *new_var;
};

template <typename Part>
INLINE void RunForward(const Forward& f, const Part& part) {
  constexpr int kVectors = Part::kVectors;
  const int64_t size = part.s.Size();
  const double count = f.s.Count();
  const float share = f.momentum, rest = 1.0 - f.momentum, unbiased = count / std::max(count - 1.0, 1.0);
  Wide totals[2][kVectors];
  V mean[kVectors], var[kVectors], slope[kVectors], bias[kVectors], new_mean[kVectors], new_var[kVectors];
  SumMoments(part, f.x, mean, totals);
  part.Get(f.weight, slope), part.Get(f.bias, bias), part.Get(f.old_mean, new_mean), part.Get(f.old_var, new_var);
  for (int v = 0; v < kVectors; ++v) {
    var[v] = ToSingle(totals[1][v] / count);
    slope[v] /= part.Root(var[v] + f.s.eps);
    new_mean[v] = new_mean[v] * rest + mean[v] * share;
    new_var[v] = new_var[v] * rest + var[v] * unbiased * share;
  }
  part.Put(mean, f.mean), part.Put(var, f.var), part.Put(new_mean, f.new_mean), part.Put(new_var, f.new_var);
  part.Write(f.y, [&](int64_t at, int64_t width, int64_t v) INLINED {
    return (Load(f.x, at, width, size) - mean[v]) * slope[v] + bias[v];
  });
}

// --- the gradient ---------------------------------------------------------------------------------------------------------------

struct Backward {
  Sizes s;
  const float *x, *weight, *mean, *var, *y;  // `y`: the gradient of the result
  float *of_x, *of_weight, *of_bias;
};

template <typename Part>
INLINE void RunBackward(const Backward& b, const Part& part) {
  constexpr int kVectors = Part::kVectors;
  const int64_t size = part.s.Size();
  const float share = 1.0 / b.s.Count();
  Wide totals[2][kVectors];
  V mean[kVectors], var[kVectors], slope[kVectors], unit[kVectors], one[kVectors], of_weight[kVectors], of_bias[kVectors];
  part.Get(b.mean, mean), part.Get(b.var, var), part.Get(b.weight, slope);
  SumProducts(part, b.x, b.y, mean, totals);
  for (int v = 0; v < kVectors; ++v) {
    const V root = part.Root(var[v] + b.s.eps);
    of_bias[v] = ToSingle(totals[0][v]);
    of_weight[v] = ToSingle(totals[1][v] / ToWide(root));
    slope[v] /= root;
    one[v] = -slope[v] * of_bias[v] * share;
    unit[v] = -slope[v] * of_weight[v] * share / root;
  }
  part.Put(of_weight, b.of_weight), part.Put(of_bias, b.of_bias);
  part.Write(b.of_x, [&](int64_t at, int64_t width, int64_t v) INLINED {
    return slope[v] * Load(b.y, at, width, size) + ((Load(b.x, at, width, size) - mean[v]) * unit[v] + one[v]);
  });
}

// --- sums over rows -------------------------------------------------------------------------------------------------------------

struct Blocks {
  int64_t rows, channels, count, height;  // `height`: the rows of a block

  Blocks(int64_t rows, int64_t channels) : rows(rows), channels(channels) {
    constexpr int64_t kMost = 64, kNumbers = 1 << 15;
    const int64_t blocks = std::clamp<int64_t>(rows * channels / kNumbers, 1, kMost);
    height = (rows + blocks - 1) / blocks;
    count = (rows + height - 1) / height;
  }

  Sizes Of(int64_t b) const { return {std::min(height, rows - b * height), channels, 1, 0}; }
  int64_t At(int64_t b) const { return b * height * channels; }
};

// Write sums of the columns of some channels.
INLINE void PutWide(const Channels& part, const Wide* sums, double* to) {
  double all[kBlock];
  std::memcpy(all, sums, sizeof(all));
  std::memcpy(to + part.channel, all, part.count * sizeof(double));
}

// The normalized x is slope · (x - mean) + bias.
struct ForwardFactors {
  Blocks blocks;
  float eps;
  double momentum;
  const float *x, *weight, *old_mean, *old_var;
  float *mean, *var, *slope, *new_mean, *new_var;
};

// The gradient of x is slope · y + unit · (x - mean) + one.
struct BackwardFactors {
  Blocks blocks;
  float eps;
  const float *x, *weight, *mean, *var, *y;
  float *of_weight, *of_bias, *slope, *unit, *one;
};

// Write two values for each channel of a block: the sum, and the sum of squares of the distances from the block's mean.
FOR_EACH_PROCESSOR void SumBlock(const ForwardFactors& f, int64_t b, double* sums) {
  const Sizes s = f.blocks.Of(b);
  for (int64_t i = 0; i < s.Parts(); ++i) {
    const Channels part(s, i);
    Wide totals[2][kUnrolled];
    V mean[kUnrolled];
    SumMoments(part, f.x + f.blocks.At(b), mean, totals);
    PutWide(part, totals[0], sums);
    PutWide(part, totals[1], sums + s.channels);
  }
}

FOR_EACH_PROCESSOR void Combine(const ForwardFactors& f, const double* sums, double* means, double* vars) {
  const int64_t channels = f.blocks.channels;
  const double rows = f.blocks.rows, unbiased = rows / std::max(rows - 1.0, 1.0);
  const float share = f.momentum, rest = 1.0 - f.momentum;
  for (int64_t b = 0; b < f.blocks.count; ++b)
    for (int64_t c = 0; c < channels; ++c) means[c] += sums[2 * b * channels + c] / rows;
  for (int64_t b = 0; b < f.blocks.count; ++b) {
    const double *sum = sums + 2 * b * channels, *squares = sum + channels, height = f.blocks.Of(b).Count();
    for (int64_t c = 0; c < channels; ++c) {
      const double distance = sum[c] / height - means[c];
      vars[c] += (squares[c] + height * distance * distance) / rows;
    }
  }
  for (int64_t c = 0; c < channels; ++c) {
    f.mean[c] = means[c], f.var[c] = vars[c];
    f.slope[c] = f.weight[c] / std::sqrt(f.var[c] + f.eps);
    f.new_mean[c] = f.old_mean[c] * rest + f.mean[c] * share;
    f.new_var[c] = f.old_var[c] * rest + static_cast<float>(f.var[c] * unbiased) * share;
  }
}

FOR_EACH_PROCESSOR void SumBlock(const BackwardFactors& g, int64_t b, double* sums) {
  const Sizes s = g.blocks.Of(b);
  for (int64_t i = 0; i < s.Parts(); ++i) {
    const Channels part(s, i);
    Wide totals[2][kUnrolled];
    V mean[kUnrolled];
    part.Get(g.mean, mean);
    SumProducts(part, g.x + g.blocks.At(b), g.y + g.blocks.At(b), mean, totals);
    PutWide(part, totals[0], sums);
    PutWide(part, totals[1], sums + s.channels);
  }
}

FOR_EACH_PROCESSOR void Combine(const BackwardFactors& g, const double* sums, double* of_one, double* of_distance) {
  const int64_t channels = g.blocks.channels;
  for (int64_t b = 0; b < g.blocks.count; ++b) {
    for (int64_t c = 0; c < channels; ++c) {
      of_one[c] += sums[2 * b * channels + c];
      of_distance[c] += sums[(2 * b + 1) * channels + c];
    }
  }
  const float share = 1.0 / g.blocks.rows;
  for (int64_t c = 0; c < channels; ++c) {
    const float root = std::sqrt(g.var[c] + g.eps);
    g.of_bias[c] = of_one[c], g.of_weight[c] = of_distance[c] / root;
    g.slope[c] = g.weight[c] / root;
    g.one[c] = -g.slope[c] * g.of_bias[c] * share;
    g.unit[c] = -g.slope[c] * g.of_weight[c] * share / root;
  }
}

template <typename Pass>
void ForBlocks(ffi::ThreadPool& pool, const Pass& pass) {
  const int64_t channels = pass.blocks.channels;
  std::vector<double> sums(2 * pass.blocks.count * channels), totals(2 * channels);
  Run(pool, pass.blocks.count, [&](int64_t b) { SumBlock(pass, b, &sums[2 * b * channels]); });
  Combine(pass, sums.data(), totals.data(), totals.data() + channels);
}

// --- some parts, compiled for each generation of processors ---------------------------------------------------------------------

FOR_EACH_PROCESSOR void Task(const Forward& f, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) f.s.AreShort() ? RunForward(f, Channels(f.s, i)) : RunForward(f, Channel(f.s, i));
}

FOR_EACH_PROCESSOR void Task(const Backward& b, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) b.s.AreShort() ? RunBackward(b, Channels(b.s, i)) : RunBackward(b, Channel(b.s, i));
}

// Run a pass on all threads; a task has enough parts to be worth its start.
template <typename Pass>
void Run(ffi::ThreadPool& pool, const Pass& pass) {
  constexpr int64_t kLeast = 1 << 14;  // numbers
  const int64_t parts = pass.s.Parts(), size = std::max<int64_t>(pass.s.Size() / parts, 1), count = (kLeast + size - 1) / size;
  Run(pool, (parts + count - 1) / count, [=](int64_t i) { Task(pass, i * count, std::min(parts, (i + 1) * count)); });
}

// --- XLA's calls --------------------------------------------------------------------------------------------------------------

using Array3 = ffi::Buffer<ffi::F32, 3>;
using Array2 = ffi::Buffer<ffi::F32, 2>;
using Array1 = ffi::Buffer<ffi::F32, 1>;

Sizes SizesOf(const Array3& x, double number) {
  const auto shape = x.dimensions();
  const float eps = static_cast<float>(number);
  if (shape[1] == 1) return Sizes{1, 1, shape[0] * shape[2], eps};  // one row
  return Sizes{shape[0], shape[1], shape[2], eps};
}

void ForwardCall(ffi::ThreadPool pool, Array3 x, Array1 weight, Array1 bias, Array1 old_mean, Array1 old_var,
                 ffi::Result<Array3> y, ffi::Result<Array1> mean, ffi::Result<Array1> var, ffi::Result<Array1> new_mean,
                 ffi::Result<Array1> new_var, double eps, double momentum) {
  const Forward f{SizesOf(x, eps),
                  momentum,
                  x.typed_data(),
                  weight.typed_data(),
                  bias.typed_data(),
                  old_mean.typed_data(),
                  old_var.typed_data(),
                  y->typed_data(),
                  mean->typed_data(),
                  var->typed_data(),
                  new_mean->typed_data(),
                  new_var->typed_data()};
  Run(pool, f);
}

void BackwardCall(ffi::ThreadPool pool, Array3 x, Array1 weight, Array1 mean, Array1 var, Array3 y, ffi::Result<Array3> of_x,
                  ffi::Result<Array1> of_weight, ffi::Result<Array1> of_bias, double eps) {
  const Backward b{SizesOf(x, eps),  x.typed_data(),     weight.typed_data(),     mean.typed_data(),    var.typed_data(),
                   y.typed_data(),   of_x->typed_data(), of_weight->typed_data(), of_bias->typed_data()};
  Run(pool, b);
}

Blocks BlocksOf(const Array2& x) { return {x.dimensions()[0], x.dimensions()[1]}; }

void ForwardFactorsCall(ffi::ThreadPool pool, Array2 x, Array1 weight, Array1 old_mean, Array1 old_var,
                        ffi::Result<Array1> mean, ffi::Result<Array1> var, ffi::Result<Array1> slope,
                        ffi::Result<Array1> new_mean, ffi::Result<Array1> new_var, double eps, double momentum) {
  ForBlocks(pool, ForwardFactors{BlocksOf(x), static_cast<float>(eps), momentum, x.typed_data(), weight.typed_data(),
                                 old_mean.typed_data(), old_var.typed_data(), mean->typed_data(), var->typed_data(),
                                 slope->typed_data(), new_mean->typed_data(), new_var->typed_data()});
}

void BackwardFactorsCall(ffi::ThreadPool pool, Array2 x, Array1 weight, Array1 mean, Array1 var, Array2 y,
                         ffi::Result<Array1> of_weight, ffi::Result<Array1> of_bias, ffi::Result<Array1> slope,
                         ffi::Result<Array1> unit, ffi::Result<Array1> one, double eps) {
  ForBlocks(pool, BackwardFactors{BlocksOf(x), static_cast<float>(eps), x.typed_data(), weight.typed_data(),
                                  mean.typed_data(), var.typed_data(), y.typed_data(), of_weight->typed_data(),
                                  of_bias->typed_data(), slope->typed_data(), unit->typed_data(), one->typed_data()});
}

}  // namespace

XLA_FFI_DEFINE_HANDLER_SYMBOL(batch_norm_f32, Safe<ForwardCall>::Call,
                              ffi::Ffi::Bind()
                                  .Ctx<ffi::ThreadPool>()
                                  .Arg<Array3>()
                                  .Arg<Array1>()
                                  .Arg<Array1>()
                                  .Arg<Array1>()
                                  .Arg<Array1>()
                                  .Ret<Array3>()
                                  .Ret<Array1>()
                                  .Ret<Array1>()
                                  .Ret<Array1>()
                                  .Ret<Array1>()
                                  .Attr<double>("eps")
                                  .Attr<double>("momentum"));
XLA_FFI_DEFINE_HANDLER_SYMBOL(batch_norm_gradient_f32, Safe<BackwardCall>::Call,
                              ffi::Ffi::Bind()
                                  .Ctx<ffi::ThreadPool>()
                                  .Arg<Array3>()
                                  .Arg<Array1>()
                                  .Arg<Array1>()
                                  .Arg<Array1>()
                                  .Arg<Array3>()
                                  .Ret<Array3>()
                                  .Ret<Array1>()
                                  .Ret<Array1>()
                                  .Attr<double>("eps"));
XLA_FFI_DEFINE_HANDLER_SYMBOL(batch_norm_factors_f32, Safe<ForwardFactorsCall>::Call,
                              ffi::Ffi::Bind()
                                  .Ctx<ffi::ThreadPool>()
                                  .Arg<Array2>()
                                  .Arg<Array1>()
                                  .Arg<Array1>()
                                  .Arg<Array1>()
                                  .Ret<Array1>()
                                  .Ret<Array1>()
                                  .Ret<Array1>()
                                  .Ret<Array1>()
                                  .Ret<Array1>()
                                  .Attr<double>("eps")
                                  .Attr<double>("momentum"));
XLA_FFI_DEFINE_HANDLER_SYMBOL(batch_norm_gradient_factors_f32, Safe<BackwardFactorsCall>::Call,
                              ffi::Ffi::Bind()
                                  .Ctx<ffi::ThreadPool>()
                                  .Arg<Array2>()
                                  .Arg<Array1>()
                                  .Arg<Array1>()
                                  .Arg<Array1>()
                                  .Arg<Array2>()
                                  .Ret<Array1>()
                                  .Ret<Array1>()
                                  .Ret<Array1>()
                                  .Ret<Array1>()
                                  .Ret<Array1>()
                                  .Attr<double>("eps"));
