// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include <vector>

#include "fabric/formats/dot/dot.h"
#include "routes/dump/dot.h"

namespace weft {
namespace {

/// The name of each endport in destination lists.
std::vector<std::string> destination_names(const Fabric& fabric) {
  std::vector<std::string> names;
  names.reserve(fabric.endport_count());
  NodeId last(0xFFFFFFFF);
  for (const Endport& endport : fabric.endports()) {
    std::string name = dot_name(fabric.node(endport.node));
    if (endport.node == last) name += fmt::format(":{}", fabric.port(endport.port).num.value());
    names.push_back(std::move(name));
    last = endport.node;
  }
  return names;
}

/// The destination lists of one switch. The lists of all switches may not fit into memory.
class Lists {
 public:
  Lists(const Fabric& fabric, const Lfts& lfts)
      : fabric_(fabric), lfts_(lfts), names_(destination_names(fabric)) {}

  std::string_view at(PortId from) {
    const Port& port = fabric_.port(from);
    if (!fabric_.is_switch(port.node)) return "*";
    if (SwitchId(port.node.value()) != sw_) fill(SwitchId(port.node.value()));
    return lists_[port.num.value()];
  }

 private:
  void fill(SwitchId sw) {
    sw_ = sw;
    lists_.assign(fabric_.node(sw).port_count + std::size_t{1}, {});
    for (std::uint32_t i = 0; i < fabric_.endport_count(); ++i) {
      const Endport& endport = fabric_.endport(EndportId(i));
      if (endport.lid == kLidNone) continue;
      const std::size_t port = lfts_.port(sw, endport.lid).value();
      if (port == 0 || port >= lists_.size()) continue;
      std::string& list = lists_[port];
      if (!list.empty()) list += ", ";
      list += names_[i];
    }
  }

  const Fabric& fabric_;
  const Lfts& lfts_;
  std::vector<std::string> names_;
  SwitchId sw_ = kNoSwitch;
  std::vector<std::string> lists_;  // by port
};

}  // namespace

void write_dot_routes(const Fabric& fabric, const Routes& routes, const Append& append,
                      const DotAttributes& more) {
  Lists lists(fabric, routes.lfts);
  write_dot_with_comments(
      fabric, [&](PortId from) { return lists.at(from); }, append, more);
}

}  // namespace weft
