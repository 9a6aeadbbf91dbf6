// A stand-in for NVIDIA's driver, libcuda.so.1: what candle and cudarc call of it.
//
// A stream's work is done in order and as late as it may: when somebody waits for it, or copies from or to
// memory of the host that is not pinned. Whoever changes pinned memory too early, or reads it, sees that.
// Device memory is host memory that is full of not-a-numbers when it is taken, ends where a page begins
// that may not be touched, and is gone once it is given back. A launch with the stream or module of a
// device that is not the thread's is refused; one with memory of another device or stream ends the
// program, for nothing orders them.
//
//   EMULATED_GPUS              the number of devices (1)
//   EMULATED_GPU_MIB           the memory of each (4096)
//   EMULATED_GPU_CAPABILITY    what each is capable of (80, which is 8.0)
//   EMULATED_DRIVER            the version of CUDA that the driver knows (13000, which is 13.0)
//   EMULATED_GPU_FULL_AT       the number of a request for memory that finds none (0: all find some)
//   EMULATED_GPU_BREAKS_AT     the number of a launch in which a device breaks (0: none does)
//   EMULATED_GPU_JOURNAL       a file that takes a line for every call (journal.h)

#include "../kernels.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <type_traits>
#include <utility>

#include "candle.h"
#include "devices.h"
#include "journal.h"

