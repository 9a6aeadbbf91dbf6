// The upper half of f32 on a processor: conversions only, rounding to nearest even.
#pragma once

#include <stdint.h>
#include <string.h>

struct __nv_bfloat16 {
  uint16_t bits;
};

inline float __bfloat162float(__nv_bfloat16 number) {
  const uint32_t bits = static_cast<uint32_t>(number.bits) << 16;
  float value;
  memcpy(&value, &bits, sizeof(value));
  return value;
}

inline __nv_bfloat16 __float2bfloat16_rn(float number) {
  uint32_t bits;
  memcpy(&bits, &number, sizeof(bits));
  if ((bits & 0x7fffffff) > 0x7f800000) return {0x7fff};
  bits += 0x7fff + (bits >> 16 & 1);
  return {static_cast<uint16_t>(bits >> 16)};
}
