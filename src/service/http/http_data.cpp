#include "service/http/http_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/letters.h"
#include "base/text.h"
#include "service/config/key.h"
#include "service/error_sum.h"
#include "service/metrics/metrics.h"
#include "sm/election/election.h"
#include "verify/failure_text.h"

namespace weft::http_data {
std::string hex(Guid guid) { return fmt::format("0x{:016x}", guid.value()); }
std::string hex(Gid gid) {
  return fmt::format("{:016x}{:016x}", prefix_of(gid), guid_of(gid).value());
}
std::string hex(Pkey pkey) { return fmt::format("0x{:04x}", pkey.value()); }

std::string_view state_of(const Snapshot& snapshot, const Port& port) {
  constexpr std::array<std::string_view, 5> kNames{"unknown", "down", "init", "armed", "active"};
  const auto n = port.node.value();
  if (n >= snapshot.nodes.size()) return kNames[0];
  const ObservedNode& seen = snapshot.nodes[n];
  const std::size_t p = port.num.value();
  if (p >= seen.ports.size() || !seen.asked[p]) return kNames[0];
  const auto state = static_cast<std::size_t>(seen.ports[p].state);
  return kNames[state < kNames.size() ? state : 0];
}

Json verdict(const Verdict& verdict) {
  return {{"ok", verdict.ok()},
          {"unreachable", verdict.ca_to_ca.pairs - verdict.ca_to_ca.arrived},
          {"loops", verdict.loops},
          {"credit_loops", verdict.has_credit_loop()},
          {"switches_unreachable", verdict.ca_to_switch.missing() + verdict.switch_to_ca.missing()},
          {"lanes_missing", verdict.lanes_missing},
          {"replies", verdict.replies_ignored ? "ignored" : "counted"},
          {"single_sls", sl_ranges(verdict.single_sls)},
          {"why", all_complaints(verdict)}};
}

namespace {

constexpr double kGbpsOfUnit = 0.1;  // unit of data_rate_100mbit()

Json end_of(const Fabric& fabric, const Port& port) {
  const Node& node = fabric.node(port.node);
  return {{"node", hex(node.node_guid)}, {"name", node.description}, {"port", port.num.value()}};
}

void add_rate(const Port& port, Json& json) {
  json["width"] = name(port.width);
  json["speed"] = name(port.speed);
  json["gbps"] = data_rate_100mbit(port.width, port.speed) * kGbpsOfUnit;
}

/// The LID of the port, or of port 0 for an external switch port; null if there is none.
Json lid_of(const Fabric& fabric, const Port& port) {
  const PortNum holder = fabric.is_switch(port.node) ? PortNum(0) : port.num;
  const EndportId endport = fabric.endport_at(fabric.port_id(port.node, holder));
  if (endport == kNoEndport || fabric.endport(endport).lid == kLidNone) return nullptr;
  return fabric.endport(endport).lid.value();
}

Json port_json(const Snapshot& snapshot, const Port& port) {
  const Fabric& fabric = snapshot.fabric;
  Json json = end_of(fabric, port);
  json["guid"] = hex(port.guid);
  json["lid"] = lid_of(fabric, port);
  json["state"] = state_of(snapshot, port);
  json["peer"] = nullptr;
  if (port.peer == kNoPort) return json;
  add_rate(port, json);
  json["mtu"] = bytes(port.mtu_cap);
  json["data_vls"] = port.data_vls;
  json["peer"] = end_of(fabric, fabric.port(port.peer));
  return json;
}

Json node_json(const Fabric& fabric, NodeId id) {
  const Node& node = fabric.node(id);
  const auto ports = fabric.ports(id);
  std::size_t connected = 0;
  Json lids = Json::array();
  for (const Port& port : ports) {
    if (port.peer != kNoPort) ++connected;
    const EndportId endport = fabric.endport_at(fabric.port_id(id, port.num));
    if (endport != kNoEndport && fabric.endport(endport).lid != kLidNone)
      lids.push_back(fabric.endport(endport).lid.value());
  }
  return {{"guid", hex(node.node_guid)}, {"type", name(node.type)},
          {"name", node.description},    {"lids", std::move(lids)},
          {"ports", node.port_count},    {"ports_connected", connected}};
}

/// Collects the items within the page and counts all items.
class Pager {
 public:
  Pager(std::string_view name, Page page) : name_(name), page_(page) {}
  template <class Make>
  void add(Make make) {
    if (total_ >= page_.offset && items_.size() < page_.limit) items_.push_back(make());
    ++total_;
  }
  Json take() { return {{"total", total_}, {"offset", page_.offset}, {name_, std::move(items_)}}; }

