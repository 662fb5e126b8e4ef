// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/events/event.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <tuple>
#include <utility>

namespace weft {
namespace {

constexpr std::array<std::pair<weft_event_kind, std::string_view>, 27> kNames{{
    {WEFT_EVENT_SWEEP_BEGUN, "sweep_begun"},
    {WEFT_EVENT_SWEEP_ENDED, "sweep_ended"},
    {WEFT_EVENT_STATE_CHANGED, "state_changed"},
    {WEFT_EVENT_NODE_APPEARED, "node_appeared"},
    {WEFT_EVENT_NODE_GONE, "node_gone"},
    {WEFT_EVENT_NODE_RENAMED, "node_renamed"},
    {WEFT_EVENT_LINK_APPEARED, "link_appeared"},
    {WEFT_EVENT_LINK_GONE, "link_gone"},
    {WEFT_EVENT_LINK_CHANGED, "link_changed"},
    {WEFT_EVENT_LID_CHANGED, "lid_changed"},
    {WEFT_EVENT_ROUTES_CHANGED, "routes_changed"},
    {WEFT_EVENT_TRAP, "trap"},
    {WEFT_EVENT_WARNING, "warning"},
    {WEFT_EVENT_ERROR, "error"},
    {WEFT_EVENTS_LOST, "events_lost"},
    {WEFT_EVENT_PARTITION_CHANGED, "partition_changed"},
    {WEFT_EVENT_MANAGER_APPEARED, "manager_appeared"},
    {WEFT_EVENT_MANAGER_GONE, "manager_gone"},
    {WEFT_EVENT_MANAGER_CHANGED, "manager_changed"},
    {WEFT_EVENT_COUNTER_ERRORS, "counter_errors"},
    {WEFT_EVENT_ALARM_RAISED, "alarm_raised"},
    {WEFT_EVENT_ALARM_CLEARED, "alarm_cleared"},
    {WEFT_EVENT_ALARM_ACKNOWLEDGED, "alarm_acknowledged"},
    {WEFT_EVENT_PORT_UNHEALTHY, "port_unhealthy"},
    {WEFT_EVENT_PORT_HEALTHY, "port_healthy"},
    {WEFT_EVENT_ROUTES_REBALANCED, "routes_rebalanced"},
    {WEFT_EVENT_PORT_RECOVERED, "port_recovered"},
}};

/// The other end of the link of a port, which may be an FNM link; kNoPort without a link.
PortId far_end(const Fabric& fabric, const Port& port) {
  return fabric.far_end(fabric.port_id(port.node, port.num));
}

/// A link, identified by node GUID and port number of both ends, because these do not change
/// between sweeps. `node` is the end with the lower GUID and port number.
struct Cable {
  Guid node;
  PortNum port;
  Guid peer;
  PortNum peer_port;
  const Port* at = nullptr;  // the port at `node`
  const Fabric* fabric = nullptr;

  auto ends() const { return std::tie(node, port, peer, peer_port); }
  std::string kind() const {
    return fmt::format("{}{}{}", name(at->width), name(at->speed),
                       at->peer == kNoPort ? " FNM" : "");
  }
};

std::vector<Cable> cables_of(const Fabric& fabric) {
  std::vector<Cable> cables;
  for (std::uint32_t n = 0; n < fabric.node_count(); ++n)
    for (const Port& port : fabric.ports(NodeId(n))) {
      const PortId far = far_end(fabric, port);
      if (far == kNoPort) continue;
      const Port& peer = fabric.port(far);
      const Cable cable{fabric.node(port.node).node_guid,
                        port.num,
                        fabric.node(peer.node).node_guid,
                        peer.num,
                        &port,
                        &fabric};
      if (std::tie(cable.node, cable.port) <= std::tie(cable.peer, cable.peer_port))
        cables.push_back(cable);
    }
  std::ranges::sort(cables, {}, &Cable::ends);
  return cables;
}

std::vector<const Node*> nodes_of(const Fabric& fabric) {
  std::vector<const Node*> nodes;
  for (const Node& node : fabric.nodes()) nodes.push_back(&node);
  std::ranges::sort(nodes, {}, &Node::node_guid);
  return nodes;
}

struct LidOwner {
  Guid guid;  // GUID of the port
  const Endport* endport = nullptr;
};

std::vector<LidOwner> lid_owners_of(const Fabric& fabric) {
  std::vector<LidOwner> owners;
  for (const Endport& endport : fabric.endports())
    owners.push_back({fabric.port(endport.port).guid, &endport});
  std::ranges::stable_sort(owners, {}, &LidOwner::guid);
  return owners;
}

/// Merges two sorted lists: for each key, calls `removed` if only `before` has it, `added` if only
/// `after` has it, else `both`.
template <class T, class Key, class Removed, class Added, class Both>
void merge(const std::vector<T>& before, const std::vector<T>& after, Key key, Removed removed,
           Added added, Both both) {
  auto b = before.begin();
  auto a = after.begin();
  while (b != before.end() || a != after.end()) {
    if (a == after.end() || (b != before.end() && key(*b) < key(*a))) {
      removed(*b++);
    } else if (b == before.end() || key(*a) < key(*b)) {
      added(*a++);
    } else {
      both(*b++, *a++);
    }
  }
}

class Comparison {
 public:
  Comparison(const Snapshot* before, const Snapshot& after) : before_(before), after_(after) {}

