// Numbers of weights that stay quantised in memory, row by row: a part of a weight before its product, or tokens of an
// embedding.
//
//   bytes   (any, row_bytes): rows of blocks as GGUF files store them, or of codes in E4M3
//   ids     (rows) or null: which row; without them row `first` and those after it
//   output  (rows, size): the numbers, times `factor`
//   size    a multiple of the numbers of a block
//
// A number of a block is (quant - offset) * step - floor, with a step and a floor that it shares with its group; products of
// quants and steps have at most 24 bits, so only taking the floor away rounds, and the narrowing. Layouts are those of ggml
// (ggml-quants.c); the same in Rust are in src/ops/quantised/block.rs. An 8-bit float is its code times the scale of its block
// of rows and columns.
//
// Launch: grid (rows), any number of threads.

#include "numbers.cuh"

using bytes_t = const unsigned char *;

__device__ inline float half_at(bytes_t bytes) {
  f16 half;
  memcpy(&half, bytes, sizeof(half));
  return widen(half);
}
__device__ inline float signed_at(bytes_t bytes) { return float(static_cast<signed char>(*bytes)); }

// Bits `shift` and up of a byte, those of `mask`.
__device__ inline uint32_t bits(bytes_t bytes, uint32_t shift, uint32_t mask) { return *bytes >> shift & mask; }

// Two bits of 256, in each half of which four stretches of 32 share their bytes.
__device__ inline uint32_t of_four(bytes_t bytes, uint32_t place) {
  return bits(bytes + place / 128 * 32 + place % 32, 2 * (place / 32 % 4), 3);
}

// A format: numbers and bytes of a block, and the number at a place.
template <uint32_t DEPTH_, uint32_t BYTES_> struct Block {
  static constexpr uint32_t DEPTH = DEPTH_, BYTES = BYTES_;
};

// 32 quants of four bits, those of the second half above those of the first.
__device__ inline uint32_t small(bytes_t quants, uint32_t place) { return bits(quants + place % 16, 4 * (place / 16), 15); }
__device__ inline uint32_t fifth(bytes_t bytes, uint32_t place) { return bits(bytes + place / 8, place % 8, 1) << 4; }

struct Q4_0 : Block<32, 18> {
  static __device__ float number(bytes_t block, uint32_t place) {
    return (float(small(block + 2, place)) - 8.f) * half_at(block);
  }
};
struct Q4_1 : Block<32, 20> {
  static __device__ float number(bytes_t block, uint32_t place) {
    return float(small(block + 4, place)) * half_at(block) + half_at(block + 2);
  }
};
struct Q5_0 : Block<32, 22> {
  static __device__ float number(bytes_t block, uint32_t place) {
    return (float(small(block + 6, place) | fifth(block + 2, place)) - 16.f) * half_at(block);
  }
};
struct Q5_1 : Block<32, 24> {
  static __device__ float number(bytes_t block, uint32_t place) {
    return float(small(block + 8, place) | fifth(block + 4, place)) * half_at(block) + half_at(block + 2);
  }
};
struct Q8_0 : Block<32, 34> {
  static __device__ float number(bytes_t block, uint32_t place) { return signed_at(block + 2 + place) * half_at(block); }
};
struct Q8_1 : Block<32, 36> {
  static __device__ float number(bytes_t block, uint32_t place) { return signed_at(block + 4 + place) * half_at(block); }
};
struct Q2K : Block<256, 84> {
  static __device__ float number(bytes_t block, uint32_t place) {
    const bytes_t factors = block + place / 16;
    const float step = half_at(block + 80) * float(bits(factors, 0, 15));
    const float floor = half_at(block + 82) * float(bits(factors, 4, 15));
    return float(of_four(block + 16, place)) * step - floor;
  }
};
struct Q3K : Block<256, 110> {
  static __device__ float number(bytes_t block, uint32_t place) {
    const bytes_t factors = block + 96;
    const uint32_t group = place / 16;
    const uint32_t factor =
        bits(factors + group % 8, 4 * (group / 8), 15) | bits(factors + 8 + group % 4, 2 * (group / 4), 3) << 4;
    const float step = half_at(block + 108) * (float(factor) - 32.f);
    const uint32_t quant = of_four(block + 32, place) | bits(block + place % 32, place / 32, 1) << 2;
    return (float(quant) - 4.f) * step;
  }
};

