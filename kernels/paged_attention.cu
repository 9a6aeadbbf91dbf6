// Attention over keys and values kept in slots (FlashAttention-2, Dao 2023).
//
// A batch is packed rows of many sequences. The host cuts it into items (attention.cuh): stacked query
// rows of one stretch of a sequence, the slots of its keys, and a range of them. A block takes one
// item and one key head, so all query heads of that key head share every tile of keys and values.
// Tiles are copied ahead, one while another is used. Scores never leave registers: each warp keeps the
// highest score, the sum of powers and the weighted sum of values of its 16 rows.
//
//   queries    (rows, query_stride), heads · key_size numbers of each row
//   keys       (slots, key_heads, key_stride)
//   values     (slots, key_heads, value_stride)
//   positions  (rows): where a row stands in its sequence; it sees the keys up to itself
//   slots      those of the items, by position
//   splits     (rows + 1): where the partial results of each row begin
//   slopes, sinks  (heads) or null
//   output     (rows, heads · value_size), of items that are WHOLE
//   partials   (splits, heads, value_size) and their log-sum-exps (splits, heads): of all others,
//              to be merged by merge_attention.cu
//
// Launch: grid (items, key_heads), THREADS threads, SHARED_BYTES of dynamic shared memory. There are
// two shapes of a block: PREFILL has its warps below each other, 16 rows each; DECODE has 16 rows, and
// its warps share the keys of a tile. Sizes that are not listed at the end take the next larger.
//
// A row's bits depend on its own keys, on where the host splits them and on the shape alone: tiles
// begin at multiples of their length, and keys that a row does not see add exact zeros.

#include "attention.cuh"
#include "mma.cuh"

template <typename T, int KEY, int VALUE, bool PREFILL> struct Tiling {
  static constexpr bool WIDE = (KEY + VALUE) * sizeof(T) > 512;
  static constexpr bool WIDEST = (KEY + VALUE) * sizeof(T) > 1024;
  static constexpr int ROW_WARPS = !PREFILL ? 1 : WIDEST && sizeof(T) == 4 ? 2 : 4;
  static constexpr int KEY_WARPS = PREFILL ? 1 : WIDEST ? 1 : WIDE ? 2 : 4;
  // Keys of a tile that one warp multiplies with.
  static constexpr int WARP_KEYS =
      !PREFILL || sizeof(T) == 4 || KEY + VALUE > 384 ? 16 : WIDE ? 32 : 64;
  static constexpr int ROWS = 16 * ROW_WARPS;
  static constexpr int KEYS = WARP_KEYS * KEY_WARPS;
  static constexpr int THREADS = 32 * ROW_WARPS * KEY_WARPS;
  // How many blocks a multiprocessor should have at once, which bounds their registers.
  static constexpr int BLOCKS = sizeof(T) == 2 && KEY + VALUE <= 320 ? 3 : 1;
  // Rows of a tile are 16 bytes further apart than they are long: eight of them, one below the other,
  // then lie in different banks.
  static constexpr int PACK = Pack<T>::SIZE;
  static constexpr int KEY_PITCH = KEY + PACK;
  static constexpr int VALUE_PITCH = VALUE + PACK;
  static constexpr int STAGE = KEYS * (KEY_PITCH + VALUE_PITCH);
  static constexpr int QUERIES = ROWS * KEY_PITCH;
  // Queries that fit into registers pass through the second stage on their way there.
  static constexpr bool QUERIES_IN_REGISTERS = sizeof(T) == 2 && KEY <= 128;
  static constexpr int FIRST_QUERY = QUERIES_IN_REGISTERS ? STAGE : 2 * STAGE;
  static constexpr int NUMBERS = FIRST_QUERY + (QUERIES_IN_REGISTERS && STAGE > QUERIES ? STAGE : QUERIES);
  static constexpr int SHARED_BYTES = NUMBERS * static_cast<int>(sizeof(T));
  static_assert(KEY_WARPS == 1 || KEY_WARPS * 16 * (VALUE + 2) * 4 <= SHARED_BYTES,
                "sums of the warps are merged where the tiles were");
};

struct AttentionInput {
  const uint32_t *positions, *slots, *splits;
  const AttentionItem *items;
  const float *slopes, *sinks;
};

