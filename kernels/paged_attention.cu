// Attention over keys and values kept in slots (FlashAttention-2, Dao 2023).
//
// A batch is packed rows of many sequences. The host cuts it into items (attention.cuh): stacked query
// rows of one stretch of a sequence, the slots of its keys, and a range of them. A block takes one
// item and one key head, so all query heads of that key head share every tile of keys and values.
// Tiles are copied ahead, one while another is used. Scores never leave registers: each warp keeps the
// highest score, the sum of powers and the weighted sum of values of its rows, one or two bands of 16:
// with two, what it reads of keys and values from shared memory serves twice as many products.
//
//   queries    (rows, query_stride), heads · key_size numbers of each row
//   keys       (slots, key_heads, key_stride)
//   values     (slots, key_heads, value_stride)
//   positions  (rows): where a row stands in its sequence
//   spans      (rows): the positions that see each other both ways and of which the row's is one, such as those of an
//              image; a row of text is a span of itself. It sees the keys up to the end of its span, and within a window
//              also all of the span
//   slots      those of the items, by position
//   splits     (rows + 1): where the partial results of each row begin
//   slopes, sinks  (heads) or null
//   output     (rows, heads · value_size), of items that are WHOLE
//   partials   (splits, heads, value_size) and their log-sum-exps (splits, heads): of all others,
//              to be merged by merge_attention.cu
//
// Launch: grid (items, key_heads), THREADS threads, SHARED_BYTES of dynamic shared memory. There are
// two shapes of a block: PREFILL has its warps below each other, each with rows of its own; DECODE has 16
// rows, and its warps share the keys of a tile. Sizes that are not listed at the end take the next larger.
//
// A row's bits depend on its own keys, on where the host splits them and on the shape alone: tiles
// begin at multiples of their length, and keys that a row does not see add exact zeros.

#include "attention.cuh"
#include "mma.cuh"

template <typename T, int KEY, int VALUE, bool PREFILL> struct Tiling {
  static constexpr bool WIDE = (KEY + VALUE) * sizeof(T) > 512;
  static constexpr bool WIDEST = (KEY + VALUE) * sizeof(T) > 1024;
  static constexpr int ROW_WARPS = !PREFILL ? 1 : WIDEST && sizeof(T) == 4 ? 2 : 4;
  // Bands of 16 rows of a warp.
  static constexpr int BANDS = PREFILL && sizeof(T) == 2 && KEY + VALUE <= 320 ? 2 : 1;
  static constexpr int WARP_ROWS = 16 * BANDS;
  static constexpr int KEY_WARPS = PREFILL ? 1 : WIDEST ? 1 : WIDE ? 2 : 4;
  // Keys of a tile that one warp multiplies with. A block has at most 99 KiB on some GPUs (8.6, 8.9, 12.0).
  static constexpr int WARP_KEYS = !PREFILL || sizeof(T) == 4 || KEY + VALUE > 384 ? 16
                                   : WIDE                                          ? 32
                                   : KEY + VALUE > 192                             ? 48
                                                                                   : 64;
  static constexpr int ROWS = WARP_ROWS * ROW_WARPS;
  static constexpr int KEYS = WARP_KEYS * KEY_WARPS;
  static constexpr int THREADS = 32 * ROW_WARPS * KEY_WARPS;
  // How many blocks a multiprocessor should have at once, which bounds their registers.
  static constexpr int BLOCKS = sizeof(T) == 4 || KEY + VALUE > 320 ? 1
                                : BANDS == 2                         ? 2
                                                                     : 3;
  // Rows of a tile are 16 bytes further apart than they are long: eight of them, one below the other,
  // then lie in different banks.
  static constexpr int PACK = Pack<T>::SIZE;
  static constexpr int KEY_PITCH = KEY + PACK;
  static constexpr int VALUE_PITCH = VALUE + PACK;
  static constexpr int STAGE = KEYS * (KEY_PITCH + VALUE_PITCH);
  static constexpr int QUERIES = ROWS * KEY_PITCH;
  // Queries that fit into registers pass through the second stage on their way there.
  static constexpr bool QUERIES_IN_REGISTERS = sizeof(T) == 2 && BANDS * KEY <= 128;
  static constexpr int FIRST_QUERY = QUERIES_IN_REGISTERS ? STAGE : 2 * STAGE;
  static constexpr int NUMBERS = FIRST_QUERY + (QUERIES_IN_REGISTERS && STAGE > QUERIES ? STAGE : QUERIES);
  static constexpr int NUMBER_BYTES = NUMBERS * static_cast<int>(sizeof(T));
  // Behind them the slots of the keys of two tiles.
  static constexpr int SHARED_BYTES = NUMBER_BYTES + 2 * KEYS * 4;
  static_assert(KEYS <= THREADS, "each thread looks up one slot of a tile");
  static_assert(KEY_WARPS == 1 || KEY_WARPS * 16 * (VALUE + 2) * 4 <= SHARED_BYTES,
                "sums of the warps are merged where the tiles were");
};

