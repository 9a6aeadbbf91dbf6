// Mixtures of experts: which experts a row goes to, the rows of each expert, and the sum of what comes
// back. Rows are gathered by embedding.cu.
//
//   logits     (rows, experts)        of the router
//   choices    (rows, chosen)         experts of a row, ascending
//   weights    (rows, chosen)         their weights
//   firsts     (experts + 1)          the rows of expert e are grouped[firsts[e]] up to firsts[e + 1]
//   grouped    (rows · chosen)        rows, expert after expert, ascending within each
//   places     (rows, chosen)         where each choice stands among them, or NO_PLACE
//
// Nothing is added atomically: results are summed expert after expert, so a row's bits do not depend
// on which rows went the same way.

#include "numbers.cuh"
#include "warp.cuh"

constexpr uint32_t NO_PLACE = 0xffffffffu;

struct RouteRule {
  uint32_t experts, chosen;
  uint32_t sigmoid;            // scores are the sigmoid of each logit, otherwise their softmax
  uint32_t groups;             // experts in groups of equal size, of which `chosen_groups`
  uint32_t chosen_groups;      // with the highest scores are chosen from
  uint32_t best_two;           // a group's score is the sum of its two best, otherwise its best
  uint32_t renormalised;       // weights are divided by their sum and `least`
  float least, scale;
};

// A number's place among all of them, what is not a number being the highest; of equal numbers the one
// with the lower index is higher. Never 0.
__device__ inline uint64_t rank(float number, uint32_t index) {
  uint32_t bits;
  memcpy(&bits, &number, sizeof(bits));
  bits = bits & 0x80000000u ? ~bits : bits | 0x80000000u;
  return static_cast<uint64_t>(bits) << 32 | (0xffffffffu - index);
}

__device__ inline uint32_t index_of(uint64_t rank) {
  return 0xffffffffu - static_cast<uint32_t>(rank);
}

// The highest rank that `of` gives for the indices below `count`, known to the whole warp.
template <typename Of> __device__ inline uint64_t highest_rank(uint32_t count, Of of) {
  uint64_t highest = 0;
  for (uint32_t i = threadIdx.x; i < count; i += WARP) {
    const uint64_t own = of(i);
    highest = own > highest ? own : highest;
  }
  for (uint32_t step = WARP / 2; step > 0; step /= 2) {
    const uint64_t other = __shfl_xor_sync(WHOLE_WARP, highest, step);
    highest = other > highest ? other : highest;
  }
  return highest;
}

// Launch: grid (rows), one warp, 4 · (2 · experts + 2 · groups) bytes of dynamic shared memory.
template <typename T>
__device__ void choose_experts(const T *logits, const float *correction, uint32_t *choices,
                               float *weights, const RouteRule &rule) {
  unsigned char *const shared_bytes = launched_memory();
  float *const scores = reinterpret_cast<float *>(shared_bytes);
  float *const ranked = scores + rule.experts;
  float *const group_scores = ranked + rule.experts;
  uint32_t *const group_is_chosen = reinterpret_cast<uint32_t *>(group_scores + rule.groups);
  logits += size_t(blockIdx.x) * rule.experts;
  choices += size_t(blockIdx.x) * rule.chosen;
  weights += size_t(blockIdx.x) * rule.chosen;
  const uint32_t lane = threadIdx.x;

  float highest = -INFINITY, total = 0;
  if (!rule.sigmoid) {
    for (uint32_t i = lane; i < rule.experts; i += WARP) highest = fmaxf(highest, widen(logits[i]));
    for (uint32_t step = WARP / 2; step > 0; step /= 2)
      highest = fmaxf(highest, __shfl_xor_sync(WHOLE_WARP, highest, step));
    for (uint32_t i = lane; i < rule.experts; i += WARP) total += expf(widen(logits[i]) - highest);
    total = warp_sum(total);
  }
  for (uint32_t i = lane; i < rule.experts; i += WARP) {
    const float logit = widen(logits[i]);
    scores[i] = rule.sigmoid ? 1.f / (1.f + expf(-logit)) : expf(logit - highest) / total;
    ranked[i] = correction != nullptr ? scores[i] + correction[i] : scores[i];
  }
  __syncwarp();

  const uint32_t size = rule.experts / rule.groups;
  if (rule.chosen_groups < rule.groups) {
    for (uint32_t group = lane; group < rule.groups; group += WARP) {
      uint64_t best = 0, second = 0;
      for (uint32_t i = group * size; i < (group + 1) * size; i++) {
        const uint64_t own = rank(ranked[i], i);
        second = own > best ? best : own > second ? own : second;
        best = own > best ? own : best;
      }
      float score = ranked[index_of(best)];
      if (rule.best_two && second != 0) score += ranked[index_of(second)];
      group_scores[group] = score;
      group_is_chosen[group] = 0;
    }
    __syncwarp();
    for (uint32_t i = 0; i < rule.chosen_groups; i++) {
      const uint64_t best = highest_rank(rule.groups, [&](uint32_t group) {
        return group_is_chosen[group] ? uint64_t(0) : rank(group_scores[group], group);
      });
      __syncwarp();
      if (lane == 0) group_is_chosen[index_of(best)] = 1;
      __syncwarp();
    }
    for (uint32_t i = lane; i < rule.experts; i += WARP)
      if (!group_is_chosen[i / size]) ranked[i] = -INFINITY;
    __syncwarp();
  }

  // One after the other, each below the one before.
  uint64_t limit = ~uint64_t(0);
  float sum = 0;
  for (uint32_t i = 0; i < rule.chosen; i++) {
    limit = highest_rank(rule.experts, [&](uint32_t expert) {
      const uint64_t own = rank(ranked[expert], expert);
      return own < limit ? own : uint64_t(0);
    });
    sum += scores[index_of(limit)];
    if (lane == 0) choices[i] = index_of(limit);
  }
  if (lane != 0) return;
  const float divisor = rule.renormalised ? sum + rule.least : 1.f;
  for (uint32_t i = 1; i < rule.chosen; i++) {
    const uint32_t expert = choices[i];
    uint32_t place = i;
    for (; place > 0 && choices[place - 1] > expert; place--) choices[place] = choices[place - 1];
    choices[place] = expert;
  }
  for (uint32_t i = 0; i < rule.chosen; i++)
    weights[i] = scores[choices[i]] / divisor * rule.scale;
}

