// What both steps of attention share: the shapes, the rule and the work that the host lays out.
#pragma once

#include "numbers.cuh"
#include "warp.cuh"

// Sizes of a layer. Keys lie at ((slot · key_heads) + head) · key_stride, values likewise; a stride is
// the size rounded up to 16 bytes, and what is beyond the size is zero.
struct AttentionShape {
  uint32_t heads, key_heads;
  uint32_t key_size, value_size;
  uint32_t key_stride, value_stride;
  uint32_t query_stride;  // numbers from one row's queries to the next row's
};

// What happens to scores besides the softmax.
struct AttentionRule {
  float scale;             // factor on query · key
  float soft_cap;          // cap · tanh(score / cap); 0 for none
  uint32_t window;         // a token sees itself and the window − 1 before it; 0 for all
  uint32_t slope_rounding; // what `slopes` add: SLOPES_EXACT or SLOPES_BF16
};
constexpr uint32_t SLOPES_EXACT = 0;
constexpr uint32_t SLOPES_BF16 = 1;

// Division by a number that many threads divide by, without dividing: exact for dividends below 2^32 / size.
struct Divisor {
  uint32_t size, factor;

  __device__ explicit Divisor(uint32_t size) : size(size), factor(0xffffffffu / size + 1) {}
  // The factor for 1 is 2^32, which is kept as 0.
  __device__ uint32_t quotient(uint32_t number) const {
    return factor == 0 ? number : __umulhi(number, factor);
  }
  __device__ uint32_t remainder(uint32_t number) const { return number - quotient(number) * size; }
};

// Query rows against a stretch of keys: the work of one block for each key head.
//
// The query heads of one key head are stacked, token after token: row s of the stack is head
// s % group of batch row first_row + s / group.
struct AttentionItem {
  uint32_t first_row;
  uint32_t first_stacked, stacked;  // rows of the stack
  uint32_t first_slot;              // slots[first_slot + position] is where a key is kept
  uint32_t first_key, end_key;      // positions of the keys
  uint32_t split;                   // which of the rows' partial results this is, or WHOLE
  uint32_t unused;
};
constexpr uint32_t WHOLE = 0xffffffffu;

// cap · tanh(score / cap), to a few units in the last place of the cap.
__device__ inline float capped(float score, float cap) {
  const float power = exponential(2.f * score / cap);
  return cap * (1.f - 2.f * reciprocal(1.f + power));
}

// What a score gets because of the places of its query and its key.
__device__ inline float slope_bias(const AttentionRule &rule, float slope, uint32_t query,
                                   uint32_t key) {
  const float place = static_cast<float>(key);
  if (rule.slope_rounding == SLOPES_EXACT) return slope * (place - static_cast<float>(query));
  return widen(narrow<bf16>(slope * widen(narrow<bf16>(place)))) * rule.scale;
}
