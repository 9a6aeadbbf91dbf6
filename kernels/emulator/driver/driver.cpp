// A stand-in for NVIDIA's driver, libcuda.so.1: what candle and cudarc call of it.
//
// Work is done when it is asked for, so every stream is in order. Device memory is host memory that is
// full of not-a-numbers when it is taken, ends where a page begins that may not be touched, and is gone
// once it is given back. A launch with the stream or module of a device that is not the thread's is
// refused; one with memory of another device or stream ends the program, for nothing orders them.
//
// EMULATED_GPUS is the number of devices (1), EMULATED_GPU_MIB the memory of each (4096).

#include "../kernels.h"

#include <map>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>

#include "candle.h"
#include "devices.h"

namespace {

enum Result : int {
  SUCCESS = 0,
  INVALID_VALUE = 1,
  OUT_OF_MEMORY = 2,
  NO_DEVICE = 100,
  INVALID_DEVICE = 101,
  INVALID_CONTEXT = 201,
  INVALID_HANDLE = 400,
};

size_t setting(const char *name, size_t otherwise) {
  const char *const text = getenv(name);
  return text == nullptr ? otherwise : strtoul(text, nullptr, 10);
}

const size_t DEVICE_BYTES = setting("EMULATED_GPU_MIB", 4096) << 20;
std::vector<Device> devices = [] {
  std::vector<Device> devices(setting("EMULATED_GPUS", 1));
  for (size_t i = 0; i < devices.size(); i++) devices[i] = {static_cast<int>(i), 0};
  return devices;
}();
thread_local Device *current = nullptr;

// Kernels, and with them all that the emulator keeps, run one after another; memory has its own lock.
std::mutex launching, remembering;

struct Region {
  size_t bytes;
  Device *device;
  void *stream;  // in whose order it was taken; null for all
};
std::map<uintptr_t, Region> regions;

struct Stream {
  Device *device;
};

// Whatever the image, a module has all kernels.
struct Module {
  Device *device;
};

using Bound = std::function<void()>;
using Binder = std::function<Bound(void *stream, void **)>;

struct Kernel {
  Binder binder;
  bool has_threads;  // or is a loop over all of them
};

struct Function {
  Device *device;
  std::string name;
  const Kernel *kernel;
  unsigned most_shared_bytes;
};

template <typename T> T parameter(void *stream, const void *place) {
  T value;
  memcpy(&value, place, sizeof(T));
  if constexpr (std::is_pointer_v<T>) {
    if (value != nullptr) check_memory(stream, value, 1);
  }
  return value;
}

template <typename... T, size_t... I>
Bound bound(void (*kernel)(T...), void *stream, void **parameters, std::index_sequence<I...>) {
  return [kernel, values = std::make_tuple(parameter<T>(stream, parameters[I])...)] {
    std::apply(kernel, values);
  };
}

template <typename... T> Binder binder(void (*kernel)(T...)) {
  return [kernel](void *stream, void **parameters) {
    return bound(kernel, stream, parameters, std::index_sequence_for<T...>());
  };
}

const std::map<std::string, Kernel> kernels = [] {
#define KERNEL(NAME) {#NAME, {binder(NAME), true}},
  std::map<std::string, Kernel> kernels = {EVERY_KERNEL};
  candle::each([&](const std::string &name, auto kernel) {
    kernels[name] = {binder(kernel), false};
  });
  return kernels;
}();

Result take(uintptr_t *place, size_t bytes, void *stream) {
  Device *const device = device_of(stream);
  if (device == nullptr) return INVALID_CONTEXT;
  if (bytes == 0) return INVALID_VALUE;
  const std::lock_guard<std::mutex> lock(remembering);
  if (bytes > DEVICE_BYTES - device->taken_bytes) return OUT_OF_MEMORY;
  void *const buffer = emulator::guarded(bytes);
  memset(buffer, 0xff, bytes);
  *place = reinterpret_cast<uintptr_t>(buffer);
  regions[*place] = {bytes, device, stream};
  device->taken_bytes += bytes;
  return SUCCESS;
}

Result give_back(uintptr_t place) {
  const std::lock_guard<std::mutex> lock(remembering);
  const auto found = regions.find(place);
  if (found == regions.end()) return INVALID_VALUE;
  found->second.device->taken_bytes -= found->second.bytes;
  emulator::release(reinterpret_cast<void *>(place), found->second.bytes);
  regions.erase(found);
  return SUCCESS;
}

// Copies between the host and the device of a stream, or within it.
Result copy(void *to, const void *from, size_t bytes, void *stream, bool to_device, bool from_device) {
  if (device_of(stream) == nullptr) return INVALID_CONTEXT;
  if (to_device) check_memory(stream, to, bytes);
  if (from_device) check_memory(stream, from, bytes);
  memmove(to, from, bytes);
  return SUCCESS;
}

void *at(uintptr_t place) { return reinterpret_cast<void *>(place); }

}  // namespace

