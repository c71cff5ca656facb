// Grouped convolutions of images (batch, rows, columns, channels), and their gradients for the kernel.
//
// XLA has no kernel for them on the CPU. The work is cut into tasks: each has one image, some rows of the result, some columns where
// rows are long, and as many channels of the result as a vector holds. A task copies what it reads into a buffer, with the padding,
// and each channel of the image once for every channel of the result that reads it. So the loops over the buffer read whole vectors
// and check no bounds. The order of all sums follows from the shapes alone.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

#include "threads.h"
#include "vectors.h"

namespace ffi = xla::ffi;

namespace {

constexpr int64_t kBuffer = 1 << 18;  // bytes of the buffer of a task
constexpr int64_t kTasks = 16;        // at least so many, if the batch allows it

// --- shapes -------------------------------------------------------------------------------------------------------------------

int64_t FloorDivide(int64_t a, int64_t b) { return a / b - (a % b < 0); }

// One spatial axis. The element k of a kernel meets the place (o * stride + k * hole - pad) / between of the image for the result
// o, if it is a whole number. Places outside the image are padding.
struct Axis {
  int64_t image, kernel, result, stride, hole, between, pad;

  int64_t Position(int64_t o, int64_t k) const { return o * stride + k * hole - pad; }
  int64_t First() const { return FloorDivide(-pad, between); }  // the first place of the buffer
  int64_t Length() const { return FloorDivide(Position(result - 1, kernel - 1), between) - First() + 1; }
  // After so many results the same elements of the kernel meet places again.
  int64_t Period() const { return between / std::gcd(between, stride); }

  // So many results, from one on.
  Axis Part(int64_t begin, int64_t count) const { return {image, kernel, count, stride, hole, between, pad - begin * stride}; }

  // How many results a part has, for so many places of the buffer; at least so many that most places are read more than once.
  int64_t SizeOfPart(int64_t places) const {
    const int64_t span = (kernel - 1) * hole;
    return std::min(result, std::max((places * between - span) / stride, span / stride + 1));
  }
};

struct Shape {
  Axis rows, columns;
  int64_t batch, channels, of_group, out, width;  // `width`: the columns of the whole result

  int64_t InputOf(int64_t c, int64_t i) const { return c / (out / (channels / of_group)) * of_group + i; }
  int64_t Buffer() const { return rows.Length() * columns.Length() * of_group; }  // in vectors

  int64_t Place(int64_t y, int64_t x) const { return (y * width + x) * out; }  // of a pixel of the result
};

// How a result is cut into tiles, for buffers that stay in the second cache of a core.
struct Tiles {
  Shape whole;
  int64_t rows, columns, down, across;

  explicit Tiles(const Shape& s) : whole(s) {
    const int64_t places = kBuffer / (s.of_group * kBytes);
    columns = s.columns.SizeOfPart(places);
    rows = s.rows.SizeOfPart(places / s.columns.Part(0, columns).Length());
    down = (s.rows.result + rows - 1) / rows, across = (s.columns.result + columns - 1) / columns;
  }

  int64_t Count() const { return down * across; }
  int64_t Row(int64_t tile) const { return tile / across * rows; }
  int64_t Column(int64_t tile) const { return tile % across * columns; }
  int64_t Place(int64_t tile) const { return whole.Place(Row(tile), Column(tile)); }

  Shape Of(int64_t tile) const {
    Shape s = whole;
    s.rows = s.rows.Part(Row(tile), std::min(rows, s.rows.result - Row(tile)));
    s.columns = s.columns.Part(Column(tile), std::min(columns, s.columns.result - Column(tile)));
    return s;
  }
};

// Copy a pixel's channels that a block of channels of the result reads: [channel of the group][channel of the block].
template <typename T>
struct Pixel {
  using V = typename Vector<T>::type;
  using Index = typename Vector<T>::Index;
  static constexpr int64_t kWidth = Vector<T>::kWidth;

  int64_t of_group, begin, width;
  bool is_plain, is_one_group, is_one_vector;
  std::vector<Index> places;  // for each channel of a group: where the channels of the block find theirs, from `begin` on

