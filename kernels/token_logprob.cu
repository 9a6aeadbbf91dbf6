// Log-probabilities of tokens, and the likeliest token, from logits that come tile by tile.
//
// Logits of all rows for some stretch of the vocabulary are one tile; rows × vocabulary never exists.
// Each tile is folded into a few numbers per row, in the order of the vocabulary:
//   normalisers   (rows, 2)  maximum and Σ exp(logit − maximum)
//   likeliest     (rows)     the lowest token whose logit is the maximum
//   chosen        (targets)  the logits of the tokens that are asked for
//   best_logits, best_tokens (rows)  the likeliest token that is not banned, of equals the lowest;
//                 DAMAGED once a logit is not a number
// The tile that begins with token 0 is the first: what is there before it is not read.
//
//   logits   (rows, columns), rows `stride` apart; column c is token first_token + c
//   bias     (vocabulary) or null, added first; then `scale`; then soft_cap · tanh(logit / soft_cap)
//   firsts   (rows + 1): the targets (or banned tokens) of row r are firsts[r] up to firsts[r + 1]
//
// Launch: grid (rows), a multiple of 32 and at most 1024 threads. A row's bits depend on that row and
// on the number of threads alone.

#include "numbers.cuh"
#include "warp.cuh"

constexpr uint32_t NO_TOKEN = 0xffffffffu;
constexpr uint32_t DAMAGED = 0xfffffffeu;

struct Choice {
  float logit;
  uint32_t token;
};

// The better of two; of equals the lower token.
__device__ inline Choice better(Choice a, Choice b) {
  if (a.token == DAMAGED || b.token == NO_TOKEN) return a;
  if (b.token == DAMAGED || a.token == NO_TOKEN) return b;
  return b.logit > a.logit || (b.logit == a.logit && b.token < a.token) ? b : a;
}

__device__ inline Choice best_of_warp(Choice own) {
  for (uint32_t step = WARP / 2; step > 0; step /= 2)
    own = better(own, {__shfl_xor_sync(WHOLE_WARP, own.logit, step),
                       __shfl_xor_sync(WHOLE_WARP, own.token, step)});
  return own;
}

struct HeadRule {
  float scale;
  float soft_cap;  // 0 for none
};

template <typename T> struct Logits {
  const T *row;
  const T *bias;
  HeadRule rule;

  __device__ float shaped(float logit, uint32_t column) const {
    if (bias != nullptr) logit += widen(bias[column]);
    logit *= rule.scale;
    return rule.soft_cap > 0 ? rule.soft_cap * tanhf(logit / rule.soft_cap) : logit;
  }

  // Shows `fold` this thread's logits, ascending by column.
  template <typename Fold> __device__ void each(uint32_t columns, Fold fold) const {
    constexpr uint32_t SIZE = Pack<T>::SIZE;
    const uint32_t packed = is_aligned(row, 0) ? columns / SIZE * SIZE : 0;
    for (uint32_t first = threadIdx.x * SIZE; first < packed; first += blockDim.x * SIZE) {
      float numbers[SIZE];
      load_wide(numbers, row + first);
#pragma unroll
      for (uint32_t i = 0; i < SIZE; i++) fold(shaped(numbers[i], first + i), first + i);
    }
    for (uint32_t column = packed + threadIdx.x; column < columns; column += blockDim.x)
      fold(shaped(widen(row[column]), column), column);
  }
};

template <typename T>
__device__ Logits<T> logits_of_row(const T *logits, const T *bias, uint32_t stride,
                                   uint32_t first_token, HeadRule rule) {
  return {logits + size_t(blockIdx.x) * stride, bias == nullptr ? nullptr : bias + first_token, rule};
}

template <typename T>
__device__ void fold_logprobs(const Logits<T> &logits, uint32_t columns, uint32_t first_token,
                              const uint32_t *firsts, const uint32_t *targets, float *normalisers,
                              float *chosen, uint32_t *likeliest) {
  LogSumExp own = {-INFINITY, 0.f};
  uint32_t token = NO_TOKEN;
  logits.each(columns, [&](float logit, uint32_t column) {
    if (logit > own.highest) {
      own.total *= exponential(own.highest - logit);
      own.highest = logit;
      token = first_token + column;
    }
    // Nothing is added for −∞; what is not a number stays none.
    own.total += logit == -INFINITY ? 0.f : exponential(logit - own.highest);
  });
  const Choice best = best_of_warp({own.highest, token});
  own = warp_merge(own);
  __shared__ LogSumExp warps[WARP];
  __shared__ Choice choices[WARP];
  if (threadIdx.x % WARP == 0) {
    warps[threadIdx.x / WARP] = own;
    choices[threadIdx.x / WARP] = best;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    float *const state = normalisers + 2 * size_t(blockIdx.x);
    const bool is_first = first_token == 0;
    LogSumExp row = {is_first ? -INFINITY : state[0], is_first ? 0.f : state[1]};
    Choice choice = {row.highest, is_first ? NO_TOKEN : likeliest[blockIdx.x]};
    for (uint32_t warp = 0; warp < blockDim.x / WARP; warp++) {
      row = merge(row, warps[warp]);
      choice = better(choice, choices[warp]);
    }
    state[0] = row.highest;
    state[1] = row.total;
    likeliest[blockIdx.x] = choice.token;
  }
  const uint32_t end = firsts[blockIdx.x + 1];
  for (uint32_t target = firsts[blockIdx.x] + threadIdx.x; target < end; target += blockDim.x) {
    const uint32_t column = targets[target] - first_token;
    // Tokens before this tile wrap round to large columns.
    if (column < columns) chosen[target] = logits.shaped(widen(logits.row[column]), column);
  }
}