// Steps and floors of eight groups, six bits each; the upper two of the last four stand above the first four's.
struct SixBits {
  float step, floor;
  __device__ SixBits(bytes_t block, uint32_t group) {
    const bytes_t factors = block + 4 + group;
    const uint32_t of_step = group < 4 ? bits(factors, 0, 63) : bits(factors + 4, 0, 15) | bits(factors - 4, 6, 3) << 4;
    const uint32_t of_floor = group < 4 ? bits(factors + 4, 0, 63) : bits(factors + 4, 4, 15) | bits(factors, 6, 3) << 4;
    step = half_at(block) * float(of_step);
    floor = half_at(block + 2) * float(of_floor);
  }
};
__device__ inline uint32_t nibble(bytes_t quants, uint32_t place) {
  return bits(quants + place / 64 * 32 + place % 32, 4 * (place / 32 % 2), 15);
}
struct Q4K : Block<256, 144> {
  static __device__ float number(bytes_t block, uint32_t place) {
    const SixBits scale(block, place / 32);
    return float(nibble(block + 16, place)) * scale.step - scale.floor;
  }
};
struct Q5K : Block<256, 176> {
  static __device__ float number(bytes_t block, uint32_t place) {
    const SixBits scale(block, place / 32);
    const uint32_t quant = nibble(block + 48, place) | bits(block + 16 + place % 32, place / 32, 1) << 4;
    return float(quant) * scale.step - scale.floor;
  }
};
struct Q6K : Block<256, 210> {
  static __device__ float number(bytes_t block, uint32_t place) {
    const uint32_t half = place / 128, part = place / 32 % 4;
    const bytes_t low = block + half * 64 + part % 2 * 32 + place % 32;
    const uint32_t quant = bits(low, 4 * (part / 2), 15) | of_four(block + 128, place) << 4;
    return (float(quant) - 32.f) * (half_at(block + 208) * signed_at(block + 192 + place / 16));
  }
};
struct Q8K : Block<256, 292> {
  static __device__ float number(bytes_t block, uint32_t place) {
    float step;
    memcpy(&step, block, sizeof(step));
    return signed_at(block + 4 + place) * step;
  }
};

__device__ inline uint32_t row_of(const uint32_t *ids, uint32_t first) {
  return ids == nullptr ? first + blockIdx.x : ids[blockIdx.x];
}

template <typename Format, typename T>
__device__ void widen_blocks(bytes_t bytes, const uint32_t *ids, T *output, uint32_t first, uint32_t size, float factor) {
  const bytes_t row = bytes + size_t(row_of(ids, first)) * (size / Format::DEPTH) * Format::BYTES;
  T *const to = output + size_t(blockIdx.x) * size;
  for (uint32_t at = threadIdx.x; at < size; at += blockDim.x) {
    const float number = Format::number(row + size_t(at / Format::DEPTH) * Format::BYTES, at % Format::DEPTH);
    to[at] = narrow<T>(number * factor);
  }
}

// The number that a code in E4M3 stands for: its exponent has bias 7, and all ones but the sign is no number.
__device__ inline float eight_bit_float(uint32_t code) {
  const uint32_t magnitude = code & 0x7f;
  const uint32_t shifted = magnitude << 20;
  float number;
  memcpy(&number, &shifted, sizeof(number));
  // Written out and not as a product of a small f32, which some code flushes to zero.
  if (magnitude < 8)
    number = float(magnitude) * 0.001953125f;
  else
    number *= 1.329227995784916e36f;
  if (magnitude == 0x7f) number = nanf("");
  return code & 0x80 ? -number : number;
}

// Numbers of a block of rows and columns, and blocks beside each other.
struct ScaleShape {
  uint32_t rows, columns, across;
};

template <typename T>
__device__ void widen_codes(bytes_t codes, const float *scales, const uint32_t *ids, T *output, uint32_t first,
                            uint32_t size, ScaleShape shape, float factor) {
  const uint32_t row = row_of(ids, first);
  const bytes_t from = codes + size_t(row) * size;
  const float *const of_row = scales + size_t(row / shape.rows) * shape.across;
  T *const to = output + size_t(blockIdx.x) * size;
  for (uint32_t at = threadIdx.x; at < size; at += blockDim.x)
    to[at] = narrow<T>(eight_bit_float(from[at]) * of_row[at / shape.columns] * factor);
}

#define WIDEN(FORMAT, TYPE, SUFFIX)                                                                 \
  extern "C" __global__ void widen_##FORMAT##_##SUFFIX(bytes_t bytes, const uint32_t *ids,          \
                                                       TYPE *output, uint32_t first, uint32_t size, \
                                                       float factor) {                              \
    widen_blocks<FORMAT>(bytes, ids, output, first, size, factor);                                  \
  }
#define WIDEN_ALL(FORMAT) WIDEN(FORMAT, f16, f16) WIDEN(FORMAT, bf16, bf16) WIDEN(FORMAT, float, f32)
WIDEN_ALL(Q4_0)
WIDEN_ALL(Q4_1)
WIDEN_ALL(Q5_0)
WIDEN_ALL(Q5_1)
WIDEN_ALL(Q8_0)
WIDEN_ALL(Q8_1)
WIDEN_ALL(Q2K)
WIDEN_ALL(Q3K)
WIDEN_ALL(Q4K)
WIDEN_ALL(Q5K)
WIDEN_ALL(Q6K)
WIDEN_ALL(Q8K)

#define WIDEN_FP8(TYPE, SUFFIX)                                                                     \
  extern "C" __global__ void widen_fp8_##SUFFIX(bytes_t codes, const float *scales,                 \
                                                const uint32_t *ids, TYPE *output, uint32_t first,  \
                                                uint32_t size, ScaleShape shape, float factor) {    \
    widen_codes(codes, scales, ids, output, first, size, shape, factor);                            \
  }
WIDEN_FP8(f16, f16)
WIDEN_FP8(bf16, bf16)
WIDEN_FP8(float, f32)
