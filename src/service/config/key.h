// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A key of the configuration file: the member of Settings that stores its value, the accepted
// values, and when a change takes effect. keys.def defines all keys.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"
#include "service/config/settings.h"

namespace weft {

/// A value TRUE or FALSE.
struct Flag {
  bool Settings::*member;
};

struct Number {
  std::uint64_t Settings::*member;
  std::uint64_t least = 0;
  std::uint64_t most = UINT64_MAX;
  unsigned hex_digits = 0;  // digits in the configuration file; 0: decimal
};

/// A text: the rest of the line. "(null)" stands for the empty text.
struct Text {
  std::string Settings::*member;
};

/// Text that `check` validates; "(null)": the default value.
struct CheckedText {
  std::string Settings::*member;
  Status (*check)(std::string_view text);
};

/// A number for each SL: a line contains an SL and its number.
struct NumberBySl {
  Settings::BySl Settings::*member;
  std::uint64_t most;
};

/// One of the words in `words`, which are separated by '|'.
struct Choice {
  std::string Settings::*member;
  std::string_view words;
};

/// A key of OpenSM that Weft ignores; a value that is not one of `values` causes a warning.
struct Unsupported {
  std::string_view values;  // separated by '|', the default first; empty: only "(null)"
  std::string_view why;
};

/// A key of OpenSM that has another name in Weft.
struct Alias {
  std::string_view key;
  std::string_view values;  // "0=TRUE|1=FALSE": values of alias=key; empty: same values
};

/// When a changed value takes effect.
enum class Applies {
  kLive,     // on SIGHUP
  kAtStart,  // after a restart; SIGHUP logs a warning
};

/// Where a value is hidden.
enum class Secrecy {
  kNone,
  kAlways,  // in logs, the HTTP service, and console sessions without ConsoleView::trusted
};

struct Key {
  std::string_view name{};
  std::variant<Flag, Number, NumberBySl, Text, CheckedText, Choice, Unsupported, Alias> value{};
  Applies applies = Applies::kLive;
  std::string_view about{};  // one or two sentences for the file and the documentation
  std::string_view unit{};   // unit of a number, such as "s"; empty: none, or `about` contains it
  Secrecy secrecy = Secrecy::kNone;
  std::string_view more{};  // Markdown that follows `about` in the documentation
  bool is_trusted = false;  // other users must not be able to write the named file
};

struct Section {
  std::string_view title;
  std::span<const Key> keys;
  bool is_written = true;  // written to configuration files; false: only read from them
};

/// All keys, in the order of the file.
std::span<const Section> sections();
/// The key with this name; null if there is no such key.
const Key* find_key(std::string_view name);

/// Sets the member of the key from text. Returns a warning, or an empty text. Fails with kBadInput
/// "found .., expected .."; the caller prefixes the message with file and line.
Result<std::string> assign(Settings& settings, const Key& key, std::string_view text);

/// The values that the key accepts, as error messages state them; empty: any text, a text that a
/// parser checks, or an unsupported key.
std::string accepted_values(const Key& key);

/// Whether the key has a value that must be hidden (Secrecy).
bool is_secret(std::string_view name);

/// The value in file format; a value of several lines contains newlines.
std::string value_text(const Settings& settings, const Key& key);

}  // namespace weft
