// A branch added to the residual stream, and the norm of the sum.
//
//   stream' = stream + branch_scale · branch        rounded to T, as it is kept
//   output  = (stream' − mean) / √(variance + ε) · (weight + weight_offset) + bias     layer norm
//   output  = stream' / √(mean of squares + ε) · (weight + weight_offset) + bias       RMS norm
// (Ba et al. 2016; Zhang & Sennrich 2019), in f32 throughout and rounded once.
//
//   input, output   rows of `stretches` stretches of `size` numbers, each normalised by itself; rows
//                   are input_stride and output_stride apart. They may be the same memory.
//   branch          (rows, size) or null, for one stretch
//   sum             (rows, size): stream', if there is a branch; may be the input's memory
//   weight, bias    (size) or null
//
// Launch: grid (rows, stretches), a multiple of 32 and at most 1024 threads.

#include "numbers.cuh"
#include "warp.cuh"

struct NormRule {
  float epsilon;
  float weight_offset;
  float branch_scale;
  uint32_t centred;  // layer norm
};

// N numbers at a time.
template <uint32_t N, typename T>
__device__ void add_and_normalise(const T *input, const T *branch, T *sum, T *output,
                                  const T *weight, const T *bias, uint32_t size,
                                  const NormRule &rule) {
  __shared__ float partials[WARP];
  const T *source = input;
  const auto own = [&](auto visit) {
    for (uint32_t place = threadIdx.x * N; place < size; place += blockDim.x * N) visit(place);
  };
  if (branch != nullptr) {
    own([&](uint32_t place) {
      float numbers[N], branches[N];
      load_wide(numbers, input + place);
      load_wide(branches, branch + place);
#pragma unroll
      for (uint32_t i = 0; i < N; i++) numbers[i] += rule.branch_scale * branches[i];
      store_narrow(sum + place, numbers);
    });
    // Each thread reads again what it wrote itself.
    source = sum;
  }
  const auto total = [&](auto of) {
    float sum = 0;
    own([&](uint32_t place) {
      float numbers[N];
      load_wide(numbers, source + place);
#pragma unroll
      for (uint32_t i = 0; i < N; i++) sum += of(numbers[i]);
    });
    return block_sum(sum, partials);
  };
  const float mean = rule.centred ? total([](float x) { return x; }) / size : 0.f;
  const float variance = total([&](float x) { return (x - mean) * (x - mean); }) / size;
  const float factor = 1.f / sqrtf(variance + rule.epsilon);
  own([&](uint32_t place) {
    float numbers[N], weights[N], biases[N];
    load_wide(numbers, source + place);
    if (weight != nullptr) load_wide(weights, weight + place);
    if (bias != nullptr) load_wide(biases, bias + place);
#pragma unroll
    for (uint32_t i = 0; i < N; i++) {
      numbers[i] = (numbers[i] - mean) * factor;
      if (weight != nullptr) numbers[i] *= weights[i] + rule.weight_offset;
      if (bias != nullptr) numbers[i] += biases[i];
    }
    store_narrow(output + place, numbers);
  });
}

template <typename T>
__device__ void residual_norm(const T *input, const T *branch, T *sum, T *output, const T *weight,
                              const T *bias, uint32_t size, uint32_t input_stride,
                              uint32_t output_stride, const NormRule &rule) {
  const bool packed = is_aligned(input, input_stride) && is_aligned(branch, size) &&
                      is_aligned(sum, size) && is_aligned(output, output_stride) &&
                      is_aligned(weight, size) && is_aligned(bias, size);
  const size_t row = blockIdx.x;
  const size_t first = blockIdx.y * size;
  input += row * input_stride + first;
  output += row * output_stride + first;
  if (branch != nullptr) {
    branch += row * size;
    sum += row * size;
  }
  if (packed)
    add_and_normalise<Pack<T>::SIZE>(input, branch, sum, output, weight, bias, size, rule);
  else
    add_and_normalise<1>(input, branch, sum, output, weight, bias, size, rule);
}

#define RESIDUAL_NORM(TYPE, SUFFIX)                                                                 \
  extern "C" __global__ void residual_norm_##SUFFIX(                                                \
      const TYPE *input, const TYPE *branch, TYPE *sum, TYPE *output, const TYPE *weight,           \
      const TYPE *bias, uint32_t size, uint32_t input_stride, uint32_t output_stride,               \
      NormRule rule) {                                                                              \
    residual_norm(input, branch, sum, output, weight, bias, size, input_stride, output_stride,      \
                  rule);                                                                            \
  }
RESIDUAL_NORM(f16, f16)
RESIDUAL_NORM(bf16, bf16)
RESIDUAL_NORM(float, f32)
