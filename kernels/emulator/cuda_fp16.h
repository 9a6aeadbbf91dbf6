// 16-bit IEEE numbers on a processor: conversions only, rounding to nearest even.
#pragma once

#include <stdint.h>
#include <string.h>

struct __half {
  uint16_t bits;
};

inline float __half2float(__half number) {
  const uint32_t sign = static_cast<uint32_t>(number.bits & 0x8000) << 16;
  const uint32_t exponent = number.bits >> 10 & 0x1f, mantissa = number.bits & 0x3ff;
  // Subnormal numbers are multiples of 2⁻²⁴.
  float value = static_cast<float>(mantissa) * 0x1p-24f;
  if (exponent != 0) {
    const uint32_t wide = (exponent == 0x1f ? 0xffu : exponent + 112) << 23 | mantissa << 13;
    memcpy(&value, &wide, sizeof(value));
  }
  uint32_t bits;
  memcpy(&bits, &value, sizeof(bits));
  bits |= sign;
  memcpy(&value, &bits, sizeof(value));
  return value;
}

inline __half __float2half_rn(float number) {
  uint32_t bits;
  memcpy(&bits, &number, sizeof(bits));
  const uint16_t sign = bits >> 16 & 0x8000;
  bits &= 0x7fffffff;
  if (bits > 0x7f800000) return {0x7fff};
  // 65520 and more round to infinity.
  if (bits >= 0x477ff000) return {static_cast<uint16_t>(sign | 0x7c00)};
  // Below 2⁻¹⁴: the number of halves of 2⁻²⁴ is rounded by adding 0.5, whose last place is 2⁻²⁴.
  if (bits < 0x38800000) {
    float magnitude;
    memcpy(&magnitude, &bits, sizeof(magnitude));
    magnitude += 0.5f;
    memcpy(&bits, &magnitude, sizeof(bits));
    return {static_cast<uint16_t>(sign | (bits - 0x3f000000))};
  }
  bits += 0xfff + (bits >> 13 & 1);
  return {static_cast<uint16_t>(sign | (bits - 0x38000000) >> 13)};
}
