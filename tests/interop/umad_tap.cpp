// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A library to preload: appends to a file the MADs of one management class that a program sends.
// WEFT_TAP_CLASS is the class, WEFT_TAP_FILE the file. Each MAD is a line with the destination LID
// and the 256 bytes in hexadecimal.
#include <dlfcn.h>
#include <infiniband/umad.h>

#include <cstdio>
#include <cstdlib>

extern "C" int umad_send(int port, int agent, void* umad, int length, int timeout_ms, int retries) {
  using Send = int (*)(int, int, void*, int, int, int);
  static const auto send = reinterpret_cast<Send>(dlsym(RTLD_NEXT, "umad_send"));
  static std::FILE* const file = [] {
    const char* path = std::getenv("WEFT_TAP_FILE");
    return path == nullptr ? nullptr : std::fopen(path, "a");
  }();
  const char* wanted = std::getenv("WEFT_TAP_CLASS");
  const auto* mad = static_cast<const unsigned char*>(umad_get_mad(umad));
  if (file != nullptr && wanted != nullptr && mad[1] == std::strtoul(wanted, nullptr, 0)) {
    std::fprintf(file, "%u ", __builtin_bswap16(umad_get_mad_addr(umad)->lid));
    for (int i = 0; i < 256; ++i) std::fprintf(file, "%02x", mad[i]);
    std::fputc('\n', file);
    std::fflush(file);
  }
  return send(port, agent, umad, length, timeout_ms, retries);
}
