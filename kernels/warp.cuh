// What the threads of a warp and of a block have in common: sums, maxima, memory.
//
// Every reduction is a fixed tree, so equal inputs give equal bits.
#pragma once

#include <math.h>
#include <stdint.h>

constexpr uint32_t WARP = 32;
constexpr uint32_t WHOLE_WARP = 0xffffffffu;

#ifdef __CUDACC__
// The shared memory that a block is launched with.
__device__ inline unsigned char *launched_memory() {
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  return shared_bytes;
}
#endif

__device__ inline float warp_sum(float number) {
  for (uint32_t step = WARP / 2; step > 0; step /= 2)
    number += __shfl_xor_sync(WHOLE_WARP, number, step);
  return number;
}

// The sum over a block of whole warps, known to all its threads. `partials` is shared, one number
// for each warp, and may be used again by the next call.
__device__ inline float block_sum(float number, float *partials) {
  number = warp_sum(number);
  __syncthreads();
  if (threadIdx.x % WARP == 0) partials[threadIdx.x / WARP] = number;
  __syncthreads();
  float sum = 0;
  for (uint32_t warp = 0; warp < blockDim.x / WARP; warp++) sum += partials[warp];
  return sum;
}

// log Σ exp of some numbers, kept as their maximum and Σ exp(number − maximum).
struct LogSumExp {
  float highest;
  float total;
};

// That of two sets of numbers. What is not a number stays none.
__device__ inline LogSumExp merge(LogSumExp a, LogSumExp b) {
  const float highest = fmaxf(a.highest, b.highest);
  if (highest == -INFINITY) return {highest, a.total + b.total};
  return {highest, a.total * expf(a.highest - highest) + b.total * expf(b.highest - highest)};
}

__device__ inline LogSumExp warp_merge(LogSumExp own) {
  for (uint32_t step = WARP / 2; step > 0; step /= 2)
    own = merge(own, {__shfl_xor_sync(WHOLE_WARP, own.highest, step),
                      __shfl_xor_sync(WHOLE_WARP, own.total, step)});
  return own;
}
