// The product of a few rows and a weight, in which the weight is read once, at the speed of the memory.
//
//   output = alpha · input · weightᵀ + beta · output        summed in f32, rounded once
//
//   input    (rows, depth), rows input_stride apart
//   weight   (columns, depth)
//   output   (rows, columns)
// What one memory instruction moves divides depth and input_stride, and all rows begin on 16 bytes.
//
// Tensor cores have nothing to do where every number of the weight is used once or twice; what counts is how
// many bytes are on their way. A warp has COLUMNS columns and all rows. The order in which a row is summed up
// does not depend on how many rows there are.
//
// Launch: grid (columns / (COLUMNS · WARPS), rounded up), WARPS · 32 threads; few_rows_product_ROWS takes up to
// ROWS rows.

#include "mma.cuh"
#include "numbers.cuh"
#include "warp.cuh"

constexpr uint32_t FEW_ROWS_WARPS = 8;
constexpr uint32_t FEW_ROWS_COLUMNS = 2;
// Blocks of a multiprocessor: with more, registers are too few for what is on its way.
constexpr uint32_t FEW_ROWS_BLOCKS = 3;

template <int STEPS> struct Steps {
  static constexpr int value = STEPS;
};

template <int ROWS, typename T>
__device__ void few_rows_product(const T *input, const T *weight, T *output, uint32_t rows,
                                 uint32_t depth, uint32_t columns, uint32_t input_stride,
                                 float alpha, float beta) {
  constexpr uint32_t PACK = Pack<T>::SIZE;
  // Numbers of a row that the warp reads at once.
  constexpr uint32_t TURN = WARP * PACK;
  const uint32_t warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
  const uint32_t first_column = (blockIdx.x * FEW_ROWS_WARPS + warp) * FEW_ROWS_COLUMNS;
  if (first_column >= columns) return;
  const T *sources[FEW_ROWS_COLUMNS];
#pragma unroll
  for (uint32_t column = 0; column < FEW_ROWS_COLUMNS; column++) {
    // A column beyond the last is another one again.
    const uint32_t place = min(first_column + column, columns - 1);
    sources[column] = weight + size_t(place) * depth;
  }
  float sums[ROWS][FEW_ROWS_COLUMNS] = {};
  // Adds what STEPS turns of the warp from `place` on give; all of their weights are asked for at once.
  const auto add = [&](uint32_t place, auto steps) {
    constexpr int STEPS = decltype(steps)::value;
    Pack<T> weights[STEPS][FEW_ROWS_COLUMNS];
#pragma unroll
    for (int step = 0; step < STEPS; step++) {
#pragma unroll
      for (uint32_t column = 0; column < FEW_ROWS_COLUMNS; column++)
        weights[step][column] = load_once(sources[column] + place + step * TURN);
    }
#pragma unroll
    for (int step = 0; step < STEPS; step++) {
#pragma unroll
      for (int row = 0; row < ROWS; row++) {
        const Pack<T> numbers = load_pack(input + min(uint32_t(row), rows - 1) * size_t(input_stride) +
                                          place + step * TURN);
#pragma unroll
        for (uint32_t column = 0; column < FEW_ROWS_COLUMNS; column++) {
#pragma unroll
          for (uint32_t i = 0; i < PACK; i++)
            sums[row][column] = fmaf(widen(numbers.numbers[i]), widen(weights[step][column].numbers[i]),
                                     sums[row][column]);
        }
      }
    }
  };
  uint32_t place = lane * PACK;
  for (; place + 3 * TURN < depth; place += 4 * TURN) add(place, Steps<4>());
  for (; place < depth; place += TURN) add(place, Steps<1>());
#pragma unroll
  for (int row = 0; row < ROWS; row++) {
#pragma unroll
    for (uint32_t column = 0; column < FEW_ROWS_COLUMNS; column++) {
      const float sum = warp_sum(sums[row][column]);
      if (lane != 0 || row >= rows || first_column + column >= columns) continue;
      T *const target = output + size_t(row) * columns + first_column + column;
      *target = narrow<T>(alpha * sum + (beta == 0 ? 0.f : beta * widen(*target)));
    }
  }
}

#define FEW_ROWS_PRODUCT(ROWS, TYPE, SUFFIX)                                                        \
  extern "C" __global__ __launch_bounds__(FEW_ROWS_WARPS *WARP, FEW_ROWS_BLOCKS) void              \
      few_rows_product_##ROWS##_##SUFFIX(                                                           \
      const TYPE *input, const TYPE *weight, TYPE *output, uint32_t rows, uint32_t depth,           \
      uint32_t columns, uint32_t input_stride, float alpha, float beta) {                           \
    few_rows_product<ROWS>(input, weight, output, rows, depth, columns, input_stride, alpha, beta); \
  }
#define FEW_ROWS_PRODUCTS(TYPE, SUFFIX)                                                             \
  FEW_ROWS_PRODUCT(1, TYPE, SUFFIX)                                                                 \
  FEW_ROWS_PRODUCT(2, TYPE, SUFFIX)                                                                 \
  FEW_ROWS_PRODUCT(4, TYPE, SUFFIX)
FEW_ROWS_PRODUCTS(f16, f16)
FEW_ROWS_PRODUCTS(bf16, bf16)
FEW_ROWS_PRODUCTS(float, f32)
