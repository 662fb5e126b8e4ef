// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reads any bytes as a configuration file. Accepted settings are equal after they are written and
// read again. A refused file has a message, and leaves the default settings.
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>

#include "fuzz_target.h"
#include "service/config/config_file.h"

WEFT_FUZZ_TARGET(configuration, data, size) {
  static const std::string path = "/dev/shm/weft-fuzz-configuration-" + std::to_string(getpid());
  const auto write = [](std::string_view text) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
  };
  write({reinterpret_cast<const char*>(data), size});
  weft::Settings settings;
  weft::ConfigDiagnostics problems;
  const auto status = weft::read_config(path, settings, problems);
  if (!status) {
    if (status.error().message.empty() || settings != weft::Settings{}) std::abort();
    return 0;
  }
  write(weft::config_text(settings));
  weft::Settings again;
  if (!weft::read_config(path, again, problems) || again != settings) std::abort();
  return 0;
}
