// What follows a product of a row and a matrix, where cuBLAS has not done it within the product.
//
//   output = ((product + bias) · sigmoid(row logit) · scale + stream)      in f32, rounded once
//
//   product     (rows, size); the output may be the same memory
//   bias        (size) or null
//   row_logits  (rows) or null: no factor
//   stream      (rows, size) or null
//
// Launch: grid (rows, any), any number of threads; blocks of a row share its numbers.

#include <math.h>

#include "numbers.cuh"

// N numbers at a time.
template <uint32_t N, typename T>
__device__ void finish(const T *product, const T *bias, const T *stream, T *output, uint32_t size,
                       float factor) {
  const uint32_t thread = blockIdx.y * blockDim.x + threadIdx.x;
  const uint32_t threads = gridDim.y * blockDim.x;
  for (uint32_t place = thread * N; place < size; place += threads * N) {
    float numbers[N], biases[N], kept[N];
    load_wide(numbers, product + place);
    if (bias != nullptr) load_wide(biases, bias + place);
    if (stream != nullptr) load_wide(kept, stream + place);
#pragma unroll
    for (uint32_t i = 0; i < N; i++) {
      if (bias != nullptr) numbers[i] += biases[i];
      numbers[i] *= factor;
      if (stream != nullptr) numbers[i] += kept[i];
    }
    store_narrow(output + place, numbers);
  }
}

template <typename T>
__device__ void finish_row(const T *product, const T *bias, const T *row_logits, const T *stream,
                           T *output, uint32_t size, float scale) {
  const bool packed = is_aligned(product, size) && is_aligned(bias, size) &&
                      is_aligned(stream, size) && is_aligned(output, size);
  const size_t row = blockIdx.x;
  if (row_logits != nullptr) scale /= 1.f + expf(-widen(row_logits[row]));
  product += row * size;
  output += row * size;
  if (stream != nullptr) stream += row * size;
  if (packed)
    finish<Pack<T>::SIZE>(product, bias, stream, output, size, scale);
  else
    finish<1>(product, bias, stream, output, size, scale);
}

#define FINISH_PRODUCT(TYPE, SUFFIX)                                                                \
  extern "C" __global__ void finish_product_##SUFFIX(                                               \
      const TYPE *product, const TYPE *bias, const TYPE *row_logits, const TYPE *stream,            \
      TYPE *output, uint32_t size, float scale) {                                                   \
    finish_row(product, bias, row_logits, stream, output, size, scale);                             \
  }
FINISH_PRODUCT(f16, f16)
FINISH_PRODUCT(bf16, bf16)
FINISH_PRODUCT(float, f32)
