// Products of 16 × 16 by 16 × 8 tiles by one warp, and copies that run ahead of them.
//
// For f16 and bf16 a product is one tensor-core instruction, mma.sync.m16n8k16, and its operands come
// from shared memory by ldmatrix. For f32 the same sums are made by plain multiply-adds, in the same
// layout of the result, so a kernel is written once.
//
// Layouts are those of the PTX ISA, section "Matrix fragments for mma.m16n8k16". With lane = 4 g + t:
//   left    16 × 16  registers 0…3 hold rows g and g + 8 of columns 2t, 2t + 1, then the same rows of
//                    columns 2t + 8, 2t + 9
//   right   16 × 8   registers 0, 1 hold column g of rows 2t, 2t + 1 and of rows 2t + 8, 2t + 9
//   result  16 × 8   numbers 0…3 are columns 2t, 2t + 1 of row g, then of row g + 8
#pragma once

#include "numbers.cuh"
#include "warp.cuh"

#ifdef __CUDACC__
#include "ptx.cuh"
#else
#include "emulator/ptx.h"
#endif

// The left operand. f32: rows g and g + 8, all 16 columns.
template <typename T> struct Left {
  uint32_t registers[4];
};
template <> struct Left<float> {
  float rows[2][16];
};

// The right operand. f32: where it lies, row r of column c at r · row_step + c · column_step.
template <typename T> struct Right {
  uint32_t registers[2];
};
template <> struct Right<float> {
  const float *numbers;
  uint32_t row_step, column_step;
};

template <typename T> struct RightPair {
  Right<T> first, second;
};

// Rows 0…15 and columns 0…15 of `tile`, whose rows are `pitch` numbers apart.
template <typename T>
__device__ inline Left<T> load_left(const T *tile, uint32_t pitch) {
  const uint32_t lane = threadIdx.x % WARP;
  Left<T> left;
  load_matrices(left.registers, tile + lane % 16 * pitch + lane / 16 * 8);
  return left;
}
template <> __device__ inline Left<float> load_left(const float *tile, uint32_t pitch) {
  const uint32_t row = threadIdx.x % WARP / 4;
  Left<float> left;
#pragma unroll
  for (int column = 0; column < 16; column++) {
    left.rows[0][column] = tile[row * pitch + column];
    left.rows[1][column] = tile[(row + 8) * pitch + column];
  }
  return left;
}

// The transpose of rows 0…15 and columns 0…15 of `tile`, as two operands of eight columns.
template <typename T>
__device__ inline RightPair<T> load_transpose(const T *tile, uint32_t pitch) {
  const uint32_t lane = threadIdx.x % WARP;
  uint32_t registers[4];
  load_matrices(registers, tile + (lane / 16 * 8 + lane % 8) * pitch + lane / 8 % 2 * 8);
  return {{registers[0], registers[1]}, {registers[2], registers[3]}};
}
template <> __device__ inline RightPair<float> load_transpose(const float *tile, uint32_t pitch) {
  return {{tile, 1, pitch}, {tile + 8 * pitch, 1, pitch}};
}

// Rows 0…15 and columns 0…15 of `tile`, as two operands of eight columns.
template <typename T> __device__ inline RightPair<T> load_right(const T *tile, uint32_t pitch) {
  const uint32_t lane = threadIdx.x % WARP;
  uint32_t registers[4];
  load_matrices_transposed(registers, tile + lane % 16 * pitch + lane / 16 * 8);
  return {{registers[0], registers[1]}, {registers[2], registers[3]}};
}
template <> __device__ inline RightPair<float> load_right(const float *tile, uint32_t pitch) {
  return {{tile, pitch, 1}, {tile + 8, pitch, 1}};
}

// Two results side by side, 16 × 16, as a left operand.
template <typename T>
__device__ inline Left<T> as_left(const float (&first)[4], const float (&second)[4]) {
  return {{pair<T>(first[0], first[1]), pair<T>(first[2], first[3]), pair<T>(second[0], second[1]),
           pair<T>(second[2], second[3])}};
}
template <>
__device__ inline Left<float> as_left(const float (&first)[4], const float (&second)[4]) {
  const uint32_t row_lanes = threadIdx.x % WARP / 4 * 4;
  Left<float> left;
#pragma unroll
  for (int column = 0; column < 8; column++) {
    const uint32_t lane = row_lanes + column / 2;
#pragma unroll
    for (int half = 0; half < 2; half++) {
      const int number = 2 * half + column % 2;
      left.rows[half][column] = __shfl_sync(WHOLE_WARP, first[number], lane);
      left.rows[half][column + 8] = __shfl_sync(WHOLE_WARP, second[number], lane);
    }
  }
  return left;
}

// Adds the product to `sums`. All lanes of the warp take part.
template <typename T>
__device__ inline void multiply_add(float (&sums)[4], const Left<T> &left, const Right<T> &right) {
  multiply_add_matrices<T>(sums, left.registers, right.registers);
}
__device__ inline void multiply_add(float (&sums)[4], const Left<float> &left,
                                    const Right<float> &right) {
  const uint32_t column = threadIdx.x % 4 * 2;
#pragma unroll
  for (int k = 0; k < 16; k++) {
#pragma unroll
    for (int number = 0; number < 4; number++) {
      const uint32_t place = k * right.row_step + (column + number % 2) * right.column_step;
      sums[number] = fmaf(left.rows[number / 2][k], right.numbers[place], sums[number]);
    }
  }
}
