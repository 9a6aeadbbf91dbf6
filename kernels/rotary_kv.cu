// Rotation of queries and keys by position (Su et al. 2021), and keeping keys and values.
//
//   projected  (rows, stride): queries, heads · key_size numbers, then keys, key_heads · key_size, then
//              values, key_heads · value_size. Queries are rotated in place; so are keys, unless they
//              are kept.
//   cosines, sines  (any, pairs): of every position; no rotation if pairs is 0
//   positions  (rows): which of them belongs to each row, or null where row r has the r-th
//   slots      (rows): where each row is kept, or null
//   keys       (slots, key_heads, key_stride), values (slots, key_heads, value_stride): a stride is the
//              size rounded up to 16 bytes; what is beyond the size becomes zero
//
// The first 2 · pairs numbers of a head are rotated: number i with number i + pairs, or, if
// `neighbours`, number 2i with 2i + 1. The rest passes through.
//
// Launch: grid (rows), any number of threads. Slots are distinct.

#include "numbers.cuh"

struct RotaryShape {
  uint32_t heads, key_heads;
  uint32_t key_size, value_size;
  uint32_t key_stride, value_stride;
  uint32_t stride, pairs;
  uint32_t neighbours;
};

// Cosines or sines, N of them.
template <uint32_t N> __device__ inline void load_angles(float (&to)[N], const float *source) {
  if constexpr (N % 4 == 0) {
#pragma unroll
    for (uint32_t i = 0; i < N; i += 4) {
      const Pack<float> pack = load_pack(source + i);
#pragma unroll
      for (uint32_t j = 0; j < 4; j++) to[i + j] = pack.numbers[j];
    }
  } else {
#pragma unroll
    for (uint32_t i = 0; i < N; i++) to[i] = source[i];
  }
}

// Turns pairs that stand `apart` numbers from each other, N at a time.
template <uint32_t N, typename T>
__device__ inline void turn_halves(const T *from, T *to, uint32_t apart, const float *cosines,
                                   const float *sines) {
  float a[N], b[N], cosine[N], sine[N];
  load_wide(a, from);
  load_wide(b, from + apart);
  load_angles(cosine, cosines);
  load_angles(sine, sines);
#pragma unroll
  for (uint32_t i = 0; i < N; i++) {
    const float first = a[i] * cosine[i] - b[i] * sine[i];
    b[i] = b[i] * cosine[i] + a[i] * sine[i];
    a[i] = first;
  }
  store_narrow(to, a);
  store_narrow(to + apart, b);
}

// Turns pairs of neighbours, N / 2 at a time, or one.
template <uint32_t N, typename T>
__device__ inline void turn_neighbours(const T *from, T *to, const float *cosines,
                                       const float *sines) {
  if constexpr (N == 1) {
    const float a = widen(from[0]), b = widen(from[1]);
    to[0] = narrow<T>(a * *cosines - b * *sines);
    to[1] = narrow<T>(b * *cosines + a * *sines);
  } else {
    float numbers[N];
    load_wide(numbers, from);
#pragma unroll
    for (uint32_t i = 0; i < N / 2; i++) {
      const float a = numbers[2 * i], b = numbers[2 * i + 1];
      numbers[2 * i] = a * cosines[i] - b * sines[i];
      numbers[2 * i + 1] = b * cosines[i] + a * sines[i];
    }
    store_narrow(to, numbers);
  }
}

// N numbers at a time, which all sizes and strides are then multiples of.
template <uint32_t N, typename T>
__device__ void rotate_and_keep(T *projected, const float *cosines, const float *sines, T *kept_keys,
                                T *kept_values, const RotaryShape &shape) {
  const bool keeps = kept_keys != nullptr;
  const uint32_t rotated_heads = shape.heads + shape.key_heads;
  // Pairs of one step.
  const uint32_t step = N == 1 || !shape.neighbours ? N : N / 2;
  const uint32_t steps = shape.pairs / step;
  for (uint32_t i = threadIdx.x; i < rotated_heads * steps; i += blockDim.x) {
    const uint32_t head = i / steps, pair = i % steps * step;
    T *const from = projected + head * shape.key_size;
    T *const to = keeps && head >= shape.heads
                      ? kept_keys + (head - shape.heads) * shape.key_stride
                      : from;
    if (shape.neighbours)
      turn_neighbours<N>(from + 2 * pair, to + 2 * pair, cosines + pair, sines + pair);
    else
      turn_halves<N>(from + pair, to + pair, shape.pairs, cosines + pair, sines + pair);
  }
  if (!keeps) return;

  const auto keep = [&](T *to, const T *from, uint32_t size, uint32_t stride, uint32_t first) {
    const uint32_t packs = (stride - first) / N;
    for (uint32_t i = threadIdx.x; i < shape.key_heads * packs; i += blockDim.x) {
      const uint32_t head = i / packs, number = first + i % packs * N;
      float numbers[N];
#pragma unroll
      for (uint32_t j = 0; j < N; j++) numbers[j] = 0;
      if (number < size) load_wide(numbers, from + head * size + number);
      store_narrow(to + head * stride + number, numbers);
    }
  };
  const T *const projected_keys = projected + shape.heads * shape.key_size;
  keep(kept_keys, projected_keys, shape.key_size, shape.key_stride, 2 * shape.pairs);
  keep(kept_values, projected_keys + shape.key_heads * shape.key_size, shape.value_size,
       shape.value_stride, 0);
}

template <typename T>
__device__ void rotate_row(T *projected, const float *cosines, const float *sines,
                           const uint32_t *positions, const uint32_t *slots, T *keys, T *values,
                           const RotaryShape &shape) {
  constexpr uint32_t SIZE = Pack<T>::SIZE;
  const size_t row = blockIdx.x;
  const size_t position = positions != nullptr ? positions[row] : row;
  const bool packed = is_aligned(projected, shape.stride) && shape.key_size % SIZE == 0 &&
                      shape.value_size % SIZE == 0 && shape.pairs % SIZE == 0 &&
                      is_aligned(cosines, 0) && is_aligned(sines, 0) && is_aligned(keys, 0) &&
                      is_aligned(values, 0);
  projected += row * shape.stride;
  cosines += position * shape.pairs;
  sines += position * shape.pairs;
  T *kept_keys = nullptr, *kept_values = nullptr;
  if (slots != nullptr) {
    const size_t first = size_t(slots[row]) * shape.key_heads;
    kept_keys = keys + first * shape.key_stride;
    kept_values = values + first * shape.value_stride;
  }
  if (packed)
    rotate_and_keep<SIZE>(projected, cosines, sines, kept_keys, kept_values, shape);
  else
    rotate_and_keep<1>(projected, cosines, sines, kept_keys, kept_values, shape);
}

#define ROTARY_KV(TYPE, SUFFIX)                                                                     \
  extern "C" __global__ void rotary_kv_##SUFFIX(                                                    \
      TYPE *projected, const float *cosines, const float *sines, const uint32_t *positions,         \
      const uint32_t *slots, TYPE *keys, TYPE *values, RotaryShape shape) {                         \
    rotate_row(projected, cosines, sines, positions, slots, keys, values, shape);                   \
  }
ROTARY_KV(f16, f16)
ROTARY_KV(bf16, bf16)
ROTARY_KV(float, f32)
