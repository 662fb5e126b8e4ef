// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The language of Graphviz (graph { a -- b }, digraph { a -> b [key = value] }), read as a stream
// of nodes and edges. Only the attributes of the current statement and the current defaults are
// stored, so destination lists of any total size can be read. Not supported: an edge to or from a
// whole subgraph.
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
  std::string value;  // a quoted text with \" and line continuations resolved, and no other escapes
};

/// The last value given for a name; empty with data() == nullptr if there is none.
std::string_view find_attribute(std::span<const DotAttribute> attributes, std::string_view name);

/// One end of an edge. `port` is the text behind a colon, as in "S1":3.
struct DotEnd {
  std::string node;
  std::string port;
};

/// `line` is the first line of the statement.
struct DotSink {
  /// A statement about one node. An edge may name a node without a statement of its own.
  std::function<Status(std::size_t line, const std::string& name,
                       std::span<const DotAttribute> attributes)>
      node;
  /// Called for each edge: a -> b -> c is two edges with the same attributes.
  std::function<Status(std::size_t line, const DotEnd& tail, const DotEnd& head,
                       std::span<const DotAttribute> attributes)>
      edge;
};

/// Whether a graph begins in the text, after comments.
bool looks_like_dot(std::string_view head);

/// Parses one graph. Returns true for a digraph. Messages about syntax begin with
/// "FILE:LINE:COLUMN: ", or with "FILE:LINE: " for a comment without an end.
Result<bool> parse_dot(LineReader& lines, const DotSink& sink);

}  // namespace weft
