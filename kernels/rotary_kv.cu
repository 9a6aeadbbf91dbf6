// Rotation of queries and keys by position (Su et al. 2021), and keeping keys and values.
//
//   projected  (rows, stride): queries, heads · key_size numbers, then keys, key_heads · key_size, then
//              values, key_heads · value_size. Queries are rotated in place; so are keys, unless they
//              are kept.
//   cosines, sines  (rows, pairs): of each row's position; no rotation if pairs is 0
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

template <typename T>
__device__ void rotate_and_keep(T *projected, const float *cosines, const float *sines,
                                const uint32_t *slots, T *keys, T *values,
                                const RotaryShape &shape) {
  const size_t row = blockIdx.x;
  projected += row * shape.stride;
  cosines += row * shape.pairs;
  sines += row * shape.pairs;
  const bool keeps = slots != nullptr;
  T *kept_keys = nullptr, *kept_values = nullptr;
  if (keeps) {
    const size_t first = size_t(slots[row]) * shape.key_heads;
    kept_keys = keys + first * shape.key_stride;
    kept_values = values + first * shape.value_stride;
  }

  const uint32_t rotated_heads = shape.heads + shape.key_heads;
  for (uint32_t i = threadIdx.x; i < rotated_heads * shape.pairs; i += blockDim.x) {
    const uint32_t head = i / shape.pairs, pair = i % shape.pairs;
    const uint32_t one = shape.neighbours ? 2 * pair : pair;
    const uint32_t other = shape.neighbours ? one + 1 : pair + shape.pairs;
    T *const from = projected + head * shape.key_size;
    T *const to = keeps && head >= shape.heads
                      ? kept_keys + (head - shape.heads) * shape.key_stride
                      : from;
    const float a = widen(from[one]), b = widen(from[other]);
    to[one] = narrow<T>(a * cosines[pair] - b * sines[pair]);
    to[other] = narrow<T>(b * cosines[pair] + a * sines[pair]);
  }
  if (!keeps) return;

  const auto keep = [&](T *to, const T *from, uint32_t size, uint32_t stride, uint32_t first) {
    const uint32_t numbers = stride - first;
    for (uint32_t i = threadIdx.x; i < shape.key_heads * numbers; i += blockDim.x) {
      const uint32_t head = i / numbers, number = first + i % numbers;
      to[head * stride + number] = number < size ? from[head * size + number] : narrow<T>(0.f);
    }
  };
  const T *const projected_keys = projected + shape.heads * shape.key_size;
  keep(kept_keys, projected_keys, shape.key_size, shape.key_stride, 2 * shape.pairs);
  keep(kept_values, projected_keys + shape.key_heads * shape.key_size, shape.value_size,
       shape.value_stride, 0);
}

#define ROTARY_KV(TYPE, SUFFIX)                                                                     \
  extern "C" __global__ void rotary_kv_##SUFFIX(TYPE *projected, const float *cosines,              \
                                                const float *sines, const uint32_t *slots,          \
                                                TYPE *keys, TYPE *values, RotaryShape shape) {      \
    rotate_and_keep(projected, cosines, sines, slots, keys, values, shape);                         \
  }
ROTARY_KV(f16, f16)
ROTARY_KV(bf16, bf16)
ROTARY_KV(float, f32)
