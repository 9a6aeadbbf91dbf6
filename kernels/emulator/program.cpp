// Runs one kernel on this processor: reads a launch from standard input, writes its buffers to
// standard output. `--tilings` lists the block shapes of attention instead.
//
// A launch, numbers little-endian and u32: length of the name, name, grid x, grid y, threads, stride of
// the order in which threads take turns, number of arguments; then for each argument its kind, its
// length in bytes and its bytes. The answer is the bytes of all buffers, one after the other.
//
// Buffers end where a page begins that may not be touched. The bytes of a LIST are buffers themselves, each its
// length and its bytes; the kernel gets their addresses, and they are not part of the answer.

#include "kernels.h"

#include <map>
#include <string>
#include <type_traits>
#include <utility>

namespace {

enum Kind : uint32_t { VALUE = 0, BUFFER = 1, ABSENT = 2, LIST = 3 };

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

// The addresses of the buffers of a list, in memory of their own.
void *addresses_of(const std::vector<unsigned char> &bytes) {
  std::vector<uint64_t> addresses;
  for (size_t place = 0; place < bytes.size();) {
    uint32_t length;
    memcpy(&length, &bytes[place], sizeof(length));
    void *const buffer = emulator::guarded(length);
    memcpy(buffer, &bytes[place + sizeof(length)], length);
    addresses.push_back(reinterpret_cast<uint64_t>(buffer));
    place += sizeof(length) + length;
  }
  void *const list = emulator::guarded(addresses.size() * sizeof(uint64_t));
  memcpy(list, addresses.data(), addresses.size() * sizeof(uint64_t));
  return list;
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
const std::map<std::string, Binder> kernels = {EVERY_KERNEL};

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
    if (argument.kind == LIST) argument.buffer = addresses_of(argument.bytes);
    if (argument.kind != BUFFER) continue;
    argument.buffer = emulator::guarded(argument.bytes.size());
    memcpy(argument.buffer, argument.bytes.data(), argument.bytes.size());
  }
  const auto found = kernels.find(name);
  if (found == kernels.end()) emulator::fail("no such kernel");
  emulator::run_grid(found->second(arguments), stride);
  for (const Argument &argument : arguments)
    if (argument.kind == BUFFER) fwrite(argument.buffer, 1, argument.bytes.size(), stdout);
  return fflush(stdout) == 0 ? 0 : 3;
}
