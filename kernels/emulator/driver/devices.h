// GPUs that are memory of this machine.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <functional>

struct Device {
  int number;
  // Memory that tensors have, and with it memory that the pool keeps for those to come.
  size_t taken_bytes, kept_bytes;
  // Whether the pool keeps what is given back to it.
  bool keeps_memory;
  // After an error in a kernel every call fails.
  bool is_broken;
};

// A number that the environment sets, or another.
size_t setting(const char *name, size_t otherwise);

// That of a stream; the current one for the streams that every thread has. Null if none is current.
Device *device_of(void *stream);

// Ends the program unless `bytes` at `place` were taken in the order of `stream` and not given back.
void check_memory(void *stream, const void *place, size_t bytes);

// Does `work`, whose name is `name`, once all is done that the stream was asked before, and as late as it
// may: when somebody waits.
void ask(void *stream, const char *name, std::function<void()> work);
