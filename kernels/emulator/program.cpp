// Runs one kernel on this processor: reads a launch from standard input, writes its buffers to
// standard output. `--tilings` lists the block shapes of attention instead.
//
// A launch, numbers little-endian and u32: length of the name, name, grid x, grid y, threads, stride of
// the order in which threads take turns, number of arguments; then for each argument its kind, its
// length in bytes and its bytes. The answer is the bytes of all buffers, one after the other.
//
// Buffers end where a page begins that may not be touched.

#include "emulator.h"

#include "../embedding.cu"
#include "../experts.cu"
#include "../gated_activation.cu"
#include "../merge_attention.cu"
#include "../paged_attention.cu"
#include "../residual_norm.cu"
#include "../rotary_kv.cu"
#include "../token_logprob.cu"

#include <unistd.h>

#include <map>
#include <string>
#include <type_traits>
#include <utility>

namespace {

enum Kind : uint32_t { VALUE = 0, BUFFER = 1, ABSENT = 2 };

struct Argument {
  uint32_t kind;
  std::vector<unsigned char> bytes;
  void *buffer = nullptr;
};

void read_exactly(void *to, size_t bytes) {
  if (fread(to, 1, bytes, stdin) != bytes) emulator::fail("a launch that ends too early");
}

uint32_t read_number() {
  uint32_t number;
  read_exactly(&number, sizeof(number));
  return number;
}

void *guarded(const std::vector<unsigned char> &bytes) {
  const size_t page = sysconf(_SC_PAGESIZE);
  // Device memory begins on 16 bytes.
  const size_t length = (bytes.size() + 15) / 16 * 16;
  const size_t whole = (length + page - 1) / page * page;
  auto *const start = static_cast<unsigned char *>(emulator::pages(whole + page));
  if (mprotect(start + whole, page, PROT_NONE) != 0) emulator::fail("pages cannot be guarded");
  unsigned char *const buffer = start + whole - length;
  memcpy(buffer, bytes.data(), bytes.size());
  return buffer;
}

template <typename T> T value_of(const Argument &argument) {
  if constexpr (std::is_pointer_v<T>) {
    if (argument.kind == VALUE) emulator::fail("a value in place of a buffer");
    return static_cast<T>(argument.buffer);
  } else {
    T value;
    if (argument.kind != VALUE || argument.bytes.size() != sizeof(T))
      emulator::fail("a value of another size");
    memcpy(&value, argument.bytes.data(), sizeof(T));
    return value;
  }
}

using Bound = std::function<void()>;
using Binder = std::function<Bound(const std::vector<Argument> &)>;

template <typename... T, size_t... I>
Bound bound(void (*kernel)(T...), const std::vector<Argument> &arguments, std::index_sequence<I...>) {
  if (arguments.size() != sizeof...(T)) emulator::fail("another number of arguments");
  return [=] { kernel(value_of<T>(arguments[I])...); };
}

template <typename... T> Binder binder(void (*kernel)(T...)) {
  return [kernel](const std::vector<Argument> &arguments) {
    return bound(kernel, arguments, std::index_sequence_for<T...>());
  };
}

#define KERNEL(NAME) {#NAME, binder(NAME)},
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

const std::map<std::string, Binder> kernels = {
    EVERY_ATTENTION(BOTH_SHAPES)
    EVERY_TYPE(merge_attention)
    EVERY_TYPE(token_logprob)
    EVERY_TYPE(likeliest_token)
    KERNEL(token_surprisals)
    EVERY_TYPE(residual_norm)
    EVERY_TYPE(rotary_kv)
    EVERY_TYPE(gated_activation)
    EVERY_TYPE(embedding)
    EVERY_TYPE(choose_experts)
    KERNEL(group_rows)
    EVERY_TYPE(add_experts)
};

template <typename Tile> void list_tiling(const char *name) {
  printf("%s %d %d %d\n", name, Tile::ROWS, Tile::THREADS, Tile::SHARED_BYTES);
}

#define LIST(TYPE, SUFFIX, KEY, VALUE)                                                              \
  list_tiling<Tiling<TYPE, KEY, VALUE, true>>("attention_prefill_" #SUFFIX "_" #KEY "_" #VALUE);    \
  list_tiling<Tiling<TYPE, KEY, VALUE, false>>("attention_decode_" #SUFFIX "_" #KEY "_" #VALUE);

}  // namespace

int main(int count, char **words) {
  if (count > 1 && strcmp(words[1], "--tilings") == 0) {
    EVERY_ATTENTION(LIST)
    return 0;
  }
  std::string name(read_number(), ' ');
  read_exactly(name.data(), name.size());
  emulator::kernel_name = name.c_str();
  gridDim = {read_number(), 1, 1};
  gridDim.y = read_number();
  blockDim = {read_number(), 1, 1};
  const uint32_t stride = read_number();
  std::vector<Argument> arguments(read_number());
  for (Argument &argument : arguments) {
    argument.kind = read_number();
    argument.bytes.resize(read_number());
    read_exactly(argument.bytes.data(), argument.bytes.size());
    if (argument.kind == BUFFER) argument.buffer = guarded(argument.bytes);
  }
  const auto found = kernels.find(name);
  if (found == kernels.end()) emulator::fail("no such kernel");
  if (blockDim.x == 0 || blockDim.x > 1024 || blockDim.x % 32 != 0)
    emulator::fail("a block of another size than whole warps");
  const Bound kernel = found->second(arguments);
  auto *const stacks =
      static_cast<unsigned char *>(emulator::pages(blockDim.x * emulator::STACK_BYTES));
  for (blockIdx.y = 0; blockIdx.y < gridDim.y; blockIdx.y++)
    for (blockIdx.x = 0; blockIdx.x < gridDim.x; blockIdx.x++)
      emulator::run_block(kernel, blockDim.x, stride, stacks);
  for (const Argument &argument : arguments)
    if (argument.kind == BUFFER) fwrite(argument.buffer, 1, argument.bytes.size(), stdout);
  return fflush(stdout) == 0 ? 0 : 3;
}
