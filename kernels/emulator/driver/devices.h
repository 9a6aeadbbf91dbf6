// GPUs that are memory of this machine.
#pragma once

#include <stddef.h>
#include <stdint.h>

struct Device {
  int number;
  size_t taken_bytes;
};

// That of a stream; the current one for the streams that every thread has. Null if none is current.
Device *device_of(void *stream);

// Ends the program unless `bytes` at `place` were taken in the order of `stream` and not given back.
void check_memory(void *stream, const void *place, size_t bytes);