// Positions of keys.
struct KeyRange {
  uint32_t from, to;
};

struct AttentionInput {
  const uint32_t *positions;
  const KeyRange *spans;
  const uint32_t *slots, *splits;
  const AttentionItem *items;
  const float *slopes, *sinks;
};

// Puts the item's query rows into `tile`, zeros beyond them.
template <typename T, typename Tile>
__device__ void load_queries(T *tile, const T *queries, const AttentionItem &item, uint32_t key_head,
                             const AttentionShape &shape, const Divisor &group) {
  constexpr uint32_t PACKS = (Tile::KEY_PITCH - Tile::PACK) / Tile::PACK;
  const bool aligned =
      is_aligned(queries, shape.query_stride) && shape.key_size % Tile::PACK == 0;
  for (uint32_t index = threadIdx.x; index < Tile::ROWS * PACKS; index += Tile::THREADS) {
    const uint32_t row = index / PACKS, first = index % PACKS * Tile::PACK;
    const uint32_t stacked = item.first_stacked + row;
    const uint32_t token = group.quotient(stacked);
    const uint32_t head = key_head * group.size + stacked - token * group.size;
    const T *source = queries + size_t(item.first_row + token) * shape.query_stride +
                      head * shape.key_size + first;
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

// Begins to copy the rows of the keys from `first_key` on, of keys or of values, into `tile`. `slots` are
// those of the tile's keys.
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
    if (is_there) source += (size_t(slots[row]) * key_heads + key_head) * stride + first;
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

  // Where the sums of a row and a head begin, in `output` or in `partials`.
  __device__ size_t first_of(const AttentionItem &item, const AttentionInput &input,
                             const AttentionShape &shape, uint32_t batch_row, uint32_t head) const {
    const size_t row = item.split == WHOLE ? batch_row : input.splits[batch_row] + item.split;
    return (row * shape.heads + head) * shape.value_size;
  }

  __device__ void write(const AttentionItem &item, size_t place, float value) const {
    if (item.split == WHOLE) output[place] = narrow<T>(value);
    else
      partials[place] = value;
  }

  // Two numbers of a WHOLE row, side by side; `place` is even.
  __device__ void write_pair(size_t place, float first, float second) const {
    if constexpr (sizeof(T) == 2) {
      *reinterpret_cast<uint32_t *>(output + place) = pair<T>(first, second);
    } else {
      output[place] = first;
      output[place + 1] = second;
    }
  }
};

template <typename T, int KEY, int VALUE, bool PREFILL>
__device__ void attend(const T *queries, const T *keys, const T *values, const AttentionInput &input,
                       const AttentionShape &shape, const AttentionRule &rule,
                       const AttentionOutput<T> &output) {
  using Tile = Tiling<T, KEY, VALUE, PREFILL>;
  constexpr int BANDS = Tile::BANDS;
  unsigned char *const shared_bytes = launched_memory();
  T *const stages = reinterpret_cast<T *>(shared_bytes);
  T *const query_tile = stages + Tile::FIRST_QUERY;
  uint32_t *const slot_tiles = reinterpret_cast<uint32_t *>(shared_bytes + Tile::NUMBER_BYTES);

  AttentionItem item = input.items[blockIdx.x];
  const uint32_t key_head = blockIdx.y;
  const Divisor group(shape.heads / shape.key_heads);
  const uint32_t warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
  const uint32_t row_warp = warp % Tile::ROW_WARPS, key_warp = warp / Tile::ROW_WARPS;

  // The first key that a row of the batch sees.
  const auto first_seen = [&](uint32_t batch_row) -> uint32_t {
    const uint32_t end = input.positions[batch_row] + 1;
    if (rule.window == 0 || end <= rule.window) return 0;
    return min(input.spans[batch_row].from, end - rule.window);
  };
  // No row of the item sees keys before those of all of its rows.
  if (rule.window > 0) {
    uint32_t earliest = WHOLE;
    const uint32_t first = item.first_row + group.quotient(item.first_stacked);
    const uint32_t last = item.first_row + group.quotient(item.first_stacked + item.stacked - 1);
    for (uint32_t row = first; row <= last; row++) earliest = min(earliest, first_seen(row));
    item.first_key = max(item.first_key, earliest);
  }

  // This thread's rows are g and g + 8 of each band of its warp. In the loop every register counts, so what
  // they see is looked up again where it matters.
  const auto row_of = [&](int band, int half) {
    return row_warp * Tile::WARP_ROWS + band * 16 + lane / 4 + 8 * half;
  };
  const auto is_there = [&](int band, int half) { return row_of(band, half) < item.stacked; };
  const auto stacked_of = [&](int band, int half) {
    return item.first_stacked + (is_there(band, half) ? row_of(band, half) : 0);
  };
  const auto batch_row_of = [&](int band, int half) {
    return item.first_row + group.quotient(stacked_of(band, half));
  };
  const auto head_of = [&](int band, int half) {
    return key_head * group.size + group.remainder(stacked_of(band, half));
  };
  const auto seen_by = [&](int band, int half) -> KeyRange {
    const uint32_t batch_row = batch_row_of(band, half);
    // What comes of rows that are not there goes nowhere.
    return {max(item.first_key, first_seen(batch_row)),
            is_there(band, half) ? min(item.end_key, input.spans[batch_row].to) : item.end_key};
  };
  // Keys that all rows of the warp see: nothing is to be hidden there.
  uint32_t all_from = item.first_key, all_to = item.end_key;
#pragma unroll
  for (int band = 0; band < BANDS; band++) {
#pragma unroll
    for (int half = 0; half < 2; half++) {
      const KeyRange seen = seen_by(band, half);
      all_from = max(all_from, seen.from);
      all_to = min(all_to, seen.to);
    }
  }
#pragma unroll
  for (uint32_t distance = 4; distance < WARP; distance *= 2) {
    all_from = max(all_from, __shfl_xor_sync(WHOLE_WARP, all_from, distance));
    all_to = min(all_to, __shfl_xor_sync(WHOLE_WARP, all_to, distance));
  }

  const auto slot_of = [&](uint32_t key) {
    const bool is_key = key >= item.first_key && key < item.end_key;
    return threadIdx.x < Tile::KEYS && is_key ? input.slots[item.first_slot + key] : 0;
  };
  const auto copy_stage = [&](int stage, uint32_t first_key) {
    T *const key_tile = stages + stage * Tile::STAGE;
    T *const value_tile = key_tile + Tile::KEYS * Tile::KEY_PITCH;
    const uint32_t *const slots = slot_tiles + stage * Tile::KEYS;
    copy_tile<T, KEY, Tile::KEY_PITCH, Tile>(key_tile, keys, shape.key_stride, first_key, item,
                                             slots, key_head, shape.key_heads);
    copy_tile<T, VALUE, Tile::VALUE_PITCH, Tile>(value_tile, values, shape.value_stride, first_key,
                                                 item, slots, key_head, shape.key_heads);
  };
  const uint32_t first_tile = item.first_key / Tile::KEYS * Tile::KEYS;
  if (threadIdx.x < Tile::KEYS) {
    slot_tiles[threadIdx.x] = slot_of(first_tile + threadIdx.x);
    slot_tiles[Tile::KEYS + threadIdx.x] = slot_of(first_tile + Tile::KEYS + threadIdx.x);
  }
  __syncthreads();
  copy_stage(0, first_tile);
  commit_copies();
  load_queries<T, Tile>(query_tile, queries, item, key_head, shape, group);
  __syncthreads();
  const T *const own_queries = query_tile + row_warp * Tile::WARP_ROWS * Tile::KEY_PITCH;
  constexpr int KEPT_QUERIES = Tile::QUERIES_IN_REGISTERS ? KEY / 16 : 1;
  Left<T> kept_queries[KEPT_QUERIES][BANDS];
  if constexpr (Tile::QUERIES_IN_REGISTERS) {
#pragma unroll
    for (int k = 0; k < KEPT_QUERIES; k++) {
#pragma unroll
      for (int band = 0; band < BANDS; band++)
        kept_queries[k][band] =
            load_left(own_queries + band * 16 * Tile::KEY_PITCH + k * 16, Tile::KEY_PITCH);
    }
    __syncthreads();
  }

  // Scores are kept in units whose factor, besides that of powers of two, comes into the power.
  const bool is_plain = rule.soft_cap <= 0 && input.slopes == nullptr && rule.scale > 0;
  const float unit = is_plain ? rule.scale * LOG2_E : LOG2_E;

  float sums[BANDS][VALUE / 8][4] = {};
  float highest[BANDS][2], totals[BANDS][2];
#pragma unroll
  for (int band = 0; band < BANDS; band++) {
#pragma unroll
    for (int half = 0; half < 2; half++) highest[band][half] = -INFINITY, totals[band][half] = 0;
  }
  int stage = 0;
  for (uint32_t tile = first_tile; tile < item.end_key; tile += Tile::KEYS, stage ^= 1) {
    if (tile + Tile::KEYS < item.end_key) copy_stage(stage ^ 1, tile + Tile::KEYS);
    commit_copies();
    const uint32_t later_slot = slot_of(tile + 2 * Tile::KEYS + threadIdx.x);
    await_copies<1>();
    __syncthreads();
    if (threadIdx.x < Tile::KEYS) slot_tiles[stage * Tile::KEYS + threadIdx.x] = later_slot;
    const T *const key_tile =
        stages + stage * Tile::STAGE + key_warp * Tile::WARP_KEYS * Tile::KEY_PITCH;
    const T *const value_tile = stages + stage * Tile::STAGE + Tile::KEYS * Tile::KEY_PITCH +
                                key_warp * Tile::WARP_KEYS * Tile::VALUE_PITCH;

    float scores[BANDS][Tile::WARP_KEYS / 8][4] = {};
#pragma unroll
    for (int k = 0; k < KEY / 16; k++) {
      Left<T> query[BANDS];
#pragma unroll
      for (int band = 0; band < BANDS; band++) {
        if constexpr (Tile::QUERIES_IN_REGISTERS) query[band] = kept_queries[k][band];
        else
          query[band] =
              load_left(own_queries + band * 16 * Tile::KEY_PITCH + k * 16, Tile::KEY_PITCH);
      }
#pragma unroll
      for (int n = 0; n < Tile::WARP_KEYS / 16; n++) {
        const auto key =
            load_transpose(key_tile + n * 16 * Tile::KEY_PITCH + k * 16, Tile::KEY_PITCH);
#pragma unroll
        for (int band = 0; band < BANDS; band++) {
          multiply_add(scores[band][2 * n], query[band], key.first);
          multiply_add(scores[band][2 * n + 1], query[band], key.second);
        }
      }
    }

    const uint32_t own_first = tile + key_warp * Tile::WARP_KEYS;
    const uint32_t first_key = own_first + lane % 4 * 2;
    // Shows `change` every score of a band, the half of its rows it belongs to and the position of its key.
    const auto each_score = [&](int band, auto change) {
#pragma unroll
      for (int n = 0; n < Tile::WARP_KEYS / 8; n++) {
#pragma unroll
        for (int i = 0; i < 4; i++) change(scores[band][n][i], i / 2, first_key + n * 8 + i % 2);
      }
    };
    if (!is_plain) {
#pragma unroll
      for (int band = 0; band < BANDS; band++) {
        each_score(band, [&](float &score, int, uint32_t) { score *= rule.scale; });
        if (rule.soft_cap > 0) {
          each_score(band,
                     [&](float &score, int, uint32_t) { score = capped(score, rule.soft_cap); });
        }
        if (input.slopes != nullptr) {
          const float slopes[2] = {input.slopes[head_of(band, 0)], input.slopes[head_of(band, 1)]};
          const uint32_t places[2] = {input.positions[batch_row_of(band, 0)],
                                      input.positions[batch_row_of(band, 1)]};
          each_score(band, [&](float &score, int half, uint32_t key) {
            score += slope_bias(rule, slopes[half], places[half], key);
          });
        }
      }
    }
    if (own_first < all_from || own_first + Tile::WARP_KEYS > all_to) {
#pragma unroll
      for (int band = 0; band < BANDS; band++) {
        const KeyRange seen[2] = {seen_by(band, 0), seen_by(band, 1)};
        each_score(band, [&](float &score, int half, uint32_t key) {
          if (key < seen[half].from || key >= seen[half].to) score = -INFINITY;
        });
      }
    }
#pragma unroll
    for (int band = 0; band < BANDS; band++) {
      float higher[2] = {highest[band][0], highest[band][1]};
      each_score(band, [&](float &score, int half, uint32_t) {
        higher[half] = fmaxf(higher[half], score);
      });
      float shifts[2], factors[2];
#pragma unroll
      for (int half = 0; half < 2; half++) {
        higher[half] = fmaxf(higher[half], __shfl_xor_sync(WHOLE_WARP, higher[half], 1));
        higher[half] = fmaxf(higher[half], __shfl_xor_sync(WHOLE_WARP, higher[half], 2));
        // Before a row has seen a key there is nothing to shift by.
        shifts[half] = higher[half] == -INFINITY ? 0.f : higher[half] * unit;
        factors[half] = power_of_two(highest[band][half] * unit - shifts[half]);
        highest[band][half] = higher[half];
        totals[band][half] *= factors[half];
      }
      each_score(band, [&](float &score, int half, uint32_t) {
        score = power_of_two(fmaf(score, unit, -shifts[half]));
        totals[band][half] += score;
      });
#pragma unroll
      for (int d = 0; d < VALUE / 8; d++) {
#pragma unroll
        for (int i = 0; i < 4; i++) sums[band][d][i] *= factors[i / 2];
      }
    }
#pragma unroll
    for (int n = 0; n < Tile::WARP_KEYS / 16; n++) {
      Left<T> weights[BANDS];
#pragma unroll
      for (int band = 0; band < BANDS; band++)
        weights[band] = as_left<T>(scores[band][2 * n], scores[band][2 * n + 1]);
#pragma unroll
      for (int d = 0; d < VALUE / 16; d++) {
        const auto value =
            load_right(value_tile + n * 16 * Tile::VALUE_PITCH + d * 16, Tile::VALUE_PITCH);
#pragma unroll
        for (int band = 0; band < BANDS; band++) {
          multiply_add(sums[band][2 * d], weights[band], value.first);
          multiply_add(sums[band][2 * d + 1], weights[band], value.second);
        }
      }
    }
    __syncthreads();
  }
  await_copies<0>();

  LogSumExp rows[BANDS][2];
#pragma unroll
  for (int band = 0; band < BANDS; band++) {
#pragma unroll
    for (int half = 0; half < 2; half++) {
      float total = totals[band][half];
      total += __shfl_xor_sync(WHOLE_WARP, total, 1);
      total += __shfl_xor_sync(WHOLE_WARP, total, 2);
      rows[band][half] = {highest[band][half] * unit * (1.f / LOG2_E), total};
    }
  }

  if constexpr (Tile::KEY_WARPS == 1) {
#pragma unroll
    for (int band = 0; band < BANDS; band++) {
#pragma unroll
      for (int half = 0; half < 2; half++) {
        if (!is_there(band, half)) continue;
        const uint32_t batch_row = batch_row_of(band, half), head = head_of(band, half);
        const float factor = output.finish(rows[band][half], item, input, shape, batch_row, head,
                                           lane % 4 == 0);
        const size_t first = output.first_of(item, input, shape, batch_row, head);
        const bool in_pairs = item.split == WHOLE && shape.value_size % 2 == 0;
#pragma unroll
        for (int d = 0; d < VALUE / 8; d++) {
          const uint32_t column = d * 8 + lane % 4 * 2;
          const float pair[2] = {sums[band][d][2 * half] * factor,
                                 sums[band][d][2 * half + 1] * factor};
          if (in_pairs) {
            if (column < shape.value_size) output.write_pair(first + column, pair[0], pair[1]);
          } else {
#pragma unroll
            for (uint32_t i = 0; i < 2; i++)
              if (column + i < shape.value_size) output.write(item, first + column + i, pair[i]);
          }
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
      if (lane % 4 == 0) warp_rows[place] = rows[0][half];
#pragma unroll
      for (int d = 0; d < VALUE / 8; d++) {
        warp_sums[place * VALUE + d * 8 + lane % 4 * 2] = sums[0][d][2 * half];
        warp_sums[place * VALUE + d * 8 + lane % 4 * 2 + 1] = sums[0][d][2 * half + 1];
      }
    }
    __syncthreads();
    for (uint32_t row = warp; row < item.stacked; row += Tile::KEY_WARPS) {
      const uint32_t stacked = item.first_stacked + row;
      const uint32_t batch_row = item.first_row + group.quotient(stacked);
      const uint32_t head = key_head * group.size + group.remainder(stacked);
      LogSumExp whole = warp_rows[row];
#pragma unroll
      for (int other = 1; other < Tile::KEY_WARPS; other++)
        whole = merge(whole, warp_rows[other * 16 + row]);
      const float shift = whole.highest == -INFINITY ? 0.f : whole.highest;
      const float factor =
          output.finish(whole, item, input, shape, batch_row, head, lane == 0);
      const size_t first = output.first_of(item, input, shape, batch_row, head);
      for (uint32_t column = lane; column < shape.value_size; column += WARP) {
        float value = 0;
#pragma unroll
        for (int other = 0; other < Tile::KEY_WARPS; other++) {
          const uint32_t place = other * 16 + row;
          value += exponential(warp_rows[place].highest - shift) * warp_sums[place * VALUE + column];
        }
        output.write(item, first + column, value * factor);
      }
    }
  }
}

#define ATTENTION(NAME, TYPE, KEY, VALUE, PREFILL)                                                  \
  extern "C" __global__ __launch_bounds__((Tiling<TYPE, KEY, VALUE, PREFILL>::THREADS),             \
                                          (Tiling<TYPE, KEY, VALUE, PREFILL>::BLOCKS)) void NAME(   \
      const TYPE *queries, const TYPE *keys, const TYPE *values, const uint32_t *positions,         \
      const KeyRange *spans, const uint32_t *slots, const uint32_t *splits,                         \
      const AttentionItem *items,                                                                   \
      const float *slopes, const float *sinks, TYPE *output, float *partials, float *partial_lses,  \
      AttentionShape shape, AttentionRule rule) {                                                   \
    attend<TYPE, KEY, VALUE, PREFILL>(queries, keys, values,                                        \
                                      {positions, spans, slots, splits, items, slopes, sinks},       \
                                      shape, rule, {output, partials, partial_lses});               \
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
