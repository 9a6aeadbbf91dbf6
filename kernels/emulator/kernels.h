// All kernels as C++, and their names.
#pragma once

#include "emulator.h"

#include "../embedding.cu"
#include "../experts.cu"
#include "../few_rows_product.cu"
#include "../finish_product.cu"
#include "../gated_activation.cu"
#include "../grouped_product.cu"
#include "../merge_attention.cu"
#include "../paged_attention.cu"
#include "../residual_norm.cu"
#include "../rotary_kv.cu"
#include "../token_logprob.cu"
#include "../widen.cu"

// KERNEL(NAME), which whoever includes this defines, for each of them.
#define EVERY_KERNEL                                                                                \
  EVERY_ATTENTION(BOTH_SHAPES)                                                                      \
  EVERY_TYPE(merge_attention)                                                                       \
  EVERY_TYPE(token_logprob)                                                                         \
  EVERY_TYPE(likeliest_token)                                                                       \
  KERNEL(token_surprisals)                                                                          \
  EVERY_TYPE(residual_norm)                                                                         \
  EVERY_TYPE(rotary_kv)                                                                             \
  EVERY_TYPE(gated_activation)                                                                      \
  EVERY_TYPE(finish_product)                                                                        \
  EVERY_TYPE(few_rows_product_1)                                                                    \
  EVERY_TYPE(few_rows_product_2)                                                                    \
  EVERY_TYPE(few_rows_product_4)                                                                    \
  EVERY_TYPE(grouped_product)                                                                       \
  EVERY_TYPE(embedding)                                                                             \
  EVERY_TYPE(choose_experts)                                                                        \
  KERNEL(group_rows)                                                                                \
  EVERY_TYPE(add_experts)                                                                           \
  EVERY_TYPE(widen_Q4_0)                                                                            \
  EVERY_TYPE(widen_Q4_1)                                                                            \
  EVERY_TYPE(widen_Q5_0)                                                                            \
  EVERY_TYPE(widen_Q5_1)                                                                            \
  EVERY_TYPE(widen_Q8_0)                                                                            \
  EVERY_TYPE(widen_Q8_1)                                                                            \
  EVERY_TYPE(widen_Q2K)                                                                             \
  EVERY_TYPE(widen_Q3K)                                                                             \
  EVERY_TYPE(widen_Q4K)                                                                             \
  EVERY_TYPE(widen_Q5K)                                                                             \
  EVERY_TYPE(widen_Q6K)                                                                             \
  EVERY_TYPE(widen_Q8K)                                                                             \
  EVERY_TYPE(widen_fp8)

#define EVERY_TYPE(NAME) KERNEL(NAME##_f32) KERNEL(NAME##_f16) KERNEL(NAME##_bf16)
#define EVERY_ATTENTION(USE)                                                                        \
  USE(f16, f16, 64, 64)                                                                             \
  USE(f16, f16, 96, 96)                                                                             \
  USE(f16, f16, 128, 128)                                                                           \
  USE(f16, f16, 192, 128)                                                                           \
  USE(f16, f16, 256, 256)                                                                           \
  USE(bf16, bf16, 64, 64)                                                                           \
  USE(bf16, bf16, 96, 96)                                                                           \
  USE(bf16, bf16, 128, 128)                                                                         \
  USE(bf16, bf16, 192, 128)                                                                         \
  USE(bf16, bf16, 256, 256)                                                                         \
  USE(float, f32, 128, 128)                                                                         \
  USE(float, f32, 256, 256)
#define BOTH_SHAPES(TYPE, SUFFIX, KEY, VALUE)                                                       \
  KERNEL(attention_prefill_##SUFFIX##_##KEY##_##VALUE)                                              \
  KERNEL(attention_decode_##SUFFIX##_##KEY##_##VALUE)
