// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fabric/changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/printable.h"

namespace weft {
namespace {

using Kind = FabricChange::Kind;

constexpr std::array<std::string_view, 8> kNames{"node gone",    "node new",    "node renamed",
                                                 "node changed", "LID changed", "link gone",
                                                 "link new",     "link rate"};

class Comparison {
 public:
  Comparison(const Fabric& before, const Fabric& after) : before_(before), after_(after) {}

  std::vector<FabricChange> run() {
    for (std::uint32_t n = 0; n < before_.node_count(); ++n) compare_node(NodeId(n));
    for (const Node& node : after_.nodes())
      if (!before_has(node)) add({Kind::kNodeNew, node.node_guid, {}, {}, {}, describe(node)});
    links_missing_in(before_, after_, Kind::kLinkGone);
    links_missing_in(after_, before_, Kind::kLinkNew);
    std::ranges::stable_sort(changes_, {}, &FabricChange::kind);
    return std::move(changes_);
  }

 private:
  void add(FabricChange change) { changes_.push_back(std::move(change)); }
  bool before_has(const Node& node) const { return before_.find_node(node.node_guid).has_value(); }

  void compare_node(NodeId id) {
    const Node& was = before_.node(id);
    const auto found = after_.find_node(was.node_guid);
    if (!found) return add({Kind::kNodeGone, was.node_guid, {}, {}, {}, describe(was)});
    const Node& is = after_.node(*found);
    if (was.type != is.type || was.port_count != is.port_count)
      add({Kind::kNodeChanged,
           was.node_guid,
           {},
           {},
           {},
           fmt::format("{}: {} with {} ports, now {} with {}", describe(was), name(was.type),
                       was.port_count, name(is.type), is.port_count)});
    if (was.description != is.description)
      add({Kind::kNodeRenamed,
           was.node_guid,
           {},
           {},
           {},
           fmt::format("{}: now named '{}'", describe(was), printable(is.description))});
    for (unsigned i = 0; i <= std::min(was.port_count, is.port_count); ++i)
      compare_port(was, before_.ports(id)[i], after_.ports(*found)[i]);
  }

  void compare_port(const Node& node, const Port& was, const Port& is) {
    if (was.lid != is.lid)
      add({Kind::kLidChanged,
           node.node_guid,
           was.num,
           {},
           {},
           fmt::format("{} port {}: LID {}, now {}", describe(node), was.num.value(),
                       was.lid.value(), is.lid.value())});
    if (was.peer == kNoPort || is.peer == kNoPort) return;
    const auto peer = end_of(before_, before_.port(was.peer));
    if (peer < end_of(before_, was) || peer != end_of(after_, after_.port(is.peer))) return;
    if (was.width != is.width || was.speed != is.speed)
      add({Kind::kLinkRate,
           node.node_guid,
           was.num,
           {},
           {},
           fmt::format("{} port {}: {}{}, now {}{}", describe(node), was.num.value(),
                       name(was.width), name(was.speed), name(is.width), name(is.speed))});
  }

  /// Adds each cable of `fabric` once for which `other` has no cable between the same ports.
  void links_missing_in(const Fabric& fabric, const Fabric& other, Kind kind) {
    for (std::uint32_t n = 0; n < fabric.node_count(); ++n)
      for (const Port& port : fabric.ports(NodeId(n))) {
        if (port.peer == kNoPort) continue;
        const Port& peer = fabric.port(port.peer);
        if (end_of(fabric, peer) < end_of(fabric, port) || has_link(other, fabric, port, peer))
          continue;
        const auto [node, number] = end_of(fabric, port);
        const auto [peer_node, peer_number] = end_of(fabric, peer);
        add({kind, node, number, peer_node, peer_number,
             fmt::format("{} port {} - {} port {}", describe(fabric.node(port.node)),
                         number.value(), describe(fabric.node(peer.node)), peer_number.value())});
      }
  }

  static std::pair<Guid, PortNum> end_of(const Fabric& fabric, const Port& port) {
    return {fabric.node(port.node).node_guid, port.num};
  }

  static bool has_link(const Fabric& other, const Fabric& fabric, const Port& port,
                       const Port& peer) {
    const auto node = other.find_node(fabric.node(port.node).node_guid);
    if (!node) return false;
    const PortId id = other.port_id(*node, port.num);
    if (id == kNoPort || other.port(id).peer == kNoPort) return false;
    return end_of(other, other.port(other.port(id).peer)) == end_of(fabric, peer);
  }

  const Fabric& before_;
  const Fabric& after_;
  std::vector<FabricChange> changes_;
};

}  // namespace

std::string_view name(FabricChange::Kind kind) { return kNames[static_cast<std::size_t>(kind)]; }

bool have_same_endports(const Fabric& before, const Fabric& now) {
  if (before.switch_count() != now.switch_count() ||
      before.endport_count() != now.endport_count() || before.lid_top() != now.lid_top())
    return false;
  for (std::uint32_t s = 0; s < now.switch_count(); ++s) {
    const Node& a = before.node(SwitchId(s));
    const Node& b = now.node(SwitchId(s));
    if (a.node_guid != b.node_guid || a.port_count != b.port_count) return false;
  }
  for (std::uint32_t i = 0; i < now.endport_count(); ++i) {
    const Endport& a = before.endport(EndportId(i));
    const Endport& b = now.endport(EndportId(i));
    if (before.port(a.port).guid != now.port(b.port).guid || a.sw != b.sw ||
        a.sw_port != b.sw_port || a.lid != b.lid || a.lmc != b.lmc)
      return false;
  }
  return true;
}

std::vector<FabricChange> compare(const Fabric& before, const Fabric& after) {
  return Comparison(before, after).run();
}

std::vector<FabricChange> summarize_changes(const std::vector<FabricChange>& changes) {
  std::vector<Guid> listed;
  for (const FabricChange& change : changes)
    if (change.kind == Kind::kNodeGone || change.kind == Kind::kNodeNew)
      listed.push_back(change.node);
  std::ranges::sort(listed);
  const auto is_listed = [&](Guid guid) { return std::ranges::binary_search(listed, guid); };
  std::vector<FabricChange> rest;
  for (const FabricChange& change : changes) {
    const bool link = change.kind == Kind::kLinkGone || change.kind == Kind::kLinkNew;
    if (!link || (!is_listed(change.node) && !is_listed(change.peer))) rest.push_back(change);
  }
  return rest;
}

}  // namespace weft
