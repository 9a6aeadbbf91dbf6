// Non-linearities of the feed-forward network: activation(gate) · up (Shazeer 2020).
//
//   gate    (rows, size), rows gate_stride apart
//   up      (rows, size), rows up_stride apart, or null: the activation alone
//   output  (rows, size); may be the gate's memory where the strides are equal
//
// Launch: grid (rows, any), any number of threads; blocks of a row share its numbers.

#include <math.h>

#include "numbers.cuh"

enum Activation : uint32_t {
  SILU = 0,          // x · sigmoid(x)
  GELU = 1,          // x · Φ(x), exact
  GELU_TANH = 2,     // its approximation by tanh
  RELU = 3,          // max(x, 0)
  RELU_SQUARED = 4,  // max(x, 0)²
  // x · sigmoid(slope · x) of x up to the limit; as a gate, times 1 + up within ± limit (gpt-oss)
  CLAMPED_SWISH = 5,
};

struct ActivationRule {
  uint32_t kind;
  float slope, limit;
};

__device__ inline float activated(float x, const ActivationRule &rule) {
  switch (rule.kind) {
    case SILU: return x / (1.f + expf(-x));
    case GELU: return 0.5f * x * (1.f + erff(x * 0.70710678118654752f));
    case GELU_TANH:
      // √(2/π)
      return 0.5f * x * (1.f + tanhf(0.79788456080286536f * (x + 0.044715f * x * x * x)));
    // What is not a number stays none.
    case RELU: return x < 0 ? 0.f : x;
    case RELU_SQUARED: return x < 0 ? 0.f : x * x;
    default: {
      const float cut = x > rule.limit ? rule.limit : x;
      return cut / (1.f + expf(-rule.slope * cut));
    }
  }
}

__device__ inline float up_factor(float up, const ActivationRule &rule) {
  if (rule.kind != CLAMPED_SWISH) return up;
  const float cut = up > rule.limit ? rule.limit : up;
  return (cut < -rule.limit ? -rule.limit : cut) + 1.f;
}

// N numbers at a time.
template <uint32_t N, typename T>
__device__ void activate(const T *gate, const T *up, T *output, uint32_t size,
                         const ActivationRule &rule) {
  const uint32_t thread = blockIdx.y * blockDim.x + threadIdx.x;
  const uint32_t threads = gridDim.y * blockDim.x;
  for (uint32_t place = thread * N; place < size; place += threads * N) {
    float numbers[N], ups[N];
    load_wide(numbers, gate + place);
    if (up != nullptr) load_wide(ups, up + place);
#pragma unroll
    for (uint32_t i = 0; i < N; i++) {
      numbers[i] = activated(numbers[i], rule);
      if (up != nullptr) numbers[i] *= up_factor(ups[i], rule);
    }
    store_narrow(output + place, numbers);
  }
}

template <typename T>
__device__ void activate_row(const T *gate, const T *up, T *output, uint32_t size,
                             uint32_t gate_stride, uint32_t up_stride, const ActivationRule &rule) {
  const bool packed = is_aligned(gate, gate_stride) && is_aligned(up, up_stride) &&
                      is_aligned(output, size);
  const size_t row = blockIdx.x;
  gate += row * gate_stride;
  if (up != nullptr) up += row * up_stride;
  output += row * size;
  if (packed)
    activate<Pack<T>::SIZE>(gate, up, output, size, rule);
  else
    activate<1>(gate, up, output, size, rule);
}

#define GATED_ACTIVATION(TYPE, SUFFIX)                                                              \
  extern "C" __global__ void gated_activation_##SUFFIX(                                             \
      const TYPE *gate, const TYPE *up, TYPE *output, uint32_t size, uint32_t gate_stride,          \
      uint32_t up_stride, ActivationRule rule) {                                                    \
    activate_row(gate, up, output, size, gate_stride, up_stride, rule);                             \
  }
GATED_ACTIVATION(f16, f16)
GATED_ACTIVATION(bf16, bf16)
GATED_ACTIVATION(float, f32)
