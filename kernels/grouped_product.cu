// Products of the rows of each expert with that expert's matrix, all experts in one launch.
//
//   output[p] = input[rows[p]] · weights[e]ᵀ + biases[e]     for the places p of expert e
//
//   input    (any, depth)
//   rows     (places): the input row of each place, or null where it is the place itself
//   firsts   (experts + 1): the places of expert e are firsts[e] up to firsts[e + 1]
//   weights  (experts) addresses of matrices (outputs, depth)
//   biases   (experts) addresses of (outputs), or null
//   output   (places, outputs)
//
// The host does not know how many rows an expert has. Blocks are numbered so that those of expert e begin
// with firsts[e] / ROWS + e: every expert has at least as many as it needs, and those beyond return. A row's
// bits depend on that row and on its expert alone.
//
// Launch: grid (places / ROWS + experts, outputs / COLUMNS rounded up), THREADS threads, SHARED_BYTES of
// dynamic shared memory.

#include "mma.cuh"

template <typename T> struct ProductTile {
  static constexpr uint32_t ROWS = 64, COLUMNS = 64, DEPTH = 32, THREADS = 128;
  static constexpr uint32_t PACK = Pack<T>::SIZE;
  // Rows are 16 bytes further apart than they are long: eight of them then lie in different banks.
  static constexpr uint32_t PITCH = DEPTH + PACK;
  static constexpr uint32_t STAGE = (ROWS + COLUMNS) * PITCH;
  static constexpr uint32_t SHARED_BYTES = 2 * STAGE * sizeof(T);
};

// The expert whose blocks number `tile` is one of.
__device__ inline uint32_t expert_of(const uint32_t *firsts, uint32_t experts, uint32_t tile_rows,
                                     uint32_t tile) {
  uint32_t first = 0, end = experts;
  while (end - first > 1) {
    const uint32_t middle = (first + end) / 2;
    if (firsts[middle] / tile_rows + middle <= tile)
      first = middle;
    else
      end = middle;
  }
  return first;
}

// Puts `count` rows of `depth` numbers from column `column` on into a tile, zeros beyond both.
template <typename T, typename Source>
__device__ void copy_rows(T *tile, uint32_t rows, uint32_t count, uint32_t column, uint32_t depth,
                          bool aligned, Source source) {
  using Tile = ProductTile<T>;
  constexpr uint32_t PACKS = Tile::DEPTH / Tile::PACK;
  for (uint32_t index = threadIdx.x; index < rows * PACKS; index += Tile::THREADS) {
    const uint32_t row = index / PACKS, first = index % PACKS * Tile::PACK;
    T *const to = tile + row * Tile::PITCH + first;
    const bool is_there = row < count && column + first < depth;
    const T *const from = source(is_there ? row : 0) + (is_there ? column + first : 0);
    if (aligned) {
      copy_ahead(to, from, is_there);
    } else {
      for (uint32_t i = 0; i < Tile::PACK; i++)
        to[i] = is_there && column + first + i < depth ? from[i] : narrow<T>(0.f);
    }
  }
}

template <typename T>
__device__ void multiply_groups(const T *input, const uint32_t *rows, const uint32_t *firsts,
                                const uint64_t *weights, const uint64_t *biases, T *output,
                                uint32_t experts, uint32_t depth, uint32_t outputs) {
  using Tile = ProductTile<T>;
  T *const stages = reinterpret_cast<T *>(launched_memory());
  const uint32_t expert = expert_of(firsts, experts, Tile::ROWS, blockIdx.x);
  const uint32_t own = blockIdx.x - (firsts[expert] / Tile::ROWS + expert);
  const uint32_t first_place = firsts[expert] + own * Tile::ROWS;
  if (first_place >= firsts[expert + 1]) return;
  const uint32_t places = min(Tile::ROWS, firsts[expert + 1] - first_place);
  const uint32_t first_output = blockIdx.y * Tile::COLUMNS;
  const uint32_t columns = min(Tile::COLUMNS, outputs - first_output);
  const T *const weight = reinterpret_cast<const T *>(weights[expert]) + size_t(first_output) * depth;
  const bool aligned = is_aligned(input, depth) && is_aligned(weight, depth);

  const auto copy_stage = [&](uint32_t stage, uint32_t column) {
    T *const tile = stages + stage * Tile::STAGE;
    copy_rows(tile, Tile::ROWS, places, column, depth, aligned, [&](uint32_t row) {
      const uint32_t place = first_place + row;
      return input + size_t(rows == nullptr ? place : rows[place]) * depth;
    });
    copy_rows(tile + Tile::ROWS * Tile::PITCH, Tile::COLUMNS, columns, column, depth, aligned,
              [&](uint32_t row) { return weight + size_t(row) * depth; });
    commit_copies();
  };

  const uint32_t warp = threadIdx.x / WARP;
  float sums[Tile::COLUMNS / 8][4] = {};
  copy_stage(0, 0);
  for (uint32_t column = 0, stage = 0; column < depth; column += Tile::DEPTH, stage ^= 1) {
    if (column + Tile::DEPTH < depth) {
      copy_stage(stage ^ 1, column + Tile::DEPTH);
      await_copies<1>();
    } else {
      await_copies<0>();
    }
    __syncthreads();
    const T *const left_tile = stages + stage * Tile::STAGE + warp * 16 * Tile::PITCH;
    const T *const right_tile = stages + stage * Tile::STAGE + Tile::ROWS * Tile::PITCH;
#pragma unroll
    for (uint32_t k = 0; k < Tile::DEPTH; k += 16) {
      const Left<T> left = load_left(left_tile + k, Tile::PITCH);
#pragma unroll
      for (uint32_t pair = 0; pair < Tile::COLUMNS / 16; pair++) {
        const RightPair<T> right =
            load_transpose(right_tile + pair * 16 * Tile::PITCH + k, Tile::PITCH);
        multiply_add(sums[2 * pair], left, right.first);
        multiply_add(sums[2 * pair + 1], left, right.second);
      }
    }
    // The stage is filled anew.
    __syncthreads();
  }

  const T *const bias = biases == nullptr ? nullptr
                                          : reinterpret_cast<const T *>(biases[expert]) + first_output;
  const uint32_t lane = threadIdx.x % WARP;
#pragma unroll
  for (uint32_t part = 0; part < Tile::COLUMNS / 8; part++) {
#pragma unroll
    for (uint32_t number = 0; number < 4; number++) {
      const uint32_t row = warp * 16 + lane / 4 + number / 2 * 8;
      const uint32_t column = part * 8 + lane % 4 * 2 + number % 2;
      if (row >= places || column >= columns) continue;
      const float sum = sums[part][number] + (bias == nullptr ? 0.f : widen(bias[column]));
      output[size_t(first_place + row) * outputs + first_output + column] = narrow<T>(sum);
    }
  }
}

#define GROUPED_PRODUCT(TYPE, SUFFIX)                                                               \
  extern "C" __global__ void __launch_bounds__(ProductTile<TYPE>::THREADS)                          \
      grouped_product_##SUFFIX(const TYPE *input, const uint32_t *rows, const uint32_t *firsts,     \
                               const uint64_t *weights, const uint64_t *biases, TYPE *output,       \
                               uint32_t experts, uint32_t depth, uint32_t outputs) {                \
    multiply_groups(input, rows, firsts, weights, biases, output, experts, depth, outputs);         \
  }
GROUPED_PRODUCT(f16, f16)
GROUPED_PRODUCT(bf16, bf16)
GROUPED_PRODUCT(float, f32)