// Puts the item's query rows into `tile`, zeros beyond them.
template <typename T, typename Tile>
__device__ void load_queries(T *tile, const T *queries, const AttentionItem &item, uint32_t key_head,
                             const AttentionShape &shape) {
  constexpr uint32_t PACKS = (Tile::KEY_PITCH - Tile::PACK) / Tile::PACK;
  const uint32_t group = shape.heads / shape.key_heads;
  const bool aligned =
      is_aligned(queries, shape.query_stride) && shape.key_size % Tile::PACK == 0;
  for (uint32_t index = threadIdx.x; index < Tile::ROWS * PACKS; index += Tile::THREADS) {
    const uint32_t row = index / PACKS, first = index % PACKS * Tile::PACK;
    const uint32_t stacked = item.first_stacked + row;
    const T *source = queries + size_t(item.first_row + stacked / group) * shape.query_stride +
                      size_t(key_head * group + stacked % group) * shape.key_size + first;
    Pack<T> pack;
    if (row < item.stacked && aligned && first < shape.key_size) {
      pack = load_pack(source);
    } else {
#pragma unroll
      for (uint32_t i = 0; i < Tile::PACK; i++) {
        const bool is_there = row < item.stacked && first + i < shape.key_size;
        pack.numbers[i] = is_there ? source[i] : narrow<T>(0.f);
      }
    }
    store_pack(tile + row * Tile::KEY_PITCH + first, pack);
  }
}

// Begins to copy the rows of the keys from `first_key` on, of keys or of values, into `tile`.
template <typename T, int SIZE, int PITCH, typename Tile>
__device__ void copy_tile(T *tile, const T *kept, uint32_t stride, uint32_t first_key,
                          const AttentionItem &item, const uint32_t *slots, uint32_t key_head,
                          uint32_t key_heads) {
  constexpr uint32_t PACKS = SIZE / Tile::PACK;
  for (uint32_t index = threadIdx.x; index < Tile::KEYS * PACKS; index += Tile::THREADS) {
    const uint32_t row = index / PACKS, first = index % PACKS * Tile::PACK;
    const uint32_t key = first_key + row;
    const bool is_there = key >= item.first_key && key < item.end_key && first < stride;
    const T *source = kept;
    if (is_there) {
      const size_t slot = slots[item.first_slot + key];
      source += (slot * key_heads + key_head) * stride + first;
    }
    copy_ahead(tile + row * PITCH + first, source, is_there);
  }
}

// Where a finished sum of values goes.
template <typename T> struct AttentionOutput {
  T *output;
  float *partials, *partial_lses;

  // The factor on a row's sums, and its log-sum-exp into the partial results if `writes`.
  __device__ float finish(LogSumExp row, const AttentionItem &item, const AttentionInput &input,
                          const AttentionShape &shape, uint32_t batch_row, uint32_t head,
                          bool writes) const {
    if (item.split != WHOLE) {
      const size_t place = size_t(input.splits[batch_row] + item.split) * shape.heads + head;
      if (writes) partial_lses[place] = row.total == 0 ? -INFINITY : row.highest + logf(row.total);
    } else if (input.sinks != nullptr) {
      const float own_highest = row.highest;
      row = merge(row, {input.sinks[head], 1.f});
      return exponential(own_highest - row.highest) / row.total;
    }
    return row.total == 0 ? 0.f : 1.f / row.total;
  }

  __device__ void write(float value, const AttentionItem &item, const AttentionInput &input,
                        const AttentionShape &shape, uint32_t batch_row, uint32_t head,
                        uint32_t column) const {
    if (item.split == WHOLE) {
      const size_t row = size_t(batch_row) * shape.heads + head;
      output[row * shape.value_size + column] = narrow<T>(value);
    } else {
      const size_t place = size_t(input.splits[batch_row] + item.split) * shape.heads + head;
      partials[place * shape.value_size + column] = value;
    }
  }
};