  std::vector<Event> events() && {
    nodes();
    links();
    lids();
    routes();
    return std::move(events_);
  }

 private:
  Event& add(weft_event_kind kind) {
    events_.push_back({});
    events_.back().kind = kind;
    events_.back().sweep = after_.sweep;
    return events_.back();
  }

  Event& about_node(weft_event_kind kind, const Node& node) {
    Event& event = add(kind);
    event.node = node.node_guid;
    event.name = node.description;
    return event;
  }

  Event& about_link(weft_event_kind kind, const Cable& cable) {
    Event& event = add(kind);
    event.node = cable.node;
    event.port = cable.port;
    event.peer = cable.peer;
    event.peer_port = cable.peer_port;
    event.name = cable.fabric->node(cable.at->node).description;
    const PortId far = far_end(*cable.fabric, *cable.at);
    event.peer_name = cable.fabric->node(cable.fabric->port(far).node).description;
    event.text = cable.kind();
    return event;
  }

  void nodes() {
    using List = std::vector<const Node*>;
    merge(
        before_ != nullptr ? nodes_of(before_->fabric) : List(), nodes_of(after_.fabric),
        [](const Node* node) { return node->node_guid; },
        [&](const Node* node) { about_node(WEFT_EVENT_NODE_GONE, *node); },
        [&](const Node* node) { about_node(WEFT_EVENT_NODE_APPEARED, *node); },
        [&](const Node* old, const Node* now) {
          if (old->description != now->description)
            about_node(WEFT_EVENT_NODE_RENAMED, *now).text = old->description;
        });
  }

  void links() {
    merge(
        before_ != nullptr ? cables_of(before_->fabric) : std::vector<Cable>(),
        cables_of(after_.fabric), [](const Cable& cable) { return cable.ends(); },
        [&](const Cable& cable) { about_link(WEFT_EVENT_LINK_GONE, cable); },
        [&](const Cable& cable) { about_link(WEFT_EVENT_LINK_APPEARED, cable); },
        [&](const Cable& old, const Cable& now) {
          if (old.kind() != now.kind())
            about_link(WEFT_EVENT_LINK_CHANGED, now).text =
                fmt::format("{}, was {}", now.kind(), old.kind());
        });
  }

  void about_lid(const Fabric& fabric, const Endport& endport, Lid before, Lid after) {
    if (before == after) return;
    Event& event = about_node(WEFT_EVENT_LID_CHANGED, fabric.node(endport.node));
    event.port = fabric.port(endport.port).num;
    event.lid = after;
    event.lid_before = before;
  }

  /// Reports LIDs of existing ports only; nodes() reports the nodes that are gone.
  void lids() {
    merge(
        before_ != nullptr ? lid_owners_of(before_->fabric) : std::vector<LidOwner>(),
        lid_owners_of(after_.fabric), [](const LidOwner& owner) { return owner.guid; },
        [](const LidOwner&) {},
        [&](const LidOwner& owner) {
          about_lid(after_.fabric, *owner.endport, kLidNone, owner.endport->lid);
        },
        [&](const LidOwner& old, const LidOwner& now) {
          about_lid(after_.fabric, *now.endport, old.endport->lid, now.endport->lid);
        });
  }

  void routes() {
    const std::uint64_t blocks = after_.report.table_blocks_written();
    const bool same_engine = before_ != nullptr && before_->routes.engine == after_.routes.engine;
    if (same_engine && blocks == 0) return;
    Event& event = add(WEFT_EVENT_ROUTES_CHANGED);
    event.text = after_.routes.engine;
    event.count = blocks;
  }

  const Snapshot* before_;
  const Snapshot& after_;
  std::vector<Event> events_;
};

Event event_with(weft_event_kind kind, std::uint64_t sweep, std::string text) {
  Event event;
  event.kind = kind;
  event.sweep = sweep;
  event.text = std::move(text);
  return event;
}

struct EventsOfOccurrence {
  const SweepReport& report;
  std::uint64_t sweep;

