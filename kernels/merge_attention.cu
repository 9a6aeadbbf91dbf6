// Merges the partial results of attention over parts of a row's keys.
//
// Part i has the sum o_i of values, already divided by its own Σ exp(score), and the log of that sum,
// l_i. With weights exp(l_i − l), l = log Σ exp(l_i), the whole is Σ weight · o_i. A sink is one more
// l_i, without a value. Parts are taken in order: equal parts give equal bits.
//
//   partials      (splits, heads, value_size)
//   partial_lses  (splits, heads)
//   splits        (rows + 1): the parts of row r are splits[r] up to splits[r + 1]; a row without any
//                 was finished by attention itself and is left alone
//   sinks         (heads) or null
//   output        (rows, heads · value_size)
//
// Launch: grid (rows, heads), any number of threads.

#include "numbers.cuh"
#include "warp.cuh"

template <typename T>
__device__ void merge_parts(const float *partials, const float *partial_lses, const uint32_t *splits,
                            const float *sinks, T *output, uint32_t value_size) {
  const uint32_t row = blockIdx.x, head = blockIdx.y, heads = gridDim.y;
  const uint32_t first = splits[row], end = splits[row + 1];
  if (first == end) return;
  LogSumExp whole = {-INFINITY, 0.f};
  if (sinks != nullptr) whole = {sinks[head], 1.f};
  for (uint32_t part = first; part < end; part++)
    whole = merge(whole, {partial_lses[size_t(part) * heads + head], 1.f});
  for (uint32_t column = threadIdx.x; column < value_size; column += blockDim.x) {
    float value = 0;
    for (uint32_t part = first; part < end; part++) {
      const size_t place = size_t(part) * heads + head;
      // A part without keys has no weight.
      const float weight = expf(partial_lses[place] - whole.highest);
      value += weight * partials[place * value_size + column];
    }
    output[(size_t(row) * heads + head) * value_size + column] = narrow<T>(value / whole.total);
  }
}

#define MERGE(TYPE, SUFFIX)                                                                         \
  extern "C" __global__ void merge_attention_##SUFFIX(                                              \
      const float *partials, const float *partial_lses, const uint32_t *splits, const float *sinks, \
      TYPE *output, uint32_t value_size) {                                                          \
    merge_parts<TYPE>(partials, partial_lses, splits, sinks, output, value_size);                   \
  }
MERGE(f16, f16)
MERGE(bf16, bf16)
MERGE(float, f32)