 private:
  std::string name_;
  Page page_;
  std::size_t total_ = 0;
  Json items_ = Json::array();
};

Json seconds_json(const SweepReport& report) {
  const auto& seconds = report.seconds;
  return {{"observe", seconds.observe}, {"read_tables", seconds.read_tables},
          {"lids", seconds.lids},       {"route", seconds.route},
          {"verify", seconds.verify},   {"diff", seconds.diff},
          {"apply", seconds.apply},     {"total", seconds.total}};
}

Json sweep_json(std::uint64_t number, const SweepReport& report) {
  return {{"number", number},
          {"reason", report.reason},
          {"seconds", seconds_json(report)},
          {"changes", report.changes.size()},
          {"warnings", report.warnings}};
}

/// Null if no switch has AR groups.
Json adaptive_json(const Snapshot& snapshot) {
  if (!snapshot.routes.adaptive) return nullptr;
  const ArReport& report = snapshot.report.adaptive;
  return {{"switches", report.on},
          {"notifying", report.notifying},
          {"errors", report.errors},
          {"failures", report.failures},
          {"ended", report.ended}};
}

Json routes_json(const Snapshot& snapshot) {
  Json fallbacks = Json::array();
  for (const EngineAttempt& attempt : snapshot.report.engines_failed)
    fallbacks.push_back({{"engine", attempt.engine}, {"reason", attempt.reason}});
  return {{"engine", snapshot.routes.engine},    {"fallbacks", std::move(fallbacks)},
          {"vls", snapshot.routes.vls},          {"notes", snapshot.routes.notes},
          {"adaptive", adaptive_json(snapshot)}, {"verify", verdict(snapshot.verdict)}};
}

}  // namespace

Json fabric(const SmBoard::Posted& posted, const std::string& version) {
  const SmStatus& status = posted.status;
  const std::string why = reason_not_ready(posted);
  Json managers = Json::array();
  for (const ManagerStatus& manager : status.managers) {
    managers.push_back({{"guid", hex(manager.guid)},
                        {"state", name(manager.state)},
                        {"priority", manager.priority},
                        {"self", manager.self},
                        {"name", nullptr},
                        {"node", nullptr},
                        {"port", nullptr},
                        {"lid", nullptr}});
    Json& json = managers.back();
    if (manager.lid != kLidNone) json["lid"] = manager.lid.value();
    if (manager.node == Guid(0)) continue;
    json["name"] = manager.name;
    json["node"] = hex(manager.node);
    json["port"] = manager.port.value();
  }
  Json json{{"version", version},
            {"emulated", posted.settings->emulated},
            {"state", name(status.state)},
            {"priority", status.priority},
            {"ready", why.empty()},
            {"reason", why},
            {"up", status.up},
            {"error", status.error},
            {"sweeping", status.sweeping},
            {"heavy_sweeps", status.heavy_sweeps},
            {"history", !posted.settings->history_file.empty()},
            {"managers", std::move(managers)},
            {"fabric", nullptr},
            {"routes", nullptr},
            {"sweep", nullptr},
            {"full_sweep", nullptr}};
  if (status.tally.full) {
    json["full_sweep"] = sweep_json(status.tally.full_number, *status.tally.full);
    json["full_sweep"]["up"] = status.tally.full->up;
    json["full_sweep"]["error"] = status.tally.full->error;
  }
  if (!posted.snapshot) return json;
  const Snapshot& snapshot = *posted.snapshot;
  const Fabric& fabric = snapshot.fabric;
  json["fabric"] = {{"switches", fabric.switch_count()},
                    {"hosts", fabric.ca_count()},
                    {"links", fabric.link_count()},
                    {"switch_links", fabric.switch_link_count()},
                    {"lid_top", fabric.lid_top().value()}};
  json["routes"] = routes_json(snapshot);
  json["sweep"] = sweep_json(snapshot.sweep, snapshot.report);
  return json;
}

Json nodes(const Snapshot& snapshot, std::string_view type, std::string_view part, Page page) {
  const Fabric& fabric = snapshot.fabric;
  Pager pager("nodes", page);
  for (std::uint32_t n = 0; n < fabric.node_count(); ++n) {
    const Node& node = fabric.node(NodeId(n));
    if (!type.empty() && name(node.type) != type) continue;
    if (node.description.find(part) == std::string::npos) continue;
    pager.add([&] { return node_json(fabric, NodeId(n)); });
  }
  return pager.take();
}

Json node(const Snapshot& snapshot, NodeId id) {
  const Fabric& fabric = snapshot.fabric;
  Json json = node_json(fabric, id);
  const Node& node = fabric.node(id);
  json["system_guid"] = hex(node.system_guid);
  json["vendor_id"] = node.vendor_id;
  json["device_id"] = node.device_id;
  json["port_list"] = Json::array();
  for (const Port& port : fabric.ports(id).subspan(1))
    json["port_list"].push_back(port_json(snapshot, port));
  return json;
}

Json ports(const Snapshot& snapshot, bool connected, Page page) {
  const Fabric& fabric = snapshot.fabric;
  Pager pager("ports", page);
  for (std::uint32_t n = 0; n < fabric.node_count(); ++n)
    for (const Port& port : fabric.ports(NodeId(n)).subspan(1))
      if (!connected || port.peer != kNoPort) pager.add([&] { return port_json(snapshot, port); });
  return pager.take();
}

/// Each link once, at its first end.
Json links(const Snapshot& snapshot, Page page) {
  const Fabric& fabric = snapshot.fabric;
  Pager pager("links", page);
  for (std::uint32_t n = 0; n < fabric.node_count(); ++n)
    for (const Port& port : fabric.ports(NodeId(n)).subspan(1)) {
      if (port.peer == kNoPort) continue;
      const Port& peer = fabric.port(port.peer);
      if (std::pair(peer.node, peer.num) < std::pair(port.node, port.num)) continue;
      pager.add([&] {
        Json json{{"a", end_of(fabric, port)}, {"b", end_of(fabric, peer)}};
        add_rate(port, json);
        json["state"] = state_of(snapshot, port);
        json["between_switches"] = fabric.is_switch(port.node) && fabric.is_switch(peer.node);
        return json;
      });
    }
  return pager.take();
}

namespace {

Result<EndportId> find_end(const Fabric& fabric, std::string_view text) {
  const auto missing = [&](std::string_view why) {
    return fail(Code::kUsage, "{}: {}", quoted(text), why);
  };
  if (const auto lid = parse_number<std::uint16_t>(text)) {
    const EndportId holder = fabric.endport_of(Lid(*lid));
    if (holder == kNoEndport) return missing("LID is not assigned");
    return holder;
  }
  std::optional<NodeId> node;
  const auto guid = text.starts_with("0x") ? parse_number<std::uint64_t>(text, 16) : std::nullopt;
  if (guid) {
    if (const auto endport = fabric.find_endport(Guid(*guid))) return *endport;
    node = fabric.find_node(Guid(*guid));
  } else {
    for (std::uint32_t n = 0; n < fabric.node_count(); ++n) {
      if (fabric.node(NodeId(n)).description != text) continue;
      if (node) return missing("several nodes have this name; use the GUID");
      node = NodeId(n);
    }
  }
  if (!node) return missing("no node of the fabric has this name or GUID");
  for (const Port& port : fabric.ports(*node)) {
    const EndportId endport = fabric.endport_at(fabric.port_id(*node, port.num));
    if (endport != kNoEndport && fabric.endport(endport).lid != kLidNone) return endport;
  }
  return missing("no port of this node has a LID");
}

Json hop_json(const Fabric& fabric, const Port& out, Vl vl) {
  Json json{{"from", end_of(fabric, out)}, {"to", nullptr}, {"vl", vl.value()}};
  if (out.peer != kNoPort) {
    json["to"] = end_of(fabric, fabric.port(out.peer));
    add_rate(out, json);
  }
  return json;
}

}  // namespace

/// Follows the forwarding tables hop by hop. `hop_count` excludes the link from a host to its
/// switch, as in Quality and OpenSM.
Result<Json> path(const Snapshot& snapshot, std::string_view from, std::string_view to) {
  const Fabric& fabric = snapshot.fabric;
  const auto source = find_end(fabric, from);
  if (!source) return forward(source);
  const auto target = find_end(fabric, to);
  if (!target) return forward(target);
  const Endport& start = fabric.endport(*source);
  const Endport& end = fabric.endport(*target);
  const bool starts_at_host = !fabric.is_switch(start.node);
  Json hops = Json::array();
  Sl sl(0);
  if (*source != *target) {
    if (start.sw == kNoSwitch || end.sw == kNoSwitch)
      return fail(Code::kUsage, "no routes: the host is not connected to a switch");
    sl = snapshot.routes.path_sl.sl(fabric, *source, end.lid);
    PortNum in(0);
    if (starts_at_host) {
      const SlMap* own = snapshot.lanes.end_map(start.port);
      const SlMap& map = own ? *own : snapshot.routes.sl2vl.common();
      hops.push_back(hop_json(fabric, fabric.port(start.port), Vl(map[sl.value()])));
      in = start.sw_port;
    }
    SwitchId at = start.sw;
    while (!(at == end.sw && fabric.is_switch(end.node))) {
      const PortNum out = snapshot.routes.lfts.port(at, end.lid);
      const PortId port = out == kNoRoute ? kNoPort : fabric.port_id(Fabric::node_of(at), out);
      if (port == kNoPort || fabric.port(port).peer == kNoPort ||
          hops.size() > fabric.switch_count())
        return fail(Code::kUnroutable, "LID {} is unreachable from {}", end.lid.value(),
                    describe(fabric.node(at)));
      hops.push_back(
          hop_json(fabric, fabric.port(port), snapshot.routes.sl2vl.vl(at, in, out, sl)));
      const Port& next = fabric.port(fabric.port(port).peer);
      if (!fabric.is_switch(next.node)) {
        if (next.node == end.node) break;
        return fail(Code::kUnroutable, "packets for LID {} arrive at {}", end.lid.value(),
                    describe(fabric.node(next.node)));
      }
      at = SwitchId(next.node.value());
      in = next.num;
    }
  }
  return Json{{"from", end_of(fabric, fabric.port(start.port))},
              {"to", end_of(fabric, fabric.port(end.port))},
              {"slid", start.lid.value()},
              {"dlid", end.lid.value()},
              {"sl", sl.value()},
              {"hop_count", hops.size() - (starts_at_host && !hops.empty() ? 1 : 0)},
              {"hops", std::move(hops)}};
}

namespace {

/// Calls `take` for each P_Key of each endport.
template <class Take>
void for_each_membership(const Snapshot& snapshot, Take take) {
  for (const Endport& endport : snapshot.fabric.endports()) {
    if (!snapshot.pkeys.programs(endport.port)) continue;
    for (const Pkey pkey : snapshot.pkeys.table(endport.port))
      if ((pkey.value() & kPkeyBaseMask) != 0) take(endport, pkey);
  }
}

Json partition_head(const Snapshot& snapshot, std::uint16_t base) {
  Json json{{"pkey", fmt::format("0x{:04x}", base)}, {"name", nullptr}};
  json["ipoib"] = false;
  for (const FiledPartition& partition : snapshot.partitions.partitions) {
    if (partition.base != base) continue;
    if (json["name"].is_null()) json["name"] = partition.name;
    if (partition.ipoib) json["ipoib"] = true;
  }
  return json;
}

/// Ports named in the file that are not on the fabric; the last membership of a port counts.
Json absent_members(const Snapshot& snapshot, std::uint16_t base) {
  std::map<Guid, Membership> absent;
  for (const FiledPartition& partition : snapshot.partitions.partitions)
    for (const FiledMember& member : partition.members)
      if (partition.base == base && member.kind == MemberKind::kGuid &&
          !snapshot.fabric.find_endport(member.guid))
        absent[member.guid] = member.membership;
  Json list = Json::array();
  for (const auto& [guid, membership] : absent)
    list.push_back({{"guid", hex(guid)}, {"membership", word(membership)}});
  return list;
}

}  // namespace

Json partitions(const Snapshot& snapshot) {
  struct Members {
    std::size_t full = 0, limited = 0;
  };
  std::map<std::uint16_t, Members> by_base;
  for (const FiledPartition& partition : snapshot.partitions.partitions) by_base[partition.base];
  for_each_membership(snapshot, [&](const Endport&, Pkey pkey) {
    Members& members = by_base[pkey.value() & kPkeyBaseMask];
    ++((pkey.value() & kPkeyFullBit) != 0 ? members.full : members.limited);
  });
  Json list = Json::array();
  for (const auto& [base, members] : by_base) {
    list.push_back(partition_head(snapshot, base));
    list.back()["full_members"] = members.full;
    list.back()["limited_members"] = members.limited;
  }
  return {{"partitions", std::move(list)}};
}

Result<Json> partition(const Snapshot& snapshot, std::uint16_t base) {
  Json members = Json::array();
  for_each_membership(snapshot, [&](const Endport& endport, Pkey pkey) {
    if ((pkey.value() & kPkeyBaseMask) != base) return;
    const Port& port = snapshot.fabric.port(endport.port);
    Json member = end_of(snapshot.fabric, port);
    member["guid"] = hex(port.guid);
    member["membership"] = (pkey.value() & kPkeyFullBit) != 0 ? "full" : "limited";
    members.push_back(std::move(member));
  });
  const bool in_file =
      std::ranges::find(snapshot.partitions.partitions, base, &FiledPartition::base) !=
      snapshot.partitions.partitions.end();
  if (members.empty() && !in_file)
    return fail(Code::kUsage, "no partition has P_Key 0x{:04x}", base);
  Json json = partition_head(snapshot, base);
  json["members"] = std::move(members);
  json["absent_members"] = absent_members(snapshot, base);
  return json;
}

Json multicast(const sa::State& state) {
  Json list = Json::array();
  for (const auto& [mgid, group] : state.groups.all()) {
    Json members = Json::array();
    for (const auto& [guid, member] : group.members)
      members.push_back({{"guid", hex(guid)}, {"join_state", member.state}});
    list.push_back({{"mgid", hex(mgid)},
                    {"mlid", group.record.mlid.value()},
                    {"pkey", hex(group.record.pkey)},
                    {"qkey", group.record.qkey},
                    {"mtu", group.record.mtu},
                    {"rate", group.record.rate},
                    {"sl", group.record.sl.value()},
                    {"of_partition", group.well_known},
                    {"members", std::move(members)}});
  }
  return {{"groups", std::move(list)}};
}

Json subscriptions(const sa::State& state) {
  Json list = Json::array();
  for (const auto& [id, subscription] : state.subscriptions.all())
    list.push_back({{"id", id},
                    {"subscriber", hex(subscription.subscriber)},
                    {"lid", subscription.address.lid.value()},
                    {"trap", subscription.info.trap},
                    {"generic", subscription.info.generic},
                    {"unheard", subscription.unacknowledged}});
  return {{"subscriptions", std::move(list)}};
}

Json configuration(const Settings& settings) {
  Json list = Json::array();
  for (const Section& section : sections())
    for (const Key& key : section.keys) {
      const bool secret = key.secrecy != Secrecy::kNone;
      const std::string value = value_text(settings, key);
      list.push_back({{"key", key.name},
                      {"value", secret ? Json(nullptr) : Json(value)},
                      {"secret", secret},
                      {"default", value == value_text(default_settings(), key)},
                      {"section", section.title},
                      {"about", key.about}});
    }
  return {{"settings", std::move(list)}};
}

namespace {

/// Match of a node: 0: none, 1: partial, 2: exact.
int match(const Fabric& fabric, NodeId id, const std::string& wanted,
          std::optional<std::uint16_t> lid) {
  constexpr std::size_t kGuidDigits = 4;
  const std::string name = lower(fabric.node(id).description);
  if (name == wanted) return 2;
  bool part = name.find(wanted) != std::string::npos;
  const bool guid = wanted.size() >= kGuidDigits;
  if (guid && hex(fabric.node(id).node_guid).find(wanted) != std::string::npos) part = true;
  for (const Port& port : fabric.ports(id)) {
    const EndportId endport = fabric.endport_at(fabric.port_id(id, port.num));
    if (endport == kNoEndport) continue;
    if (lid && *lid != 0 && fabric.endport_of(Lid(*lid)) == endport) return 2;
    if (guid && hex(port.guid).find(wanted) != std::string::npos) part = true;
  }
  return part ? 1 : 0;
}

Json counters_json(const CounterValues& values, std::size_t count, bool zeros) {
  Json json = Json::object();
  for (std::size_t i = 0; i < count; ++i)
    if (zeros || values[i] > 0) json[std::string(name(counter_at(i)))] = values[i];
  return json;
}

}  // namespace

Json search(const Snapshot& snapshot, std::string_view text, std::size_t limit) {
  const Fabric& fabric = snapshot.fabric;
  const std::string wanted = lower(text);
  const auto lid = parse_number<std::uint16_t>(text);
  std::vector<NodeId> whole, part;
  for (std::uint32_t n = 0; n < fabric.node_count(); ++n) {
    const int found = match(fabric, NodeId(n), wanted, lid);
    if (found > 0) (found == 2 ? whole : part).push_back(NodeId(n));
  }
  const std::size_t total = whole.size() + part.size();
  whole.insert(whole.end(), part.begin(), part.end());
  Json list = Json::array();
  for (const NodeId id : whole) {
    if (list.size() == limit) break;
    list.push_back(node_json(fabric, id));
  }
  return {{"total", total}, {"nodes", std::move(list)}};
}

Json errors(const Fabric& fabric, const PortCountsTable& counted) {
  Json list = Json::array();
  if (counted)
    for (const PortCounts& port : *counted) {
      const std::uint64_t sum = errors_of(port.total);
      if (sum == 0) continue;
      const auto node = fabric.find_node(port.node);
      list.push_back({{"node", hex(port.node)},
                      {"name", node ? fabric.node(*node).description : ""},
                      {"port", port.port.value()},
                      {"errors", sum},
                      {"counters", counters_json(port.total, kErrorCounterCount, false)}});
    }
  return {{"counted", counted != nullptr}, {"ports", std::move(list)}};
}

Json counters(Guid node, const PortCountsTable& counted) {
  Json list = Json::array();
  if (counted)
    for (const PortCounts& port : *counted)
      if (port.node == node)
        list.push_back({{"port", port.port.value()},
                        {"errors", errors_of(port.total)},
                        {"counters", counters_json(port.total, kCounterCount, true)}});
  return {{"counted", counted != nullptr}, {"ports", std::move(list)}};
}

std::string text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace weft::http_data
