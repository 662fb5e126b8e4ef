// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// IBNL: the internal structure of a chassis. A file defines boards (SYSTEM) from chips (NODE) and
// other boards (SUBSYSTEM), and last the chassis itself (TOPSYSTEM), each with any number of names:
//
//   SYSTEM LEAF,LEAF:4x            a board, and its flavour 4x
//   NODE SW 24 MT47396 U1          a chip with 24 ports
//     1 -4x-5G-> U2 3              to another chip of the board
//     2 -> P1                      to a plug of the board
//   TOPSYSTEM MTS14400,Rhino
//   SUBSYSTEM LEAF leaf1
//     P1 -> spine1 P7
//     P2 -> L1/P1
//
// Grammar and meaning: man ibdm-ibnl-file.
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "fabric/formats/ibdm/ibdm_line.h"

namespace weft {

/// A connection line of a chip or board.
struct IbnlConnection {
  std::string port;  // port of the chip or board to which the line belongs
  std::string peer;  // name of a part of the same board; empty: `peer_port` is a plug of the board
  std::string peer_port;
  LinkRate rate;
  std::size_t line = 0;
};

/// A chip, or a board within a board.
struct IbnlPart {
  bool is_chip = false;
  NodeType type = NodeType::kSwitch;  // of a chip
  std::uint8_t ports = 0;             // of a chip
  std::string kind;                   // device of a chip, or name of a board
  std::string name;
  std::vector<IbnlConnection> connections;
  std::size_t line = 0;
};

struct IbnlBoard {
  std::vector<std::string> names;
  std::vector<IbnlPart> parts;
  std::size_t line = 0;
};

struct IbnlFile {
  std::string path;
  std::vector<IbnlBoard> boards;                               // the last one is the chassis
  std::unordered_map<std::string, std::size_t> board_by_name;  // without the chassis
  /// Plugs that a board has in any of its flavours, by the name before the colon.
  std::unordered_map<std::string, std::unordered_set<std::string>> plugs_of_any_flavour;

  const IbnlBoard& chassis() const { return boards.back(); }
};

/// The name of a board without its flavour: "LEAF" for "LEAF:12x".
inline std::string ibnl_base_name(const std::string& name) {
  return name.substr(0, name.find(':'));
}

/// Reads a whole file. Checks each line, and that names and ports are unique; plan_system() checks
/// that the boards exist, and warns of connected plugs that they do not have.
Result<IbnlFile> read_ibnl_file(LineReader& lines);

/// The names of the chassis that a file defines; empty if the file defines none. Stops reading at
/// the line TOPSYSTEM.
Result<std::vector<std::string>> read_ibnl_names(LineReader& lines);

}  // namespace weft
