// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The text of a routed DOT graph, stored so that the get_cable_cong metric can write it again with
// the simulated congestion of each edge.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fabric/formats/dot/dot_parse.h"
#include "fabric/formats/write.h"

namespace weft {

class DotEcho {
 public:
  void add_node(const std::string& name, std::span<const DotAttribute> attributes);
  void add_edge(const DotEnd& tail, const DotEnd& head, std::span<const DotAttribute> attributes);
  /// Sets the channels of the edges, in the order in which the edges were added.
  void set_channels(std::vector<std::uint32_t> channels) { channels_ = std::move(channels); }

  bool empty() const { return edges_.empty(); }

  /// Writes the nodes, then the edges, each in file order, without the attributes that the metric
  /// writes; `more` returns the new attributes of a channel: "a=1, b=2".
  void write(const std::function<std::string(std::uint32_t channel)>& more,
             const Append& append) const;

  /// Whether the metric writes the attribute; such an attribute of the file is dropped.
  static bool is_metric_attribute(std::string_view name) {
    return name == "congestion" || name == "color";
  }

 private:
  std::vector<std::string> nodes_;
  std::vector<std::string> edges_;  // text of each edge up to its last attribute
  std::vector<std::uint32_t> channels_;
};

}  // namespace weft