Device *device_of(void *stream) {
  // Null is the device's own stream, 2 that of this thread.
  return reinterpret_cast<uintptr_t>(stream) <= 2 ? current : static_cast<Stream *>(stream)->device;
}

void check_memory(void *stream, const void *place, size_t bytes) {
  const std::lock_guard<std::mutex> lock(remembering);
  const auto address = reinterpret_cast<uintptr_t>(place);
  const auto after = regions.upper_bound(address);
  if (after == regions.begin()) emulator::fail("memory that nobody has taken");
  const auto &[start, region] = *std::prev(after);
  // An empty part may lie at the end.
  if (address > start + region.bytes || bytes > start + region.bytes - address)
    if (bytes > 1 || address != start + region.bytes) emulator::fail("memory that nobody has taken");
  if (region.device != device_of(stream)) emulator::fail("memory of another device");
  if (region.stream != nullptr && region.stream != stream) emulator::fail("memory of another stream");
}

extern "C" {

int cuInit(unsigned) { return devices.empty() ? NO_DEVICE : SUCCESS; }

int cuGetErrorName(int error, const char **text) {
  static const std::map<int, const char *> names = {
      {INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE"},
      {OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY"},
      {NO_DEVICE, "CUDA_ERROR_NO_DEVICE"},
      {INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE"},
      {INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT"},
      {INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE"},
  };
  const auto found = names.find(error);
  *text = found == names.end() ? "an error that the emulator does not know" : found->second;
  return SUCCESS;
}
int cuGetErrorString(int error, const char **text) {
  cuGetErrorName(error, text);
  // candle knows by these words that memory is full.
  if (error == OUT_OF_MEMORY) *text = "out of memory";
  return SUCCESS;
}

// Devices and contexts; a device's one context is the device.

int cuDeviceGetCount(int *count) {
  *count = static_cast<int>(devices.size());
  return SUCCESS;
}
int cuDeviceGet(int *device, int number) {
  if (number < 0 || static_cast<size_t>(number) >= devices.size()) return INVALID_DEVICE;
  *device = number;
  return SUCCESS;
}
int cuDeviceGetName(char *name, int length, int) {
  snprintf(name, length, "emulator");
  return SUCCESS;
}
int cuDeviceTotalMem_v2(size_t *bytes, int) {
  *bytes = DEVICE_BYTES;
  return SUCCESS;
}
int cuDeviceGetAttribute(int *value, int attribute, int) {
  static const std::map<int, int> values = {
      {1, 1024},  // threads of a block
      {16, 4},    // multiprocessors
      {75, 8},    // compute capability 8.0
      {76, 0},
      {115, 1},  // memory pools
  };
  const auto found = values.find(attribute);
  *value = found == values.end() ? 0 : found->second;
  return SUCCESS;
}
int cuDevicePrimaryCtxRetain(Device **context, int device) {
  *context = &devices[device];
  return SUCCESS;
}
int cuDevicePrimaryCtxRelease_v2(int) { return SUCCESS; }
int cuCtxGetCurrent(Device **context) {
  *context = current;
  return SUCCESS;
}
int cuCtxSetCurrent(Device *context) {
  current = context;
  return SUCCESS;
}
int cuCtxSynchronize() { return current == nullptr ? INVALID_CONTEXT : SUCCESS; }

// Streams and events.

int cuStreamCreate(Stream **stream, unsigned) {
  if (current == nullptr) return INVALID_CONTEXT;
  *stream = new Stream{current};
  return SUCCESS;
}
int cuStreamDestroy_v2(Stream *stream) {
  delete stream;
  return SUCCESS;
}
int cuStreamSynchronize(void *) { return SUCCESS; }
int cuStreamWaitEvent(void *, void *, unsigned) { return SUCCESS; }
int cuStreamIsCapturing(void *, int *is_capturing) {
  *is_capturing = 0;
  return SUCCESS;
}
int cuEventCreate(void **event, unsigned) {
  *event = new char;
  return SUCCESS;
}
int cuEventDestroy_v2(void *event) {
  delete static_cast<char *>(event);
  return SUCCESS;
}
int cuEventRecord(void *, void *) { return SUCCESS; }
int cuEventSynchronize(void *) { return SUCCESS; }
int cuEventQuery(void *) { return SUCCESS; }

// Memory.

int cuMemGetInfo_v2(size_t *free_bytes, size_t *bytes) {
  if (current == nullptr) return INVALID_CONTEXT;
  const std::lock_guard<std::mutex> lock(remembering);
  *free_bytes = DEVICE_BYTES - current->taken_bytes;
  *bytes = DEVICE_BYTES;
  return SUCCESS;
}
int cuDeviceGetDefaultMemPool(Device **pool, int device) {
  *pool = &devices[device];
  return SUCCESS;
}
int cuMemPoolSetAttribute(Device *, int, void *) { return SUCCESS; }
int cuMemAlloc_v2(uintptr_t *place, size_t bytes) { return take(place, bytes, nullptr); }
int cuMemAllocAsync(uintptr_t *place, size_t bytes, void *stream) {
  return take(place, bytes, stream);
}
int cuMemFree_v2(uintptr_t place) { return give_back(place); }
int cuMemFreeAsync(uintptr_t place, void *) { return give_back(place); }
int cuMemcpyHtoDAsync_v2(uintptr_t to, const void *from, size_t bytes, void *stream) {
  return copy(at(to), from, bytes, stream, true, false);
}
int cuMemcpyDtoHAsync_v2(void *to, uintptr_t from, size_t bytes, void *stream) {
  return copy(to, at(from), bytes, stream, false, true);
}
int cuMemcpyDtoDAsync_v2(uintptr_t to, uintptr_t from, size_t bytes, void *stream) {
  return copy(at(to), at(from), bytes, stream, true, true);
}
int cuMemsetD8Async(uintptr_t place, unsigned char byte, size_t bytes, void *stream) {
  if (device_of(stream) == nullptr) return INVALID_CONTEXT;
  check_memory(stream, at(place), bytes);
  memset(at(place), byte, bytes);
  return SUCCESS;
}

// Kernels.

int cuModuleLoadData(Module **module, const void *) {
  if (current == nullptr) return INVALID_CONTEXT;
  *module = new Module{current};
  return SUCCESS;
}
int cuModuleUnload(Module *module) {
  delete module;
  return SUCCESS;
}
int cuModuleGetFunction(Function **function, const Module *module, const char *name) {
  const auto found = kernels.find(name);
  const Kernel *const kernel = found == kernels.end() ? nullptr : &found->second;
  *function = new Function{module->device, name, kernel, 48 << 10};
  return SUCCESS;
}
int cuFuncSetAttribute(Function *function, int attribute, int value) {
  static constexpr int MOST_DYNAMIC_SHARED_BYTES = 8;
  if (attribute != MOST_DYNAMIC_SHARED_BYTES) return SUCCESS;
  // Devices of capability 8.6 and 8.9 have no more.
  if (value < 0 || value > 99 << 10) return INVALID_VALUE;
  function->most_shared_bytes = value;
  return SUCCESS;
}
int cuLaunchKernel(const Function *function, unsigned x, unsigned y, unsigned z, unsigned threads,
                   unsigned threads_y, unsigned threads_z, unsigned shared_bytes, void *stream,
                   void **parameters, void **) {
  const std::lock_guard<std::mutex> lock(launching);
  emulator::kernel_name = function->name.c_str();
  threadIdx = blockIdx = {0, 0, 0};
  if (function->kernel == nullptr) emulator::fail("no such kernel in the emulator");
  if (function->device != current || device_of(stream) != current) return INVALID_HANDLE;
  if (x == 0 || y == 0 || z != 1 || x > 0x7fffffff || y > 0xffff) return INVALID_VALUE;
  if (threads == 0 || threads > 1024 || threads_y != 1 || threads_z != 1) return INVALID_VALUE;
  if (shared_bytes > function->most_shared_bytes) return INVALID_VALUE;
  gridDim = {x, y, 1};
  blockDim = {threads, 1, 1};
  const Bound kernel = function->kernel->binder(stream, parameters);
  if (function->kernel->has_threads)
    emulator::run_grid(kernel, 1);
  else
    kernel();
  return SUCCESS;
}

}  // extern "C"
