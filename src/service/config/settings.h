// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The values of the configuration keys: a member for each supported key, with the name of the key.
// keys.def defines the keys, with unit, range and default. options.h converts the settings to the
// options of other layers.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace weft {

struct Settings {
  using BySl = std::array<std::uint64_t, 16>;

#define SECTION(title)
#define FLAG(name, value, ...) bool name = value;
#define NUMBER(name, value, ...) std::uint64_t name = value;
#define HEX(name, value, ...) std::uint64_t name = value;
#define TEXT(name, value, ...) std::string name = value;
#define CHECKED_TEXT(name, value, ...) std::string name = value;
#define CHOICE(name, value, ...) std::string name = value;
#define BY_SL(name, ...) BySl name{};
#define UNSUPPORTED(...)
#define ALIAS(...)
#include "service/config/keys.def"

  // The program sets these members; they are not configuration keys.
  bool emulated = false;        // on an emulated fabric: the machine's default files are not used
  std::string emulated_folder;  // folder of files of an emulated manager; empty: none
  std::string state_folder;     // folder of files that the manager changes; empty: none

  bool operator==(const Settings&) const = default;
};

/// The default values of all settings.
const Settings& default_settings();

}  // namespace weft
