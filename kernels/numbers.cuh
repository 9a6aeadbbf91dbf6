// The number types of the kernels.
//
// Kernels read and write f32, f16 or bf16 and compute in f32. Everything that depends on the type is
// here: widening, rounding to nearest even, pairs in one register, and 16 bytes at a time.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <stdint.h>
#include <string.h>

using f16 = __half;
using bf16 = __nv_bfloat16;

__device__ inline float widen(float number) { return number; }
__device__ inline float widen(f16 number) { return __half2float(number); }
__device__ inline float widen(bf16 number) { return __bfloat162float(number); }

// The nearest number of type T.
template <typename T> __device__ inline T narrow(float number);
template <> __device__ inline float narrow<float>(float number) { return number; }
template <> __device__ inline f16 narrow<f16>(float number) { return __float2half_rn(number); }
template <> __device__ inline bf16 narrow<bf16>(float number) { return __float2bfloat16_rn(number); }

// Two numbers in one register, the first in the low half.
template <typename T> __device__ inline uint32_t pair(float first, float second) {
  const T halves[2] = {narrow<T>(first), narrow<T>(second)};
  uint32_t both;
  memcpy(&both, halves, sizeof(both));
  return both;
}

// As many numbers as one memory instruction moves.
template <typename T> struct alignas(16) Pack {
  static constexpr uint32_t SIZE = 16 / sizeof(T);
  T numbers[SIZE];
};

template <typename T> __device__ inline Pack<T> load_pack(const T *source) {
  Pack<T> pack;
  const uint4 bits = *reinterpret_cast<const uint4 *>(source);
  memcpy(&pack, &bits, sizeof(pack));
  return pack;
}

template <typename T> __device__ inline void store_pack(T *target, const Pack<T> &pack) {
  uint4 bits;
  memcpy(&bits, &pack, sizeof(bits));
  *reinterpret_cast<uint4 *>(target) = bits;
}

// Whether rows of this many numbers, the first at `start`, all begin on 16 bytes.
template <typename T> __device__ inline bool is_aligned(const T *start, uint64_t row_numbers) {
  return reinterpret_cast<uintptr_t>(start) % 16 == 0 && row_numbers % Pack<T>::SIZE == 0;
}

// N numbers as f32: one, or as many as one instruction moves, which must then be aligned.
template <uint32_t N, typename T>
__device__ inline void load_wide(float (&to)[N], const T *source) {
  if constexpr (N == 1) {
    to[0] = widen(*source);
  } else {
    static_assert(N == Pack<T>::SIZE, "one number or one pack");
    const Pack<T> pack = load_pack(source);
#pragma unroll
    for (uint32_t i = 0; i < N; i++) to[i] = widen(pack.numbers[i]);
  }
}

template <uint32_t N, typename T>
__device__ inline void store_narrow(T *target, const float (&from)[N]) {
  if constexpr (N == 1) {
    *target = narrow<T>(from[0]);
  } else {
    static_assert(N == Pack<T>::SIZE, "one number or one pack");
    Pack<T> pack;
#pragma unroll
    for (uint32_t i = 0; i < N; i++) pack.numbers[i] = narrow<T>(from[i]);
    store_pack(target, pack);
  }
}

// 2^x by the special function unit, to 2 units in the last place; 2^-inf is 0.
__device__ inline float power_of_two(float exponent) {
#ifdef __CUDA_ARCH__
  float power;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(exponent));
  return power;
#else
  return exp2f(exponent);
#endif
}

// 1 / x by the same unit, to 1 unit in the last place.
__device__ inline float reciprocal(float number) {
#ifdef __CUDA_ARCH__
  float result;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(number));
  return result;
#else
  return 1.f / number;
#endif
}

// The factor from exponents of e to exponents of 2.
constexpr float LOG2_E = 1.44269504088896341f;

// e^x by the same unit.
__device__ inline float exponential(float exponent) { return power_of_two(exponent * LOG2_E); }
