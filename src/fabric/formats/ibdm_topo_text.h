// The text of an ibdm topology as tables: systems, cables, and where each was mentioned. Nothing is
// looked up here.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "fabric/formats/ibdm_line.h"
#include "fabric/formats/ibnl_plan.h"

namespace weft {

struct TextPlace {
  std::size_t line = 0;
  std::size_t column = 1;
};

struct IbdmTopoText {
  struct System {
    std::string name;
    std::uint32_t type = 0;  // into words
    TextPlace place;         // of the type where the system was first mentioned
    IbnlModifiers modifiers;
    std::size_t declared_line = 0;  // of its own section; 0 where it has none
  };
  /// Another word for the type of a system than the first: has to mean the same.
  struct OtherType {
    std::uint32_t system = 0;
    std::uint32_t type = 0;
    TextPlace place;
  };
  struct End {
    std::uint32_t system = 0;
    std::uint32_t plug = 0;  // into words
    std::uint32_t column = 1;
  };
  struct Cable {
    End a, b;
    LinkRate rate;
    std::size_t line = 0;
  };
  std::vector<std::string> words;  // of types and plugs, each once
  std::vector<System> systems;     // as they are mentioned
  std::vector<OtherType> other_types;
  std::vector<Cable> cables;
};

Result<IbdmTopoText> read_ibdm_topo_text(LineReader& lines);

}  // namespace weft