  std::vector<Event> operator()(const SweepBegun& begun) const {
    return {event_with(WEFT_EVENT_SWEEP_BEGUN, sweep + 1, begun.reason)};
  }
  std::vector<Event> operator()(const SweepEnded& ended) const {
    std::vector<Event> events{event_with(WEFT_EVENT_SWEEP_ENDED, sweep, ended.error)};
    if (!ended.up) events.push_back(event_with(WEFT_EVENT_ERROR, sweep, ended.error));
    for (const std::string& failure : report.applied.failures)
      events.push_back(event_with(WEFT_EVENT_ERROR, sweep, failure));
    for (const std::string& warning : report.warnings)
      events.push_back(event_with(WEFT_EVENT_WARNING, sweep, warning));
    return events;
  }
  std::vector<Event> operator()(const StateEntered& entered) const {
    return {event_with(WEFT_EVENT_STATE_CHANGED, sweep, std::string(name(entered.after)))};
  }
  std::vector<Event> operator()(const TrapReceived& trap) const {
    Event event = event_with(WEFT_EVENT_TRAP, sweep, trap.what);
    event.lid = trap.from;
    event.count = trap.number;
    return {event};
  }
  std::vector<Event> operator()(const PartitionsChanged& changed) const {
    Event event = event_with(WEFT_EVENT_PARTITION_CHANGED, sweep, changed.what);
    event.count = changed.base;
    return {event};
  }
  std::vector<Event> operator()(const RoutesRebalanced& rebalanced) const {
    return {event_with(WEFT_EVENT_ROUTES_REBALANCED, sweep, rebalanced.what)};
  }
  std::vector<Event> operator()(const PortHealthChanged& changed) const {
    Event event =
        event_with(changed.is_unhealthy ? WEFT_EVENT_PORT_UNHEALTHY : WEFT_EVENT_PORT_HEALTHY,
                   sweep, changed.what);
    event.node = changed.node;
    event.name = changed.name;
    event.port = changed.port;
    event.peer = changed.peer;
    event.peer_name = changed.peer_name;
    event.peer_port = changed.peer_port;
    return {event};
  }
  std::vector<Event> operator()(const PortRecovered& recovered) const {
    Event event = event_with(WEFT_EVENT_PORT_RECOVERED, sweep, "");
    event.node = recovered.node;
    event.name = recovered.name;
    event.port = recovered.port;
    event.peer = recovered.peer;
    event.peer_name = recovered.peer_name;
    event.peer_port = recovered.peer_port;
    return {event};
  }
  std::vector<Event> operator()(const ManagerNoticed& noticed) const {
    constexpr std::array<weft_event_kind, 3> kKinds{
        WEFT_EVENT_MANAGER_APPEARED, WEFT_EVENT_MANAGER_GONE, WEFT_EVENT_MANAGER_CHANGED};
    Event event = event_with(kKinds[static_cast<std::size_t>(noticed.what)], sweep,
                             std::string(name(noticed.state)));
    event.node = noticed.node;
    event.name = noticed.name;
    event.port = noticed.port;
    event.lid = noticed.lid;
    event.count = noticed.priority;
    return {event};
  }
};

}  // namespace

std::string_view name(weft_event_kind kind) {
  for (const auto& [known, word] : kNames)
    if (known == kind) return word;
  return "unknown";
}

std::vector<Event> compare(const Snapshot* before, const Snapshot& after) {
  return Comparison(before, after).events();
}

std::vector<Event> events_of(const Occurrence& occurrence, const SweepReport& report,
                             std::uint64_t sweep) {
  return std::visit(EventsOfOccurrence{report, sweep}, occurrence);
}

Event event_of(const ErrorRise& rise) {
  Event event = event_with(WEFT_EVENT_COUNTER_ERRORS, rise.sweep, std::string(name(rise.counter)));
  event.node = rise.node;
  event.name = rise.name;
  event.port = rise.port;
  event.peer = rise.peer;
  event.peer_name = rise.peer_name;
  event.peer_port = rise.peer_port;
  event.count_before = rise.before;
  event.count = rise.after;
  return event;
}

std::vector<Event> EventSource::collect(SubnetManager& sm) {
  std::vector<Event> events;
  const auto snapshot = sm.snapshot();
  std::vector<Event> changes;
  if (snapshot && snapshot != last_) {
    changes = compare(last_.get(), *snapshot);
    last_ = snapshot;
  }
  for (const Occurrence& occurrence : sm.take_occurrences()) {
    if (std::holds_alternative<SweepEnded>(occurrence))
      std::ranges::move(std::exchange(changes, {}), std::back_inserter(events));
    std::ranges::move(events_of(occurrence, sm.last_report(), sm.heavy_sweeps()),
                      std::back_inserter(events));
  }
  std::ranges::move(changes, std::back_inserter(events));
  if (const std::size_t lost = sm.occurrences_lost(); lost != lost_) {
    events.push_back(event_with(WEFT_EVENTS_LOST, sm.heavy_sweeps(), ""));
    events.back().count = lost - std::exchange(lost_, lost);
  }
  return events;
}

}  // namespace weft