  Pixel(const Shape& s, int64_t block) : of_group(s.of_group) {
    const int64_t first = block * kWidth;
    width = std::min(kWidth, s.out - first);
    begin = s.InputOf(first, 0);
    const int64_t last = s.InputOf(first + width - 1, 0);
    is_plain = of_group == 1 && s.out == s.channels && width == kWidth;
    is_one_group = last == begin && width == kWidth;
    is_one_vector = last + of_group - begin <= kWidth && begin + kWidth <= s.channels && width == kWidth;
    for (int64_t i = 0; i < of_group; ++i)
      for (int64_t c = 0; c < kWidth; ++c) places.push_back(c < width ? s.InputOf(first + c, i) - begin : 0);
  }

  INLINE typename Vector<T>::order Order(int64_t i) const {
    return *reinterpret_cast<const typename Vector<T>::order*>(&places[i * kWidth]);
  }

  INLINE void Copy(const T* pixel, T* to) const {
    const T* from = pixel + begin;
    if (is_plain) {
      std::memcpy(to, from, kBytes);
    } else if (is_one_group) {
      for (int64_t i = 0; i < of_group; ++i) *reinterpret_cast<V*>(to + i * kWidth) = V{} + from[i];
    } else if (is_one_vector) {
      const V all = *reinterpret_cast<const V*>(from);
      for (int64_t i = 0; i < of_group; ++i) *reinterpret_cast<V*>(to + i * kWidth) = Shuffle(all, Order(i));
    } else {
      for (int64_t i = 0; i < of_group; ++i)
        for (int64_t c = 0; c < kWidth; ++c) to[i * kWidth + c] = c < width ? from[places[i * kWidth + c]] : T(0);
    }
  }
};

// Copy what a block of channels of the result reads of an image: [row][column][channel of the group][channel of the block].
template <typename T>
INLINE void Fill(const Shape& s, const T* image, int64_t block, T* buffer) {
  const Pixel<T> pixel(s, block);
  const int64_t size = s.of_group * Vector<T>::kWidth, row = s.columns.Length() * size;
  const int64_t left = s.columns.First(), begin = std::min(std::max<int64_t>(-left, 0), s.columns.Length());
  const int64_t end = std::max(begin, std::min(s.columns.image - left, s.columns.Length()));
  for (int64_t r = 0; r < s.rows.Length(); ++r, buffer += row) {
    const int64_t y = r + s.rows.First();
    if (y < 0 || y >= s.rows.image) {
      Zero(buffer, row);
      continue;
    }
    Zero(buffer, begin * size);
    const T* from = image + (y * s.columns.image + begin + left) * s.channels;
    for (int64_t x = begin; x < end; ++x, from += s.channels) pixel.Copy(from, buffer + x * size);
    Zero(buffer + end * size, row - end * size);
  }
}

// --- the convolution ----------------------------------------------------------------------------------------------------------

struct Tap {
  int64_t place, weight;  // where an element of the kernel meets the buffer for the first result, and which vector of weights
};

// Add, to kCount results `step` vectors apart in the buffer, all that the taps give.
template <typename T, int kCount>
INLINE void Results(const std::vector<Tap>& taps, int64_t of_group, const T* buffer, int64_t step, const T* weights, T* sums) {
  using V = typename Vector<T>::type;
  constexpr int64_t kWidth = Vector<T>::kWidth;
  V acc[kCount] = {};
  for (const Tap& tap : taps) {
    const T* x = buffer + tap.place * kWidth;
    const T* w = weights + tap.weight * kWidth;
    for (int64_t i = 0; i < of_group; ++i, x += kWidth, w += kWidth) {
      const V weight = *reinterpret_cast<const V*>(w);
      for (int t = 0; t < kCount; ++t) acc[t] += weight * *reinterpret_cast<const V*>(x + t * step * kWidth);
    }
  }
  std::memcpy(sums, acc, sizeof(acc));
}

template <typename T>
INLINE void Convolve(const Shape& s, const T* image, const T* kernel, T* result, int64_t block, std::vector<T>& memory) {
  constexpr int64_t kWidth = Vector<T>::kWidth;
  const Axis &rows = s.rows, &columns = s.columns;
  const int64_t first = block * kWidth, width = std::min(kWidth, s.out - first);
  const int64_t elements = rows.kernel * columns.kernel * s.of_group;
  memory.resize((s.Buffer() + elements + 8) * kWidth);
  T *buffer = memory.data(), *weights = buffer + s.Buffer() * kWidth, *sums = weights + elements * kWidth;
  Fill(s, image, block, buffer);
  for (int64_t e = 0; e < elements; ++e) CopyPart(kernel + e * s.out + first, weights + e * kWidth, width);
  const int64_t row = columns.Length() * s.of_group, period = columns.Period();
  const int64_t step = period * columns.stride / columns.between * s.of_group;
  std::vector<Tap> taps;
  for (int64_t oy = 0; oy < rows.result; ++oy) {
    for (int64_t phase = 0; phase < std::min(period, columns.result); ++phase) {
      taps.clear();
      for (int64_t ky = 0; ky < rows.kernel; ++ky) {
        const int64_t y = rows.Position(oy, ky);
        const int64_t iy = FloorDivide(y, rows.between);
        if (y != iy * rows.between || iy < 0 || iy >= rows.image) continue;
        for (int64_t kx = 0; kx < columns.kernel; ++kx) {
          const int64_t x = columns.Position(phase, kx);
          const int64_t ix = FloorDivide(x, columns.between);
          if (x != ix * columns.between) continue;
          taps.push_back({(iy - rows.First()) * row + (ix - columns.First()) * s.of_group,
                          (ky * columns.kernel + kx) * s.of_group});
        }
      }
      const T* x = buffer;
      T* to = result + s.Place(oy, phase) + first;
      int64_t left = (columns.result - phase + period - 1) / period;
      while (left > 0) {
        int64_t count;
        if (left >= 8) {
          Results<T, 8>(taps, s.of_group, x, step, weights, sums), count = 8;
        } else if (left >= 4) {
          Results<T, 4>(taps, s.of_group, x, step, weights, sums), count = 4;
        } else if (left >= 2) {
          Results<T, 2>(taps, s.of_group, x, step, weights, sums), count = 2;
        } else {
          Results<T, 1>(taps, s.of_group, x, step, weights, sums), count = 1;
        }
        for (int64_t t = 0; t < count; ++t, to += period * s.out) std::memcpy(to, sums + t * kWidth, width * sizeof(T));
        x += count * step * kWidth;
        left -= count;
      }
    }
  }
}

// --- the gradient for the kernel ----------------------------------------------------------------------------------------------

// Add, to kCount elements of the kernel, the products of an image with the gradient of the result.
template <typename T, int kCount>
INLINE void Elements(const Shape& s, const int64_t* places, const T* buffer, const T* gradient, T* sums) {
  using V = typename Vector<T>::type;
  constexpr int64_t kWidth = Vector<T>::kWidth;
  const int64_t step = s.columns.stride * s.of_group * kWidth;
  const int64_t row = s.rows.stride * s.columns.Length() * s.of_group * kWidth;
  V acc[kCount] = {};
  for (int64_t oy = 0; oy < s.rows.result; ++oy) {
    const T* x = buffer + oy * row;
    for (int64_t ox = 0; ox < s.columns.result; ++ox, x += step, gradient += kWidth) {
      const V g = *reinterpret_cast<const V*>(gradient);
      for (int t = 0; t < kCount; ++t) acc[t] += g * *reinterpret_cast<const V*>(x + places[t] * kWidth);
    }
  }
  for (int t = 0; t < kCount; ++t) *reinterpret_cast<V*>(sums + t * kWidth) += acc[t];
}

template <typename T>
INLINE void Differentiate(const Shape& s, const T* image, const T* gradient, T* sums, int64_t block, std::vector<T>& memory) {
  constexpr int64_t kWidth = Vector<T>::kWidth;
  const Axis &rows = s.rows, &columns = s.columns;
  const int64_t first = block * kWidth, width = std::min(kWidth, s.out - first), pixels = rows.result * columns.result;
  memory.resize((s.Buffer() + pixels) * kWidth);
  T *buffer = memory.data(), *g = buffer + s.Buffer() * kWidth;
  Fill(s, image, block, buffer);
  for (int64_t y = 0; y < rows.result; ++y)
    for (int64_t x = 0; x < columns.result; ++x)
      CopyPart(gradient + s.Place(y, x) + first, g + (y * columns.result + x) * kWidth, width);
  std::vector<int64_t> places;
  for (int64_t ky = 0; ky < rows.kernel; ++ky)
    for (int64_t kx = 0; kx < columns.kernel; ++kx)
      for (int64_t i = 0; i < s.of_group; ++i)
        places.push_back((ky * rows.hole * columns.Length() + kx * columns.hole) * s.of_group + i);
  const int64_t elements = places.size();
  for (int64_t e = 0; e < elements;) {
    const int64_t left = elements - e;
    if (left >= 9) {
      Elements<T, 9>(s, &places[e], buffer, g, sums + e * kWidth), e += 9;
    } else if (left >= 4) {
      Elements<T, 4>(s, &places[e], buffer, g, sums + e * kWidth), e += 4;
    } else {
      Elements<T, 1>(s, &places[e], buffer, g, sums + e * kWidth), e += 1;
    }
  }
}

// --- one task, compiled for each generation of processors ----------------------------------------------------------------------

FOR_EACH_PROCESSOR void Convolve32(const Shape& s, const float* x, const float* w, float* y, int64_t block, std::vector<float>& m) {
  Convolve(s, x, w, y, block, m);
}
FOR_EACH_PROCESSOR void Convolve64(const Shape& s, const double* x, const double* w, double* y, int64_t block,
                                   std::vector<double>& m) {
  Convolve(s, x, w, y, block, m);
}
FOR_EACH_PROCESSOR void Differentiate32(const Shape& s, const float* x, const float* g, float* w, int64_t block,
                                        std::vector<float>& m) {
  Differentiate(s, x, g, w, block, m);
}
FOR_EACH_PROCESSOR void Differentiate64(const Shape& s, const double* x, const double* g, double* w, int64_t block,
                                        std::vector<double>& m) {
  Differentiate(s, x, g, w, block, m);
}
void Step(const Shape& s, const float* x, const float* w, float* y, int64_t block, std::vector<float>& m) {
  Convolve32(s, x, w, y, block, m);
}
void Step(const Shape& s, const double* x, const double* w, double* y, int64_t block, std::vector<double>& m) {
  Convolve64(s, x, w, y, block, m);
}
void Back(const Shape& s, const float* x, const float* g, float* w, int64_t block, std::vector<float>& m) {
  Differentiate32(s, x, g, w, block, m);
}
void Back(const Shape& s, const double* x, const double* g, double* w, int64_t block, std::vector<double>& m) {
  Differentiate64(s, x, g, w, block, m);
}

// --- XLA's calls --------------------------------------------------------------------------------------------------------------

template <typename T>
void RunConvolution(ffi::ThreadPool& pool, const Shape& s, const T* image, const T* kernel, T* result) {
  const int64_t blocks = (s.out + Vector<T>::kWidth - 1) / Vector<T>::kWidth;
  const int64_t in = s.rows.image * s.columns.image * s.channels;
  const Tiles tiles(s);
  Run(pool, s.batch * tiles.Count() * blocks, [=](int64_t i) {
    thread_local std::vector<T> memory;
    const int64_t n = i / blocks / tiles.Count(), tile = i / blocks % tiles.Count();
    T* to = result + s.Place(n * s.rows.result, 0) + tiles.Place(tile);
    Step(tiles.Of(tile), image + n * in, kernel, to, i % blocks, memory);
  });
}

template <typename T>
void RunGradient(ffi::ThreadPool& pool, const Shape& s, const T* image, const T* gradient, T* kernel) {
  constexpr int64_t kWidth = Vector<T>::kWidth;
  const int64_t blocks = (s.out + kWidth - 1) / kWidth, elements = s.rows.kernel * s.columns.kernel * s.of_group;
  const int64_t parts = std::min(s.batch, (kTasks + blocks - 1) / blocks), sums = elements * kWidth;
  const int64_t in = s.rows.image * s.columns.image * s.channels;
  const Tiles tiles(s);
  std::vector<T> partial(parts * blocks * sums, T(0));
  T* all = partial.data();
  Run(pool, blocks * parts, [=](int64_t i) {
    thread_local std::vector<T> memory;
    const int64_t part = i / blocks;
    for (int64_t n = s.batch * part / parts; n < s.batch * (part + 1) / parts; ++n) {
      for (int64_t tile = 0; tile < tiles.Count(); ++tile) {
        const T* from = gradient + s.Place(n * s.rows.result, 0) + tiles.Place(tile);
        Back(tiles.Of(tile), image + n * in, from, all + i * sums, i % blocks, memory);
      }
    }
  });
  for (int64_t e = 0; e < elements; ++e) {
    for (int64_t c = 0; c < s.out; ++c) {
      T sum = 0;
      for (int64_t p = 0; p < parts; ++p) sum += all[(p * blocks + c / kWidth) * sums + e * kWidth + c % kWidth];
      kernel[e * s.out + c] = sum;
    }
  }
}

using Numbers = ffi::Span<const int64_t>;

// `like` has the shape of the result, `weights` that of the kernel (rows, columns, channels of a group, channels of the result).
template <typename Image, typename Weights, typename Like>
Shape ShapeOf(Image image, Weights weights, Like like, Numbers strides, Numbers holes, Numbers between, Numbers pads) {
  auto x = image.dimensions(), w = weights.dimensions(), y = like.dimensions();
  Axis axes[2];
  for (int a = 0; a < 2; ++a) axes[a] = {x[a + 1], w[a], y[a + 1], strides[a], holes[a], between[a], pads[a]};
  return {axes[0], axes[1], x[0], x[3], w[2], y[3], y[2]};
}

template <ffi::DataType kType>
void Convolution(ffi::ThreadPool pool, ffi::Buffer<kType, 4> image, ffi::Buffer<kType, 4> kernel,
                 ffi::Result<ffi::Buffer<kType, 4>> result, Numbers strides, Numbers holes, Numbers between, Numbers pads) {
  const Shape s = ShapeOf(image, kernel, *result, strides, holes, between, pads);
  RunConvolution(pool, s, image.typed_data(), kernel.typed_data(), result->typed_data());
}

template <ffi::DataType kType>
void Gradient(ffi::ThreadPool pool, ffi::Buffer<kType, 4> image, ffi::Buffer<kType, 4> gradient,
              ffi::Result<ffi::Buffer<kType, 4>> kernel, Numbers strides, Numbers holes, Numbers between, Numbers pads) {
  const Shape s = ShapeOf(image, *kernel, gradient, strides, holes, between, pads);
  RunGradient(pool, s, image.typed_data(), gradient.typed_data(), kernel->typed_data());
}

template <ffi::DataType kType>
auto Binding() {
  return ffi::Ffi::Bind()
      .Ctx<ffi::ThreadPool>()
      .template Arg<ffi::Buffer<kType, 4>>()
      .template Arg<ffi::Buffer<kType, 4>>()
      .template Ret<ffi::Buffer<kType, 4>>()
      .template Attr<Numbers>("strides")
      .template Attr<Numbers>("holes")
      .template Attr<Numbers>("between")
      .template Attr<Numbers>("pads");
}

}  // namespace

XLA_FFI_DEFINE_HANDLER_SYMBOL(grouped_f32, Safe<Convolution<ffi::F32>>::Call, Binding<ffi::F32>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(grouped_f64, Safe<Convolution<ffi::F64>>::Call, Binding<ffi::F64>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(grouped_gradient_f32, Safe<Gradient<ffi::F32>>::Call, Binding<ffi::F32>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(grouped_gradient_f64, Safe<Gradient<ffi::F64>>::Call, Binding<ffi::F64>());
