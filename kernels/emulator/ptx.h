// The instructions of `ptx.cuh` on a processor, from the fragment layouts of the PTX ISA.
#pragma once

#include "../numbers.cuh"
#include "emulator.h"

namespace emulator {

inline void check_row(const void *row) {
  const auto place = static_cast<const unsigned char *>(row) - shared_bytes;
  if (place < 0 || place + 16 > static_cast<ptrdiff_t>(MOST_SHARED_BYTES))
    fail("a matrix row outside shared memory");
  if (place % 16 != 0) fail("a matrix row that does not begin on 16 bytes");
}

// Number `column` of row `row` of matrix `matrix`; lane 8 · matrix + row named that row.
inline uint32_t matrix_number(const void *const *rows, uint32_t matrix, uint32_t row,
                              uint32_t column) {
  const void *const start = operand(rows, 8 * matrix + row);
  return static_cast<const uint16_t *>(start)[column];
}

}  // namespace emulator

inline void load_matrices(uint32_t (&to)[4], const void *row) {
  emulator::check_row(row);
  const void *const *const rows = emulator::exchange("ldmatrix", row);
  const uint32_t lane = threadIdx.x % 32;
  for (uint32_t matrix = 0; matrix < 4; matrix++) {
    const uint32_t first = emulator::matrix_number(rows, matrix, lane / 4, 2 * (lane % 4));
    const uint32_t second = emulator::matrix_number(rows, matrix, lane / 4, 2 * (lane % 4) + 1);
    to[matrix] = first | second << 16;
  }
}

inline void load_matrices_transposed(uint32_t (&to)[4], const void *row) {
  emulator::check_row(row);
  const void *const *const rows = emulator::exchange("ldmatrix.trans", row);
  const uint32_t lane = threadIdx.x % 32;
  for (uint32_t matrix = 0; matrix < 4; matrix++) {
    const uint32_t first = emulator::matrix_number(rows, matrix, 2 * (lane % 4), lane / 4);
    const uint32_t second = emulator::matrix_number(rows, matrix, 2 * (lane % 4) + 1, lane / 4);
    to[matrix] = first | second << 16;
  }
}

template <typename T>
inline void multiply_add_matrices(float (&sums)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  struct Operands {
    uint32_t a[4], b[2];
  } own;
  memcpy(own.a, a, sizeof(a));
  memcpy(own.b, b, sizeof(b));
  const Operands *const all = emulator::exchange("mma", own);
  const auto number = [](uint32_t both, uint32_t half) {
    const uint16_t bits = both >> 16 * half;
    T value;
    memcpy(&value, &bits, sizeof(value));
    return widen(value);
  };
  // Where an element of either operand lives: its lane, its register and its half of that.
  const auto left = [&](uint32_t row, uint32_t k) {
    const uint32_t lane = row % 8 * 4 + k % 8 / 2;
    return number(emulator::operand(all, lane).a[row / 8 + 2 * (k / 8)], k % 2);
  };
  const auto right = [&](uint32_t k, uint32_t column) {
    const uint32_t lane = column * 4 + k % 8 / 2;
    return number(emulator::operand(all, lane).b[k / 8], k % 2);
  };
  const uint32_t lane = threadIdx.x % 32;
  for (uint32_t i = 0; i < 4; i++) {
    const uint32_t row = lane / 4 + 8 * (i / 2), column = lane % 4 * 2 + i % 2;
    for (uint32_t k = 0; k < 16; k++) sums[i] += left(row, k) * right(k, column);
  }
}

template <typename T> inline Pack<T> load_once(const T *source) { return load_pack(source); }

// Copies happen when they are waited for, and not before.
inline void copy_ahead(void *target, const void *source, bool is_there) {
  emulator::check_row(target);
  if (reinterpret_cast<uintptr_t>(source) % 16 != 0) emulator::fail("a copy from a misaligned place");
  emulator::block->running->copies.push_back({target, source, is_there});
}

inline void commit_copies() {
  emulator::Fiber &own = *emulator::block->running;
  own.groups.push_back(std::move(own.copies));
  own.copies.clear();
}

template <int PENDING> inline void await_copies() {
  auto &groups = emulator::block->running->groups;
  for (; groups.size() > PENDING; groups.pop_front()) {
    for (const emulator::Copy &copy : groups.front()) {
      if (copy.is_there)
        memcpy(copy.target, copy.source, 16);
      else
        memset(copy.target, 0, 16);
    }
  }
}
