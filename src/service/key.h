// One key of the configuration file: where its value lives, what it may be, and whether it is in
// force.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"
#include "service/settings.h"

namespace weft {

/// TRUE or FALSE.
struct Flag {
  bool Settings::*member;
};

struct Number {
  std::uint64_t Settings::*member;
  std::uint64_t least = 0;
  std::uint64_t most = UINT64_MAX;
  unsigned hex_digits = 0;  // as written; 0: decimal
};

/// The rest of the line; "(null)" is none.
struct Text {
  std::string Settings::*member;
};

/// Text with a form of its own, which `check` knows; "(null)" is none, unless something stands for
/// it.
struct Formed {
  std::string Settings::*member;
  Status (*check)(std::string_view text);
};

/// An SL and a number for it; lines for several SLs add up.
struct NumberBySl {
  Settings::BySl Settings::*member;
  std::uint64_t most;
};

/// One of some words, which are given with '|' between them.
struct Choice {
  std::string Settings::*member;
  std::string_view words;
};

/// Weft has no use for it: another value than this one is warned about.
struct NoUse {
  std::string_view value;
  std::string_view why;
};

enum class Applies {
  kLive,     // SIGHUP is enough
  kAtStart,  // a change is told, and waits for the next start
};

struct Key {
  std::string_view name;
  std::variant<Flag, Number, NumberBySl, Text, Formed, Choice, NoUse> value;
  std::string_view about;  // a sentence or two, for the file and the documentation
  Applies applies = Applies::kLive;
};

struct Section {
  std::string_view title;
  std::span<const Key> keys;
};

/// All keys, in the order of the file.
std::span<const Section> sections();
/// Null where there is no such key.
const Key* find_key(std::string_view name);

/// Sets one key from text. Returns a warning, which may be empty; fails with kBadInput "found ..,
/// want ..", without the place, which the caller knows.
Result<std::string> assign(Settings& settings, const Key& key, std::string_view text);

/// Logs and consoles do not show its value: who reads them need not be who may know it.
bool is_secret(std::string_view name);

/// The value as the file has it; of several lines each stands on its own.
std::string value_text(const Settings& settings, const Key& key);

}  // namespace weft
