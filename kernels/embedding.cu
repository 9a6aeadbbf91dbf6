// Rows of a table, one below the other: embeddings of tokens, and rows that go to one expert.
//
//   table   (any, size)
//   ids     (rows): which row of the table; the host has checked that it is there
//   output  (rows, size): that row, times `scale`
//
// Launch: grid (rows), any number of threads.

#include "numbers.cuh"

// N numbers at a time.
template <uint32_t N, typename T>
__device__ void copy_row(const T *from, T *to, uint32_t size, float scale) {
  for (uint32_t place = threadIdx.x * N; place < size; place += blockDim.x * N) {
    float numbers[N];
    load_wide(numbers, from + place);
#pragma unroll
    for (uint32_t i = 0; i < N; i++) numbers[i] *= scale;
    store_narrow(to + place, numbers);
  }
}

template <typename T>
__device__ void embed(const T *table, const uint32_t *ids, T *output, uint32_t size, float scale) {
  const bool packed = is_aligned(table, size) && is_aligned(output, size);
  const T *const from = table + size_t(ids[blockIdx.x]) * size;
  T *const to = output + size_t(blockIdx.x) * size;
  if (packed)
    copy_row<Pack<T>::SIZE>(from, to, size, scale);
  else
    copy_row<1>(from, to, size, scale);
}

#define EMBEDDING(TYPE, SUFFIX)                                                                     \
  extern "C" __global__ void embedding_##SUFFIX(const TYPE *table, const uint32_t *ids,             \
                                                TYPE *output, uint32_t size, float scale) {         \
    embed(table, ids, output, size, scale);                                                         \
  }
EMBEDDING(f16, f16)
EMBEDDING(bf16, bf16)
EMBEDDING(float, f32)
