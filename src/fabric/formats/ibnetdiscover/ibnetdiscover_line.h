// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// One line of ibnetdiscover's topology text (and of ibsim's nets, which share its grammar), parsed
// independently of all other lines. Fields that some writers omit are optional:
//   Switch 41 "S-0c42a103009d6eb6"   # "name" enhanced port 0 lid 1380 lmc 0
//   [19](19) "H-88e9a4ffff0feec4"[1](88e9a4ffff0feec4)   # "peer's name" lid 791 4xHDR s=4 w=2
//   [1](1)(b0cf0e0300e5b948) "S-b0cf0e0300e5b940"[65]   # lid 25 lmc 0 "peer's name" lid 24 4xNDR
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fabric/formats/format.h"
#include "ib/enums.h"

namespace weft {

/// The kind of a line, by its first characters.
enum class NetLineKind {
  kBlank,      // empty, a comment, or a progress line
  kNode,       // Switch, Ca, Hca, Rt, Router
  kPort,       // [n] ...
  kKey,        // name=value
  kInclude,    // ibsim: include FILE
  kDo,         // ibsim: do COMMAND
  kOtherText,  // a headline, a shell prompt, a message of another program
};
NetLineKind kind_of_net_line(std::string_view line);

/// Whether the line is a progress line that ibnetdiscover -s prints into the same stream: "DR path
/// slid 0; dlid 0; 0,1 -> new Switch {00066a00ec002dea} ...".
bool is_discovery_progress(std::string_view line);

/// Whether the line is a headline that ibnetdiscover -g prints between groups of nodes.
bool is_net_header(std::string_view line);

/// The beginning of a text for a message: in quotes, at most 40 bytes, without control characters;
/// "the end of the line" for an empty text.
std::string quote_net_text(std::string_view text);

/// As quote_net_text(), but '' for an empty text: for a value that may be empty.
std::string quote_value(std::string_view text);

/// A node line. Numbers that are often damaged (LIDs, GUIDs) are unparsed text; empty: not given.
struct NetNodeLine {
  NodeType type{};
  std::uint8_t port_count = 0;
  std::string_view id;
  std::string_view name;
  bool enhanced_port0 = false;
  std::string_view lid;
  std::string_view lmc;
};

struct NetPortLine {
  std::uint8_t port = 0;
  std::string_view guid;  // content of the last parentheses after the port number
  std::string_view peer_id;
  std::uint8_t peer_port = 0;
  std::string_view lid;  // LID of this port, given on CA and router lines only
  std::string_view lmc;
  std::optional<LinkWidth> width;
  std::optional<LinkSpeed> speed;
  std::string_view unknown_rate;  // has the form of a rate, but an unknown width or speed
  std::optional<std::uint8_t> data_vls;
};

/// A key line: name=value, and the parentheses after the value (switchguid=0x1(1)).
struct NetKeyLine {
  std::string_view key;
  std::string_view value;
  std::string_view port_guid;
};

/// The message of a parsing error is "found X, expected Y".
LineResult<NetNodeLine> parse_net_node(std::string_view line);
LineResult<NetPortLine> parse_net_port(std::string_view line);
NetKeyLine parse_net_key(std::string_view line);

}  // namespace weft
