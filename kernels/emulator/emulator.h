// Runs kernels on a processor, so that they can be compared with a reference where there is no GPU.
//
// Included ahead of a .cu file, this header gives a C++ compiler CUDA's words. Blocks run one after
// another. The threads of a block are fibers that take turns at barriers and at warp instructions,
// in an order that the caller chooses: a missing barrier shows as a result that depends on the order.
// Mistakes that a device would answer with silence or a hang end the program with a message: lanes of
// a warp at different instructions, a barrier that not all threads reach, misaligned operands.
// Shared memory is full of not-a-numbers when a block begins.
//
// It models results, not time, and neither the register file nor memory ordering.
#pragma once

#include <math.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <deque>
#include <functional>
#include <vector>

#define __global__
#define __device__
#define __launch_bounds__(...)
// Blocks run one after another on one thread of the host, so what they share is the host's own.
#define __shared__ static

namespace emulator {

constexpr uint32_t LANES = 32;
constexpr size_t OPERAND_BYTES = 32;
constexpr size_t STACK_BYTES = 128 << 10;
constexpr size_t MOST_SHARED_BYTES = 227 << 10;

struct Index {
  uint32_t x, y, z;
};

[[noreturn]] inline void fail(const char *what);

// 16 bytes on their way to shared memory.
struct Copy {
  void *target;
  const void *source;
  bool is_there;
};

struct Fiber {
  ucontext_t start;
  jmp_buf place;
  bool has_begun = false, has_ended = false;
  // It may go on once the watched count is no longer what it was.
  const uint64_t *watched = nullptr;
  uint64_t seen = 0;
  std::vector<Copy> copies;
  std::deque<std::vector<Copy>> groups;
};

// What the lanes of a warp show each other. Two sets of operands: a lane that is ahead fills the second
// while others still read the first.
struct Exchange {
  uint64_t rounds = 0;
  uint32_t arrived = 0;
  const char *instruction = nullptr;
  alignas(16) unsigned char operands[2][LANES][OPERAND_BYTES];
};

struct Block {
  std::function<void()> kernel;
  std::vector<Fiber> fibers;
  std::vector<Exchange> warps;
  uint64_t barriers = 0;
  uint32_t at_barrier = 0;
  Fiber *running = nullptr;
  jmp_buf scheduler;
};

inline Block *block = nullptr;
inline const char *kernel_name = "";

}  // namespace emulator

inline emulator::Index threadIdx, blockIdx, blockDim, gridDim;

namespace emulator {
alignas(128) inline unsigned char shared_bytes[MOST_SHARED_BYTES];
}
inline unsigned char *launched_memory() { return emulator::shared_bytes; }

namespace emulator {

inline void fail(const char *what) {
  fprintf(stderr, "%s: %s (block %u, %u, thread %u)\n", kernel_name, what, blockIdx.x, blockIdx.y,
          threadIdx.x);
  exit(3);
}

// Lets other threads run until `count` changes.
inline void wait(const uint64_t &count, uint64_t seen) {
  Fiber *const own = block->running;
  own->watched = &count;
  own->seen = seen;
  if (_setjmp(own->place) == 0) _longjmp(block->scheduler, 1);
  own->watched = nullptr;
}

inline void barrier() {
  const uint64_t seen = block->barriers;
  if (++block->at_barrier == block->fibers.size()) {
    block->at_barrier = 0;
    block->barriers++;
  } else {
    wait(block->barriers, seen);
  }
}

// Shows the warp this lane's operand of `instruction`; all lanes' operands, once all have come.
template <typename T> inline const T *exchange(const char *instruction, const T &own) {
  static_assert(sizeof(T) <= OPERAND_BYTES, "operands are short");
  Exchange &warp = block->warps[threadIdx.x / LANES];
  unsigned char(*const operands)[OPERAND_BYTES] = warp.operands[warp.rounds % 2];
  memcpy(operands[threadIdx.x % LANES], &own, sizeof(T));
  if (warp.arrived == 0) warp.instruction = instruction;
  if (strcmp(warp.instruction, instruction) != 0) fail("lanes of a warp are at different instructions");
  const uint64_t seen = warp.rounds;
  if (++warp.arrived == LANES) {
    warp.arrived = 0;
    warp.rounds++;
  } else {
    wait(warp.rounds, seen);
  }
  return reinterpret_cast<const T *>(operands);
}

// Operands lie OPERAND_BYTES apart.
template <typename T> inline const T &operand(const T *operands, uint32_t lane) {
  return *reinterpret_cast<const T *>(reinterpret_cast<const unsigned char *>(operands) +
                                      lane * OPERAND_BYTES);
}

inline void fiber_main() {
  block->kernel();
  block->running->has_ended = true;
  _longjmp(block->scheduler, 1);
}

inline void resume(Fiber &fiber, uint32_t thread) {
  threadIdx = {thread, 0, 0};
  block->running = &fiber;
  if (_setjmp(block->scheduler) != 0) return;
  if (fiber.has_begun) _longjmp(fiber.place, 1);
  fiber.has_begun = true;
  setcontext(&fiber.start);
}

inline void *pages(size_t bytes) {
  void *const start = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) fail("out of memory");
  return start;
}

