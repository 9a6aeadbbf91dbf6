// What the program asked of its devices, a line for each call, in the file that EMULATED_GPU_JOURNAL names:
// the device's number, what was asked, and of what size.
//
//   launch KERNEL              product M N K
//   to_device BYTES MEMORY     to_host BYTES MEMORY     within_device BYTES     set BYTES
//   wait                       for a stream, an event or the device
//   take BYTES                 give_back BYTES          refused, by a broken device
//
// MEMORY is `pinned`, which the host does not wait for, or `pageable`, which it does.
#pragma once

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "devices.h"

__attribute__((format(printf, 2, 3))) inline void note(const Device *device, const char *format, ...) {
  static FILE *const journal = [] {
    const char *const path = getenv("EMULATED_GPU_JOURNAL");
    FILE *const opened = path == nullptr ? nullptr : fopen(path, "a");
    if (opened != nullptr) setvbuf(opened, nullptr, _IOLBF, 1 << 16);
    return opened;
  }();
  if (journal == nullptr || device == nullptr) return;
  char line[200];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof(line), format, arguments);
  va_end(arguments);
  fprintf(journal, "%d %s\n", device->number, line);
}
