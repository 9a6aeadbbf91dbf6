// Instructions that C++ has no words for: matrix loads, matrix products and copies that run ahead.
//
// `emulator/ptx.h` has the same functions for a processor.
#pragma once

#include "numbers.cuh"

__device__ inline uint32_t shared_address(const void *place) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(place));
}

// Four 8 × 8 matrices of 16-bit numbers. Lane l names row l % 8 of matrix l / 8, 16 bytes; it gets
// the numbers 2 (l % 4) and 2 (l % 4) + 1 of row l / 4 of each.
__device__ inline void load_matrices(uint32_t (&to)[4], const void *row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(shared_address(row))
               : "memory");
}

// The same of the transposed matrices.
__device__ inline void load_matrices_transposed(uint32_t (&to)[4], const void *row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(shared_address(row))
               : "memory");
}

// sums += a · b, 16 × 16 by 16 × 8, summed in f32.
template <typename T>
__device__ void multiply_add_matrices(float (&sums)[4], const uint32_t (&a)[4],
                                      const uint32_t (&b)[2]);

#define MULTIPLY_ADD(TYPE, PTX_TYPE)                                                                \
  template <>                                                                                       \
  __device__ inline void multiply_add_matrices<TYPE>(float (&sums)[4], const uint32_t (&a)[4],      \
                                                     const uint32_t (&b)[2]) {                      \
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32." PTX_TYPE "." PTX_TYPE                     \
                 ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"             \
                 : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])                       \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));               \
  }
MULTIPLY_ADD(bf16, "bf16")
MULTIPLY_ADD(f16, "f16")
#undef MULTIPLY_ADD

// 16 bytes that nobody reads again, past the first cache. Loads begin in the order they are written in.
template <typename T> __device__ inline Pack<T> load_once(const T *source) {
  uint4 bits;
  asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(bits.x), "=r"(bits.y), "=r"(bits.z), "=r"(bits.w)
               : "l"(source));
  Pack<T> pack;
  memcpy(&pack, &bits, sizeof(pack));
  return pack;
}

// Begins to copy 16 bytes into shared memory, or to fill them with zeros.
__device__ inline void copy_ahead(void *target, const void *source, bool is_there) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
               :
               : "r"(shared_address(target)), "l"(source), "r"(is_there ? 16 : 0)
               : "memory");
}

// Ends a group of copies.
__device__ inline void commit_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }

// Waits until at most the newest `PENDING` groups of this thread are under way.
template <int PENDING> __device__ inline void await_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
}
