// What lines of ibdm's two text formats share: words with their columns, `#` comments, and
// connections `PORT -WIDTH-SPEED-> words`, where width (4x) and speed of a lane (10G) may be
// absent.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "fabric/formats/format.h"

namespace weft {

struct IbdmWord {
  std::string_view text;
  std::size_t column = 1;  // of its first byte in the line, from 1
};

/// What a connection or a port says about its cable.
struct LinkRate {
  std::optional<LinkWidth> width;
  std::optional<LinkSpeed> speed;

  /// Takes over what is not said here.
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

/// The line without a comment: `#` at its start or behind a blank.
std::string_view without_ibdm_comment(std::string_view line);

/// Fails on a word longer than kIbdmWordMax: names end up in every node of a system.
inline constexpr std::size_t kIbdmWordMax = 128;
LineResult<std::vector<IbdmWord>> ibdm_words(std::string_view line);

inline bool is_ibdm_connection(std::string_view line) {
  return line.find("->") != std::string_view::npos;
}

/// A line that is_ibdm_connection().
LineResult<IbdmConnection> parse_ibdm_connection(std::string_view line);

}  // namespace weft
