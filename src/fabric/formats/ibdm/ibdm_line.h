// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The common parts of ibdm's two text formats: words with their columns, `#` comments, and
// connections `PORT -WIDTH-SPEED-> words`, where width (4x) and lane speed (10G) are optional.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "fabric/formats/format.h"

namespace weft {

struct IbdmWord {
  std::string_view text;
  std::size_t column = 1;  // column of its first byte, from 1
};

/// The rate of a cable, as given in a connection or at a port.
struct LinkRate {
  std::optional<LinkWidth> width;
  std::optional<LinkSpeed> speed;

  /// Sets the values that are missing here to those of `other`.
  void fill_from(const LinkRate& other) {
    if (!width) width = other.width;
    if (!speed) speed = other.speed;
  }
  bool operator==(const LinkRate&) const = default;
};

struct IbdmConnection {
  IbdmWord from;
  LinkRate rate;
  std::vector<IbdmWord> to;
};

/// The line without its comment. A comment begins with `#` at the start of the line or after a
/// blank.
std::string_view without_ibdm_comment(std::string_view line);

/// Maximum length of a word in bytes. It is limited because names are copied to every node of a
/// system.
inline constexpr std::size_t kIbdmWordMax = 128;
LineResult<std::vector<IbdmWord>> ibdm_words(std::string_view line);

inline bool is_ibdm_connection(std::string_view line) {
  return line.find("->") != std::string_view::npos;
}

/// Parses a line for which is_ibdm_connection() is true.
LineResult<IbdmConnection> parse_ibdm_connection(std::string_view line);

}  // namespace weft