template <typename T, int KEY, int VALUE, bool PREFILL>
__device__ void attend(const T *queries, const T *keys, const T *values, const AttentionInput &input,
                       const AttentionShape &shape, const AttentionRule &rule,
                       const AttentionOutput<T> &output) {
  using Tile = Tiling<T, KEY, VALUE, PREFILL>;
  unsigned char *const shared_bytes = launched_memory();
  T *const stages = reinterpret_cast<T *>(shared_bytes);
  T *const query_tile = stages + Tile::FIRST_QUERY;

  AttentionItem item = input.items[blockIdx.x];
  const uint32_t key_head = blockIdx.y, group = shape.heads / shape.key_heads;
  const uint32_t warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
  const uint32_t row_warp = warp % Tile::ROW_WARPS, key_warp = warp / Tile::ROW_WARPS;

  // No row of the item sees keys before the window of its earliest row.
  if (rule.window > 0) {
    uint32_t earliest = WHOLE;
    const uint32_t first = item.first_row + item.first_stacked / group;
    const uint32_t last = item.first_row + (item.first_stacked + item.stacked - 1) / group;
    for (uint32_t row = first; row <= last; row++) earliest = min(earliest, input.positions[row]);
    if (earliest >= rule.window) item.first_key = max(item.first_key, earliest + 1 - rule.window);
  }

  // This thread's two rows are g and g + 8 of its warp. Only the keys they see are kept at hand: in the
  // loop every register counts.
  const auto row_of = [&](int half) { return row_warp * 16 + lane / 4 + 8 * half; };
  const auto is_there = [&](int half) { return row_of(half) < item.stacked; };
  const auto stacked_of = [&](int half) {
    return item.first_stacked + (is_there(half) ? row_of(half) : 0);
  };
  const auto batch_row_of = [&](int half) { return item.first_row + stacked_of(half) / group; };
  const auto head_of = [&](int half) { return key_head * group + stacked_of(half) % group; };
  uint32_t from[2], to[2];
#pragma unroll
  for (int half = 0; half < 2; half++) {
    const uint32_t end = input.positions[batch_row_of(half)] + 1;
    from[half] = item.first_key;
    if (rule.window > 0 && end > rule.window) from[half] = max(from[half], end - rule.window);
    to[half] = is_there(half) ? min(item.end_key, end) : 0;
  }

  const auto copy_stage = [&](int stage, uint32_t first_key) {
    T *const key_tile = stages + stage * Tile::STAGE;
    T *const value_tile = key_tile + Tile::KEYS * Tile::KEY_PITCH;
    copy_tile<T, KEY, Tile::KEY_PITCH, Tile>(key_tile, keys, shape.key_stride, first_key, item,
                                             input.slots, key_head, shape.key_heads);
    copy_tile<T, VALUE, Tile::VALUE_PITCH, Tile>(value_tile, values, shape.value_stride, first_key,
                                                 item, input.slots, key_head, shape.key_heads);
  };
  const uint32_t first_tile = item.first_key / Tile::KEYS * Tile::KEYS;
  copy_stage(0, first_tile);
  commit_copies();
  load_queries<T, Tile>(query_tile, queries, item, key_head, shape);
  __syncthreads();
  const T *const own_queries = query_tile + row_warp * 16 * Tile::KEY_PITCH;
  constexpr int KEPT_QUERIES = Tile::QUERIES_IN_REGISTERS ? KEY / 16 : 1;
  Left<T> kept_queries[KEPT_QUERIES];
  if constexpr (Tile::QUERIES_IN_REGISTERS) {
#pragma unroll
    for (int k = 0; k < KEPT_QUERIES; k++)
      kept_queries[k] = load_left(own_queries + k * 16, Tile::KEY_PITCH);
    __syncthreads();
  }

  float sums[VALUE / 8][4] = {};
  LogSumExp rows[2] = {{-INFINITY, 0.f}, {-INFINITY, 0.f}};
  int stage = 0;
  for (uint32_t tile = first_tile; tile < item.end_key; tile += Tile::KEYS, stage ^= 1) {
    if (tile + Tile::KEYS < item.end_key) copy_stage(stage ^ 1, tile + Tile::KEYS);
    commit_copies();
    await_copies<1>();
    __syncthreads();
    const T *const key_tile =
        stages + stage * Tile::STAGE + key_warp * Tile::WARP_KEYS * Tile::KEY_PITCH;
    const T *const value_tile = stages + stage * Tile::STAGE + Tile::KEYS * Tile::KEY_PITCH +
                                key_warp * Tile::WARP_KEYS * Tile::VALUE_PITCH;

    float scores[Tile::WARP_KEYS / 8][4] = {};
#pragma unroll
    for (int k = 0; k < KEY / 16; k++) {
      Left<T> query;
      if constexpr (Tile::QUERIES_IN_REGISTERS) query = kept_queries[k];
      else query = load_left(own_queries + k * 16, Tile::KEY_PITCH);
#pragma unroll
      for (int n = 0; n < Tile::WARP_KEYS / 16; n++) {
        const auto key =
            load_transpose(key_tile + n * 16 * Tile::KEY_PITCH + k * 16, Tile::KEY_PITCH);
        multiply_add(scores[2 * n], query, key.first);
        multiply_add(scores[2 * n + 1], query, key.second);
      }
    }

    const uint32_t first_key = tile + key_warp * Tile::WARP_KEYS + lane % 4 * 2;
    // Shows `change` every score, the row it belongs to and the position of its key.
    const auto each_score = [&](auto change) {
#pragma unroll
      for (int n = 0; n < Tile::WARP_KEYS / 8; n++) {
#pragma unroll
        for (int i = 0; i < 4; i++) change(scores[n][i], i / 2, first_key + n * 8 + i % 2);
      }
    };
    each_score([&](float &score, int, uint32_t) { score *= rule.scale; });
    if (rule.soft_cap > 0)
      each_score([&](float &score, int, uint32_t) { score = capped(score, rule.soft_cap); });
    if (input.slopes != nullptr) {
      const float slopes[2] = {input.slopes[head_of(0)], input.slopes[head_of(1)]};
      const uint32_t places[2] = {input.positions[batch_row_of(0)],
                                  input.positions[batch_row_of(1)]};
      each_score([&](float &score, int half, uint32_t key) {
        score += slope_bias(rule, slopes[half], places[half], key);
      });
    }
    float highest[2] = {rows[0].highest, rows[1].highest};
    each_score([&](float &score, int half, uint32_t key) {
      if (key < from[half] || key >= to[half]) score = -INFINITY;
      highest[half] = fmaxf(highest[half], score);
    });
    float shifts[2], factors[2];
#pragma unroll
    for (int half = 0; half < 2; half++) {
      highest[half] = fmaxf(highest[half], __shfl_xor_sync(WHOLE_WARP, highest[half], 1));
      highest[half] = fmaxf(highest[half], __shfl_xor_sync(WHOLE_WARP, highest[half], 2));
      // Before a row has seen a key there is nothing to shift by.
      shifts[half] = highest[half] == -INFINITY ? 0.f : highest[half];
      factors[half] = exponential(rows[half].highest - shifts[half]);
      rows[half] = {highest[half], rows[half].total * factors[half]};
    }
    each_score([&](float &score, int half, uint32_t) {
      score = exponential(score - shifts[half]);
      rows[half].total += score;
    });
#pragma unroll
    for (int d = 0; d < VALUE / 8; d++) {
#pragma unroll
      for (int i = 0; i < 4; i++) sums[d][i] *= factors[i / 2];
    }
#pragma unroll
    for (int n = 0; n < Tile::WARP_KEYS / 16; n++) {
      const Left<T> weights = as_left<T>(scores[2 * n], scores[2 * n + 1]);
#pragma unroll
      for (int d = 0; d < VALUE / 16; d++) {
        const auto value =
            load_right(value_tile + n * 16 * Tile::VALUE_PITCH + d * 16, Tile::VALUE_PITCH);
        multiply_add(sums[2 * d], weights, value.first);
        multiply_add(sums[2 * d + 1], weights, value.second);
      }
    }
    __syncthreads();
  }
  await_copies<0>();

#pragma unroll
  for (int half = 0; half < 2; half++) {
    rows[half].total += __shfl_xor_sync(WHOLE_WARP, rows[half].total, 1);
    rows[half].total += __shfl_xor_sync(WHOLE_WARP, rows[half].total, 2);
  }

  if constexpr (Tile::KEY_WARPS == 1) {
#pragma unroll
    for (int half = 0; half < 2; half++) {
      if (!is_there(half)) continue;
      const uint32_t batch_row = batch_row_of(half), head = head_of(half);
      const float factor =
          output.finish(rows[half], item, input, shape, batch_row, head, lane % 4 == 0);
#pragma unroll
      for (int d = 0; d < VALUE / 8; d++) {
#pragma unroll
        for (int i = 0; i < 2; i++) {
          const uint32_t column = d * 8 + lane % 4 * 2 + i;
          if (column < shape.value_size)
            output.write(sums[d][2 * half + i] * factor, item, input, shape, batch_row, head,
                         column);
        }
      }
    }
  } else {
    // The warps' sums, one after the other: (warp, row, VALUE) and (warp, row).
    __syncthreads();
    float *const warp_sums = reinterpret_cast<float *>(shared_bytes);
    LogSumExp *const warp_rows =
        reinterpret_cast<LogSumExp *>(warp_sums + Tile::KEY_WARPS * 16 * VALUE);
#pragma unroll
    for (int half = 0; half < 2; half++) {
      const uint32_t place = key_warp * 16 + lane / 4 + 8 * half;
      if (lane % 4 == 0) warp_rows[place] = rows[half];
#pragma unroll
      for (int d = 0; d < VALUE / 8; d++) {
        warp_sums[place * VALUE + d * 8 + lane % 4 * 2] = sums[d][2 * half];
        warp_sums[place * VALUE + d * 8 + lane % 4 * 2 + 1] = sums[d][2 * half + 1];
      }
    }
    __syncthreads();
    for (uint32_t row = warp; row < item.stacked; row += Tile::KEY_WARPS) {
      const uint32_t stacked = item.first_stacked + row;
      const uint32_t batch_row = item.first_row + stacked / group;
      const uint32_t head = key_head * group + stacked % group;
      LogSumExp whole = warp_rows[row];
#pragma unroll
      for (int other = 1; other < Tile::KEY_WARPS; other++)
        whole = merge(whole, warp_rows[other * 16 + row]);
      const float shift = whole.highest == -INFINITY ? 0.f : whole.highest;
      const float factor =
          output.finish(whole, item, input, shape, batch_row, head, lane == 0);
      for (uint32_t column = lane; column < shape.value_size; column += WARP) {
        float value = 0;
#pragma unroll
        for (int other = 0; other < Tile::KEY_WARPS; other++) {
          const uint32_t place = other * 16 + row;
          value += exponential(warp_rows[place].highest - shift) * warp_sums[place * VALUE + column];
        }
        output.write(value * factor, item, input, shape, batch_row, head, column);
      }
    }
  }
}

