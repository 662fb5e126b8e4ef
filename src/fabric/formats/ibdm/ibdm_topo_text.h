// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The text of an ibdm topology as tables: systems, cables, and their positions in the file. System
// definitions are not read here.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "fabric/formats/ibdm/ibdm_line.h"
#include "fabric/formats/ibdm/ibnl_plan.h"

namespace weft {

struct TextPlace {
  std::size_t line = 0;
  std::size_t column = 1;
};

struct IbdmTopoText {
  struct System {
    std::string name;
    std::uint32_t type = 0;  // index into words
    TextPlace place;         // where the system and its type are mentioned first
    IbnlModifiers modifiers;
    std::size_t declared_line = 0;  // line of its own section; 0 if it has none
  };
  /// A second type name of a system, which must denote the same system definition.
  struct OtherType {
    std::uint32_t system = 0;
    std::uint32_t type = 0;
    TextPlace place;
  };
  struct End {
    std::uint32_t system = 0;
    std::uint32_t plug = 0;  // index into words
    std::uint32_t column = 1;
  };
  struct Cable {
    End a, b;
    LinkRate rate;
    std::size_t line = 0;
  };
  std::vector<std::string> words;  // names of types and plugs, each once
  std::vector<System> systems;     // in order of first mention
  std::vector<OtherType> other_types;
  std::vector<Cable> cables;
};

/// Fails with kBadInput, "PATH:LINE:COLUMN: ...", on a line that is neither a section nor a cable,
/// a cable without a section, and different modifiers of one system.
Result<IbdmTopoText> read_ibdm_topo_text(LineReader& lines);

}  // namespace weft