// Bytes that a buffer takes, which begins on 16 bytes and ends with a page.
struct Extent {
  size_t length, pages;
};
inline Extent extent(size_t bytes) {
  const size_t page = sysconf(_SC_PAGESIZE), length = (bytes + 15) / 16 * 16;
  return {length, (length + page - 1) / page * page};
}

// Memory behind which a page begins that may not be touched.
inline void *guarded(size_t bytes) {
  const auto [length, whole] = extent(bytes);
  const size_t page = sysconf(_SC_PAGESIZE);
  auto *const start = static_cast<unsigned char *>(pages(whole + page));
  if (mprotect(start + whole, page, PROT_NONE) != 0) fail("pages cannot be guarded");
  return start + whole - length;
}

inline void release(void *buffer, size_t bytes) {
  const auto [length, whole] = extent(bytes);
  munmap(static_cast<unsigned char *>(buffer) + length - whole, whole + sysconf(_SC_PAGESIZE));
}

// Runs one block. Threads take turns in the order of thread · stride modulo their number.
inline void run_block(const std::function<void()> &kernel, uint32_t threads, uint32_t stride,
                      unsigned char *stacks) {
  Block own;
  own.kernel = kernel;
  own.fibers.resize(threads);
  own.warps.resize(threads / LANES);
  block = &own;
  memset(shared_bytes, 0xff, sizeof(shared_bytes));
  for (uint32_t thread = 0; thread < threads; thread++) {
    ucontext_t &start = own.fibers[thread].start;
    getcontext(&start);
    start.uc_stack.ss_sp = stacks + thread * STACK_BYTES;
    start.uc_stack.ss_size = STACK_BYTES;
    start.uc_link = nullptr;
    makecontext(&start, fiber_main, 0);
  }
  for (bool has_live = true; has_live;) {
    bool has_moved = false;
    has_live = false;
    for (uint32_t turn = 0; turn < threads; turn++) {
      const uint32_t thread = static_cast<uint64_t>(turn) * stride % threads;
      Fiber &fiber = own.fibers[thread];
      if (fiber.has_ended) continue;
      has_live = true;
      if (fiber.watched != nullptr && *fiber.watched == fiber.seen) continue;
      has_moved = true;
      resume(fiber, thread);
    }
    if (has_live && !has_moved) fail("a barrier or a warp instruction that not all threads reach");
  }
  block = nullptr;
}

// Runs all blocks of `gridDim`, of `blockDim` threads.
inline void run_grid(const std::function<void()> &kernel, uint32_t stride) {
  static constexpr uint32_t MOST_THREADS = 1024;
  static auto *const stacks = static_cast<unsigned char *>(pages(MOST_THREADS * STACK_BYTES));
  if (blockDim.x == 0 || blockDim.x > MOST_THREADS || blockDim.x % LANES != 0)
    fail("a block of another size than whole warps");
  for (blockIdx.y = 0; blockIdx.y < gridDim.y; blockIdx.y++)
    for (blockIdx.x = 0; blockIdx.x < gridDim.x; blockIdx.x++)
      run_block(kernel, blockDim.x, stride, stacks);
}

}  // namespace emulator

inline uint32_t __umulhi(uint32_t one, uint32_t other) { return uint64_t(one) * other >> 32; }

inline void __syncthreads() { emulator::barrier(); }
inline void __syncwarp() { emulator::exchange("__syncwarp", 0); }

template <typename T> inline T __shfl_sync(uint32_t lanes, T number, uint32_t from) {
  if (lanes != 0xffffffffu) emulator::fail("only whole warps shuffle");
  return emulator::operand(emulator::exchange("__shfl_sync", number), from % emulator::LANES);
}
template <typename T> inline T __shfl_xor_sync(uint32_t lanes, T number, uint32_t step) {
  return __shfl_sync(lanes, number, threadIdx.x % emulator::LANES ^ step);
}
inline uint32_t __ballot_sync(uint32_t lanes, bool vote) {
  if (lanes != 0xffffffffu) emulator::fail("only whole warps vote");
  const bool *const votes = emulator::exchange("__ballot_sync", vote);
  uint32_t ballot = 0;
  for (uint32_t lane = 0; lane < emulator::LANES; lane++)
    ballot |= static_cast<uint32_t>(emulator::operand(votes, lane)) << lane;
  return ballot;
}
inline uint32_t __popc(uint32_t bits) { return __builtin_popcount(bits); }
inline uint32_t min(uint32_t a, uint32_t b) { return a < b ? a : b; }
inline uint32_t max(uint32_t a, uint32_t b) { return a > b ? a : b; }

struct alignas(16) uint4 {
  uint32_t x, y, z, w;
};