// Launch: grid (experts), a multiple of 32 and at most 1024 threads.
extern "C" __global__ void group_rows(const uint32_t *choices, uint32_t *firsts, uint32_t *grouped,
                                      uint32_t *places, uint32_t rows, uint32_t chosen) {
  __shared__ uint32_t warps[WARP];
  const uint32_t expert = blockIdx.x, count = rows * chosen;
  const uint32_t warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;

  // How many choices are of experts before this one.
  uint32_t before = 0;
  for (uint32_t i = threadIdx.x; i < count; i += blockDim.x) before += choices[i] < expert;
  for (uint32_t step = WARP / 2; step > 0; step /= 2)
    before += __shfl_xor_sync(WHOLE_WARP, before, step);
  if (lane == 0) warps[warp] = before;
  __syncthreads();
  uint32_t next = 0;
  for (uint32_t i = 0; i < blockDim.x / WARP; i++) next += warps[i];
  if (threadIdx.x == 0) firsts[expert] = next;

  for (uint32_t start = 0; start < count; start += blockDim.x) {
    const uint32_t i = start + threadIdx.x;
    const bool is_own = i < count && choices[i] == expert;
    const uint32_t own = __ballot_sync(WHOLE_WARP, is_own);
    __syncthreads();
    if (lane == 0) warps[warp] = __popc(own);
    __syncthreads();
    uint32_t place = next + __popc(own & ((1u << lane) - 1));
    for (uint32_t other = 0; other < blockDim.x / WARP; other++) {
      if (other < warp) place += warps[other];
      next += warps[other];
    }
    if (is_own) {
      grouped[place] = i / chosen;
      places[i] = place;
    }
  }
  if (threadIdx.x == 0 && expert + 1 == gridDim.x) firsts[expert + 1] = next;
}

// output[row] = stream[row] + scale · Σ weight · outputs[place] over the choices of a row, `outputs` being
// (rows · chosen, size); the stream may be null, or the output itself.
// Launch: grid (rows, any), any number of threads.
template <typename T>
__device__ void add_experts(const T *outputs, const uint32_t *places, const float *weights,
                            const T *stream, T *output, uint32_t size, uint32_t chosen, float scale) {
  places += size_t(blockIdx.x) * chosen;
  weights += size_t(blockIdx.x) * chosen;
  const uint32_t thread = blockIdx.y * blockDim.x + threadIdx.x;
  for (uint32_t column = thread; column < size; column += gridDim.y * blockDim.x) {
    float sum = 0;
    for (uint32_t i = 0; i < chosen; i++)
      if (places[i] != NO_PLACE) sum += weights[i] * widen(outputs[size_t(places[i]) * size + column]);
    const size_t place = size_t(blockIdx.x) * size + column;
    sum *= scale;
    output[place] = narrow<T>(stream == nullptr ? sum : sum + widen(stream[place]));
  }
}

#define EXPERTS(TYPE, SUFFIX)                                                                       \
  extern "C" __global__ void choose_experts_##SUFFIX(const TYPE *logits, const float *correction,   \
                                                     uint32_t *choices, float *weights,             \
                                                     RouteRule rule) {                              \
    choose_experts(logits, correction, choices, weights, rule);                                     \
  }                                                                                                 \
  extern "C" __global__ void add_experts_##SUFFIX(                                                  \
      const TYPE *outputs, const uint32_t *places, const float *weights, const TYPE *stream,        \
      TYPE *output, uint32_t size, uint32_t chosen, float scale) {                                  \
    add_experts(outputs, places, weights, stream, output, size, chosen, scale);                     \
  }
EXPERTS(f16, f16)
EXPERTS(bf16, bf16)
EXPERTS(float, f32)
