// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reads any bytes as each kind of route file for a small fabric. The first byte selects the reader.
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>

#include "base/check.h"
#include "fuzz_target.h"
#include "routes/dump/read.h"
#include "small_fabric.h"

namespace {

template <class Value>
void check_message(const weft::Result<Value>& value) {
  if (!value && value.error().message.empty()) std::abort();
}

}  // namespace

WEFT_FUZZ_TARGET(route_files, data, size) {
  static const weft::Fabric fabric = small_fabric();
  static const std::string path = "/dev/shm/weft-fuzz-" + std::to_string(getpid());
  if (size == 0) return 0;
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(reinterpret_cast<const char*>(data + 1), static_cast<std::streamsize>(size - 1));
  weft::Warnings warnings;
  switch (data[0] % 5) {
    case 0:
      check_message(weft::read_lfts(fabric, path, warnings));
      break;
    case 1:
      check_message(weft::read_psl(fabric, path, warnings));
      check_message(weft::read_multicast_sl(fabric, path, warnings));
      break;
    case 2:
      check_message(weft::read_slvl(fabric, path, warnings));
      break;
    case 4:
      check_message(weft::read_adaptive(fabric, path, warnings));
      break;
    default:
      check_message(weft::read_mfts(fabric, path, warnings));
  }
  return 0;
}