#define ATTENTION(NAME, TYPE, KEY, VALUE, PREFILL)                                                  \
  extern "C" __global__ __launch_bounds__((Tiling<TYPE, KEY, VALUE, PREFILL>::THREADS),             \
                                          (Tiling<TYPE, KEY, VALUE, PREFILL>::BLOCKS)) void NAME(   \
      const TYPE *queries, const TYPE *keys, const TYPE *values, const uint32_t *positions,         \
      const uint32_t *slots, const uint32_t *splits, const AttentionItem *items,                    \
      const float *slopes, const float *sinks, TYPE *output, float *partials, float *partial_lses,  \
      AttentionShape shape, AttentionRule rule) {                                                   \
    attend<TYPE, KEY, VALUE, PREFILL>(queries, keys, values,                                        \
                                      {positions, slots, splits, items, slopes, sinks}, shape,      \
                                      rule, {output, partials, partial_lses});                      \
  }
#define SIZES(TYPE, SUFFIX, KEY, VALUE)                                                             \
  ATTENTION(attention_prefill_##SUFFIX##_##KEY##_##VALUE, TYPE, KEY, VALUE, true)                   \
  ATTENTION(attention_decode_##SUFFIX##_##KEY##_##VALUE, TYPE, KEY, VALUE, false)
#define HALVES(KEY, VALUE)                                                                          \
  SIZES(f16, f16, KEY, VALUE)                                                                       \
  SIZES(bf16, bf16, KEY, VALUE)

HALVES(64, 64)
HALVES(96, 96)
HALVES(128, 128)
HALVES(192, 128)
HALVES(256, 256)
SIZES(float, f32, 128, 128)
SIZES(float, f32, 256, 256)