template <typename T>
__device__ void fold_choice(const Logits<T> &logits, uint32_t columns, uint32_t first_token,
                            const uint32_t *firsts, const uint32_t *banned, float *best_logits,
                            uint32_t *best_tokens) {
  const uint32_t first = firsts[blockIdx.x], end = firsts[blockIdx.x + 1];
  Choice own = {-INFINITY, NO_TOKEN};
  logits.each(columns, [&](float logit, uint32_t column) {
    const uint32_t token = first_token + column;
    if (logit != logit) own.token = DAMAGED;
    const Choice found = better(own, {logit, token});
    if (found.token != token) return;
    for (uint32_t i = first; i < end; i++) {
      if (banned[i] == token) return;
    }
    own = found;
  });
  own = best_of_warp(own);
  __shared__ Choice warps[WARP];
  if (threadIdx.x % WARP == 0) warps[threadIdx.x / WARP] = own;
  __syncthreads();
  if (threadIdx.x != 0) return;
  Choice row = {-INFINITY, NO_TOKEN};
  if (first_token != 0) row = {best_logits[blockIdx.x], best_tokens[blockIdx.x]};
  for (uint32_t warp = 0; warp < blockDim.x / WARP; warp++) row = better(row, warps[warp]);
  best_logits[blockIdx.x] = row.logit;
  best_tokens[blockIdx.x] = row.token;
}

// Once all tiles are folded: `found` (targets, 2), −ln p in nats, and 1 where the target is its row's
// likeliest token, else 0. `rows` and `tokens` are those of each target. A row whose log-sum-exp is not
// finite has no likeliest token.
// Launch: one thread for each target.
extern "C" __global__ void token_surprisals(const float *normalisers, const float *chosen,
                                            const uint32_t *likeliest, const uint32_t *rows,
                                            const uint32_t *tokens, float *found,
                                            uint32_t targets) {
  const uint32_t target = blockIdx.x * blockDim.x + threadIdx.x;
  if (target >= targets) return;
  const float *const state = normalisers + 2 * size_t(rows[target]);
  const float log_total = logf(state[1]);
  // The larger terms cancel first.
  found[2 * size_t(target)] = state[0] - chosen[target] + log_total;
  const bool is_likeliest = likeliest[rows[target]] == tokens[target] && isfinite(state[0] + log_total);
  found[2 * size_t(target) + 1] = is_likeliest ? 1.f : 0.f;
}

#define KERNELS(TYPE, SUFFIX)                                                                       \
  extern "C" __global__ void token_logprob_##SUFFIX(                                                \
      const TYPE *logits, const TYPE *bias, const uint32_t *firsts, const uint32_t *targets,        \
      float *normalisers, float *chosen, uint32_t *likeliest, uint32_t columns, uint32_t stride,    \
      uint32_t first_token, float scale, float soft_cap) {                                          \
    fold_logprobs(logits_of_row(logits, bias, stride, first_token, {scale, soft_cap}), columns,     \
                  first_token, firsts, targets, normalisers, chosen, likeliest);                    \
  }                                                                                                 \
  extern "C" __global__ void likeliest_token_##SUFFIX(                                              \
      const TYPE *logits, const TYPE *bias, const uint32_t *firsts, const uint32_t *banned,         \
      float *best_logits, uint32_t *best_tokens, uint32_t columns, uint32_t stride,                 \
      uint32_t first_token, float scale, float soft_cap) {                                          \
    fold_choice(logits_of_row(logits, bias, stride, first_token, {scale, soft_cap}), columns,       \
                first_token, firsts, banned, best_logits, best_tokens);                             \
  }
KERNELS(f16, f16)
KERNELS(bf16, bf16)
KERNELS(float, f32)
