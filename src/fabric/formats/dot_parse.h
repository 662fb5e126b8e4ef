// The language of Graphviz (graph { a -- b }, digraph { a -> b [key = value] }), read as a stream
// of nodes and edges. Nothing is kept but the attributes of the statement at hand and the defaults
// in force, so lists of destinations of any total size pass through. Left out of the language: an
// edge to or from a whole subgraph.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "fabric/formats/format.h"

namespace weft {

struct DotAttribute {
  std::string name;
  std::string value;  // of a quoted text, only \" and line continuations are resolved
};

/// The last value given to a name; where there is none, empty with data() == nullptr.
std::string_view find_attribute(std::span<const DotAttribute> attributes, std::string_view name);

/// One end of an edge. `port` is what follows a colon, as in "S1":3.
struct DotEnd {
  std::string node;
  std::string port;
};

/// `line` is where the statement begins.
struct DotSink {
  /// A statement about one node; edges name nodes that have none.
  std::function<Status(std::size_t line, const std::string& name,
                       std::span<const DotAttribute> attributes)>
      node;
  /// a -> b -> c is two edges with the same attributes.
  std::function<Status(std::size_t line, const DotEnd& tail, const DotEnd& head,
                       std::span<const DotAttribute> attributes)>
      edge;
};

/// Whether text begins as a graph does, behind comments.
bool looks_like_dot(std::string_view head);

/// True for a digraph. Fails with "FILE:LINE:COLUMN: found X, want Y".
Result<bool> parse_dot(LineReader& lines, const DotSink& sink);

}  // namespace weft