namespace {

enum Result : int {
  SUCCESS = 0,
  INVALID_VALUE = 1,
  OUT_OF_MEMORY = 2,
  NO_DEVICE = 100,
  INVALID_DEVICE = 101,
  INVALID_CONTEXT = 201,
  INVALID_HANDLE = 400,
  NOT_READY = 600,
  ILLEGAL_ADDRESS = 700,
};

const size_t DEVICE_BYTES = setting("EMULATED_GPU_MIB", 4096) << 20;
const int CAPABILITY = static_cast<int>(setting("EMULATED_GPU_CAPABILITY", 80));
std::vector<Device> devices = [] {
  std::vector<Device> devices(setting("EMULATED_GPUS", 1));
  for (size_t i = 0; i < devices.size(); i++)
    devices[i] = {static_cast<int>(i), 0, 0, false, false};
  return devices;
}();
thread_local Device *current = nullptr;

// Calls come one after another.
std::recursive_mutex calling;
using Turn = std::lock_guard<std::recursive_mutex>;

struct Region {
  size_t bytes;
  Device *device;
  void *stream;  // in whose order it was taken; null for all
};
std::map<uintptr_t, Region> regions;
// Memory of the host that devices copy from and to by themselves.
std::map<uintptr_t, size_t> pinned;

struct Work {
  std::string name;
  std::function<void()> act;
};

struct Stream {
  Device *device;
  std::deque<Work> queue;
  uint64_t asked = 0, done = 0;
};
std::set<Stream *> streams;

struct Event {
  Stream *stream = nullptr;
  uint64_t asked = 0;
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

// The streams that every device and every thread has do their work at once.
Stream *stream_of(void *stream) {
  return reinterpret_cast<uintptr_t>(stream) <= 2 ? nullptr : static_cast<Stream *>(stream);
}

// Does what a stream was asked first, up to this number.
void wait_for(Stream *stream, uint64_t asked) {
  while (stream != nullptr && stream->done < asked && !stream->queue.empty()) {
    const Work work = std::move(stream->queue.front());
    stream->queue.pop_front();
    stream->done++;
    if (stream->device->is_broken) continue;
    emulator::kernel_name = work.name.c_str();
    threadIdx = blockIdx = {0, 0, 0};
    work.act();
  }
}

void wait_for(void *stream) {
  if (Stream *const own = stream_of(stream)) wait_for(own, own->asked);
}

void wait_for_all(const Device *device) {
  for (Stream *const stream : streams)
    if (stream->device == device) wait_for(stream, stream->asked);
}

// What a call has to say once a device is broken.
Result state(const Device *device) {
  if (device == nullptr) return INVALID_CONTEXT;
  if (!device->is_broken) return SUCCESS;
  note(device, "refused");
  return ILLEGAL_ADDRESS;
}

Result waited(const Device *device) {
  note(device, "wait");
  return state(device);
}

Result take(uintptr_t *place, size_t bytes, void *stream) {
  const Turn turn(calling);
  Device *const device = device_of(stream);
  if (const Result broken = state(device)) return broken;
  if (bytes == 0) return INVALID_VALUE;
  note(device, "take %zu", bytes);
  static size_t requests = 0;
  static const size_t full_at = setting("EMULATED_GPU_FULL_AT", 0);
  if (++requests == full_at || bytes > DEVICE_BYTES - device->taken_bytes) return OUT_OF_MEMORY;
  void *const buffer = emulator::guarded(bytes);
  memset(buffer, 0xff, bytes);
  *place = reinterpret_cast<uintptr_t>(buffer);
  regions[*place] = {bytes, device, stream};
  device->taken_bytes += bytes;
  device->kept_bytes = std::max(device->kept_bytes, device->taken_bytes);
  return SUCCESS;
}

Result give_back(uintptr_t place, void *stream) {
  const Turn turn(calling);
  const auto found = regions.find(place);
  if (found == regions.end()) return INVALID_VALUE;
  const Region region = found->second;
  note(region.device, "give_back %zu", region.bytes);
  region.device->taken_bytes -= region.bytes;
  if (!region.device->keeps_memory) region.device->kept_bytes = region.device->taken_bytes;
  regions.erase(found);
  ask(stream, "cuMemFree",
      [=] { emulator::release(reinterpret_cast<void *>(place), region.bytes); });
  return SUCCESS;
}

bool is_pinned(const void *place) {
  const auto address = reinterpret_cast<uintptr_t>(place);
  const auto after = pinned.upper_bound(address);
  return after != pinned.begin() && address < std::prev(after)->first + std::prev(after)->second;
}

// Copies between the host and the device of a stream.
Result copy(void *to, const void *from, size_t bytes, void *stream, bool to_device) {
  const Turn turn(calling);
  const Device *const device = device_of(stream);
  if (const Result broken = state(device)) return broken;
  check_memory(stream, to_device ? to : from, bytes);
  const bool waits = !is_pinned(to_device ? from : to);
  note(device, "%s %zu %s", to_device ? "to_device" : "to_host", bytes, waits ? "pageable" : "pinned");
  ask(stream, "cuMemcpyAsync", [=] { memcpy(to, from, bytes); });
  if (waits) wait_for(stream);
  return state(device);
}

void *at(uintptr_t place) { return reinterpret_cast<void *>(place); }

}  // namespace

size_t setting(const char *name, size_t otherwise) {
  const char *const text = getenv(name);
  return text == nullptr ? otherwise : strtoul(text, nullptr, 10);
}

void ask(void *stream, const char *name, std::function<void()> work) {
  const Turn turn(calling);
  Stream *const own = stream_of(stream);
  if (own == nullptr) return work();
  own->queue.push_back({name, std::move(work)});
  own->asked++;
}

Device *device_of(void *stream) {
  // Null is the device's own stream, 2 that of this thread.
  return reinterpret_cast<uintptr_t>(stream) <= 2 ? current : static_cast<Stream *>(stream)->device;
}

void check_memory(void *stream, const void *place, size_t bytes) {
  const Turn turn(calling);
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
int cuDriverGetVersion(int *version) {
  *version = static_cast<int>(setting("EMULATED_DRIVER", 13000));
  return SUCCESS;
}

int cuGetErrorName(int error, const char **text) {
  static const std::map<int, const char *> names = {
      {INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE"},
      {OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY"},
      {NO_DEVICE, "CUDA_ERROR_NO_DEVICE"},
      {INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE"},
      {INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT"},
      {INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE"},
      {NOT_READY, "CUDA_ERROR_NOT_READY"},
      {ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS"},
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
      {1, 1024},               // threads of a block
      {16, 4},                 // multiprocessors
      {75, CAPABILITY / 10},   // compute capability
      {76, CAPABILITY % 10},
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
int cuCtxSynchronize() {
  const Turn turn(calling);
  if (current == nullptr) return INVALID_CONTEXT;
  wait_for_all(current);
  return waited(current);
}

// Streams and events.

int cuStreamCreate(Stream **stream, unsigned) {
  const Turn turn(calling);
  if (const Result broken = state(current)) return broken;
  *stream = new Stream{current};
  streams.insert(*stream);
  return SUCCESS;
}
int cuStreamDestroy_v2(Stream *stream) {
  const Turn turn(calling);
  wait_for(stream, stream->asked);
  streams.erase(stream);
  delete stream;
  return SUCCESS;
}
int cuStreamSynchronize(void *stream) {
  const Turn turn(calling);
  wait_for(stream);
  return waited(device_of(stream));
}
int cuStreamWaitEvent(void *, const Event *event, unsigned) {
  const Turn turn(calling);
  wait_for(event->stream, event->asked);
  return SUCCESS;
}
int cuStreamIsCapturing(void *, int *is_capturing) {
  *is_capturing = 0;
  return SUCCESS;
}
int cuEventCreate(Event **event, unsigned) {
  *event = new Event;
  return SUCCESS;
}
int cuEventDestroy_v2(Event *event) {
  delete event;
  return SUCCESS;
}
int cuEventRecord(Event *event, void *stream) {
  const Turn turn(calling);
  Stream *const own = stream_of(stream);
  *event = {own, own == nullptr ? 0 : own->asked};
  return state(device_of(stream));
}
int cuEventSynchronize(const Event *event) {
  const Turn turn(calling);
  // One that was never recorded has nothing to wait for.
  if (event->stream == nullptr) return SUCCESS;
  if (event->stream->done >= event->asked) return state(event->stream->device);
  wait_for(event->stream, event->asked);
  return waited(event->stream->device);
}
int cuEventQuery(const Event *event) {
  const Turn turn(calling);
  return event->stream == nullptr || event->stream->done >= event->asked ? SUCCESS : NOT_READY;
}

// Memory.

int cuMemGetInfo_v2(size_t *free_bytes, size_t *bytes) {
  const Turn turn(calling);
  if (current == nullptr) return INVALID_CONTEXT;
  *free_bytes = DEVICE_BYTES - current->kept_bytes;
  *bytes = DEVICE_BYTES;
  return SUCCESS;
}
int cuDeviceGetDefaultMemPool(Device **pool, int device) {
  *pool = &devices[device];
  return SUCCESS;
}
int cuMemPoolSetAttribute(Device *pool, int attribute, const uint64_t *value) {
  static constexpr int RELEASE_THRESHOLD = 4;
  if (attribute == RELEASE_THRESHOLD) pool->keeps_memory = *value > 0;
  return SUCCESS;
}
int cuMemPoolGetAttribute(const Device *pool, int attribute, uint64_t *value) {
  static constexpr int KEPT = 5, USED = 7;
  if (attribute != KEPT && attribute != USED) return INVALID_VALUE;
  const Turn turn(calling);
  *value = attribute == KEPT ? pool->kept_bytes : pool->taken_bytes;
  return SUCCESS;
}
int cuMemAlloc_v2(uintptr_t *place, size_t bytes) { return take(place, bytes, nullptr); }
int cuMemAllocAsync(uintptr_t *place, size_t bytes, void *stream) {
  return take(place, bytes, stream);
}
int cuMemFree_v2(uintptr_t place) {
  const Turn turn(calling);
  wait_for_all(current);
  return give_back(place, nullptr);
}
int cuMemFreeAsync(uintptr_t place, void *stream) { return give_back(place, stream); }
int cuMemHostAlloc(void **place, size_t bytes, unsigned) {
  const Turn turn(calling);
  if (const Result broken = state(current)) return broken;
  *place = emulator::guarded(bytes);
  memset(*place, 0xff, bytes);
  pinned[reinterpret_cast<uintptr_t>(*place)] = bytes;
  return SUCCESS;
}
int cuMemFreeHost(void *place) {
  const Turn turn(calling);
  const auto found = pinned.find(reinterpret_cast<uintptr_t>(place));
  if (found == pinned.end()) return INVALID_VALUE;
  for (Stream *const stream : streams) wait_for(stream, stream->asked);
  emulator::release(place, found->second);
  pinned.erase(found);
  return SUCCESS;
}
int cuMemcpyHtoDAsync_v2(uintptr_t to, const void *from, size_t bytes, void *stream) {
  return copy(at(to), from, bytes, stream, true);
}
int cuMemcpyDtoHAsync_v2(void *to, uintptr_t from, size_t bytes, void *stream) {
  return copy(to, at(from), bytes, stream, false);
}
int cuMemcpyDtoDAsync_v2(uintptr_t to, uintptr_t from, size_t bytes, void *stream) {
  const Turn turn(calling);
  const Device *const device = device_of(stream);
  if (const Result broken = state(device)) return broken;
  check_memory(stream, at(to), bytes);
  check_memory(stream, at(from), bytes);
  note(device, "within_device %zu", bytes);
  ask(stream, "cuMemcpyDtoDAsync", [=] { memmove(at(to), at(from), bytes); });
  return SUCCESS;
}
int cuMemsetD8Async(uintptr_t place, unsigned char byte, size_t bytes, void *stream) {
  const Turn turn(calling);
  const Device *const device = device_of(stream);
  if (const Result broken = state(device)) return broken;
  check_memory(stream, at(place), bytes);
  note(device, "set %zu", bytes);
  ask(stream, "cuMemsetD8Async", [=] { memset(at(place), byte, bytes); });
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
  const Turn turn(calling);
  emulator::kernel_name = function->name.c_str();
  threadIdx = blockIdx = {0, 0, 0};
  if (function->kernel == nullptr) emulator::fail("no such kernel in the emulator");
  if (function->device != current || device_of(stream) != current) return INVALID_HANDLE;
  if (const Result broken = state(current)) return broken;
  if (x == 0 || y == 0 || z != 1 || x > 0x7fffffff || y > 0xffff) return INVALID_VALUE;
  if (threads == 0 || threads_y == 0 || threads * threads_y > 1024 || threads_z != 1)
    return INVALID_VALUE;
  // Ours have blocks of one dimension; a few of candle's have two.
  if (function->kernel->has_threads && threads_y != 1) return INVALID_VALUE;
  if (shared_bytes > function->most_shared_bytes) return INVALID_VALUE;
  note(current, "launch %s", function->name.c_str());
  static size_t launches = 0;
  static const size_t breaks_at = setting("EMULATED_GPU_BREAKS_AT", 0);
  if (++launches == breaks_at) {
    ask(stream, "", [device = current] { device->is_broken = true; });
    return SUCCESS;
  }
  const Bound kernel = function->kernel->binder(stream, parameters);
  const bool has_threads = function->kernel->has_threads;
  ask(stream, function->name.c_str(), [=] {
    gridDim = {x, y, 1};
    blockDim = {threads, threads_y, 1};
    if (has_threads)
      emulator::run_grid(kernel, 1);
    else
      kernel();
  });
  return SUCCESS;
}

}  // extern "C"
