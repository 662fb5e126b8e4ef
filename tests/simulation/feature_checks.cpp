// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Checks of World for adaptive routing and virtual ports. No forwarding loop exists through any
// port of an AR group. Switches forward by the published AR groups, and use their private tables.
// Virtual ports are known, active and in their partitions.
#include <bitset>

#include "devices.h"
#include "ib/adaptive.h"
#include "ib/vendor/private_lfts.h"
#include "private_tables.h"
#include "verify/copies/copied_lids.h"
#include "world.h"

namespace weft::simulation {
namespace {

/// Searches for a cycle among switches; `next` calls its second argument for each next switch.
template <class Next>
class LoopSearch {
 public:
  LoopSearch(std::uint32_t switches, const Next& next) : next_(next), state_(switches, kNew) {}
  /// A switch in a cycle; empty if there is no cycle.
  std::optional<std::uint32_t> find() {
    for (std::uint32_t sw = 0; sw < state_.size() && !found_; ++sw) visit(sw);
    return found_;
  }

 private:
  enum State : std::uint8_t { kNew, kOpen, kDone };
  void visit(std::uint32_t sw) {
    if (state_[sw] == kOpen) found_ = sw;
    if (state_[sw] != kNew || found_) return;
    state_[sw] = kOpen;
    next_(sw, [&](std::uint32_t to) { visit(to); });
    state_[sw] = kDone;
  }
  const Next& next_;
  std::vector<State> state_;
  std::optional<std::uint32_t> found_;
};

}  // namespace

/// Number of Sets of attributes of adaptive routing so far.
std::uint64_t World::adaptive_sets() const {
  std::uint64_t sum = 0;
  for (const AttributeId attribute :
       {kAdaptiveRoutingInfo, kArGroupTable, kArForwardingTable, kPrivateLftInfo})
    sum += emulated_.counters().requests(Method::kSet, attribute);
  return sum;
}

/// The pLFT that a switch uses for packets with an SL that enter by a port.
std::uint32_t World::table_of(std::uint32_t sw, PortNum in, Sl sl) const {
  const emulator::AdaptiveModel& model = emulated_.adaptive(SwitchId(sw));
  return model.info.enabled ? model.plft.table(in, sl) : 0;
}

/// Checks that no forwarding loop exists through any port that a switch may select for a packet. A
/// packet that returns to a switch loops only if the switch uses the same pLFT.
void World::check_group_ports(const Forwarding& now) {
  constexpr std::uint32_t kTables = 4;
  const std::uint32_t switches = fabric_.switch_count();
  std::size_t top = 0;
  for (const auto& table : now.tables) top = std::max(top, table.size());
  for (std::size_t lid = 1; lid < top; ++lid) {
    const Lid at(static_cast<std::uint16_t>(lid));
    for (const Sl sl : {Sl(0), Sl(1)}) {
      if (sl != Sl(0) && !plan_.private_lfts) break;
      const auto next = [&](std::uint32_t state, const auto& body) {
        const std::uint32_t sw = state / kTables, number = state % kTables;
        const auto& table = now.tables[sw];
        if (lid >= table.size() || (number > 0 && !uses_table(sw, number, sl))) return;
        const ArLftEntry* const entry = emulated_.adaptive(SwitchId(sw)).entry(at, number);
        const std::bitset<256> live = emulated_.live_choices(SwitchId(sw), at, number);
        const unsigned port = entry != nullptr ? entry->default_port.value() : table[lid];
        for (unsigned p = 0; p < live.size(); ++p)
          if (live.any() ? live.test(p) : p == port)
            if (const std::uint32_t to = now.next[sw * kPortsMax + p]; to < switches)
              body(to * kTables + table_of(to, port_behind(sw, p), sl));
      };
      if (const auto state = LoopSearch(switches * kTables, next).find())
        return fail(fmt::format("packets to LID {} may loop through {}", lid,
                                describe(fabric_.node(SwitchId(*state / kTables)))));
    }
  }
}

/// The port at the other end of the cable of a switch port.
PortNum World::port_behind(std::uint32_t sw, unsigned port) const {
  const PortId out = fabric_.port_id(NodeId(sw), PortNum(static_cast<std::uint8_t>(port)));
  const PortId peer = out == kNoPort ? kNoPort : fabric_.port(out).peer;
  return peer == kNoPort ? PortNum(0) : fabric_.port(peer).num;
}

/// Whether a switch uses a pLFT for packets of some port.
bool World::uses_table(std::uint32_t sw, std::uint32_t table, Sl sl) const {
  for (unsigned in = 0; in <= fabric_.node(SwitchId(sw)).port_count; ++in)
    if (table_of(sw, PortNum(static_cast<std::uint8_t>(in)), sl) == table) return true;
  return false;
}

/// Checks that a switch with adaptive routing enabled forwards as published. A switch in which AR
/// groups could not be programmed forwards by its plain table; the verdict covers its paths too.
/// With dfp2, each switch with the capabilities must use its private tables.
void World::check_groups(const ManagerProcess& process, const Snapshot& snapshot) {
  if (!plan_.adaptive) return;
  for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s) {
    const emulator::AdaptiveModel& model = emulated_.adaptive(SwitchId(s));
    if (!model.info.enabled) continue;
    ++outcome_.coverage["switches with adaptive routing at the end"];
    if (model.info.rn_transmission) ++outcome_.coverage["switches with notifications at the end"];
    if (model.plft.in_use()) ++outcome_.coverage["switches with private tables at the end"];
  }
  if (const std::string other = find_differing_ports(emulated_, snapshot.fabric, snapshot.routes);
      !other.empty())
    return fail(other);
  if (process.options().routing_engine.engines.front() != "dfp2") return;
  ++outcome_.coverage["worlds with dfp2 at the end"];
  if (const std::string other =
          find_differing_use_of_tables(emulated_, device_options(plan_), snapshot.fabric);
      !other.empty())
    fail(other);
}

/// The number of virtual ports with each GUID, of all hosts. Two ports may have one GUID: a reset
/// host has the GUIDs of its power-up again, although a GUID may have moved to another host.
std::map<Guid, unsigned> World::vport_guids() const {
  std::map<Guid, unsigned> guids;
  for (const Endport& endport : fabric_.endports())
    if (const emulator::VirtualPorts* const ports = emulated_.virtual_ports(endport.port))
      for (std::uint16_t i = 1; i < ports->vports.size(); ++i)
        if (ports->is_up(i)) ++guids[ports->vports[i].info.port_guid];
  return guids;
}

/// The first wrong virtual port and the reason; empty if all virtual ports are as expected.
std::string World::wrong_vport(const Snapshot& snapshot) const {
  const std::map<Guid, unsigned> guids = vport_guids();
  for (const Endport& endport : fabric_.endports()) {
    const emulator::VirtualPorts* const ports = emulated_.virtual_ports(endport.port);
    if (ports == nullptr || ports->support == emulator::VirtualSupport::kNone ||
        ports->support == emulator::VirtualSupport::kSilent)
      continue;
    const Guid host = fabric_.port(endport.port).guid;
    for (std::uint16_t i = 1; i < ports->vports.size(); ++i) {
      const emulator::Vport& vport = ports->vports[i];
      if (!ports->is_up(i) || guids.at(vport.info.port_guid) > 1) continue;
      const std::string name = fmt::format("vport {} of {}", i, describe(fabric_, endport.port));
      const auto owner = snapshot.vports.owners().find(vport.info.port_guid);
      if (owner == snapshot.vports.owners().end()) return name + " is not in the snapshot";
      if (owner->second != VportOwner{host, i}) return name + " has another owner in the snapshot";
      if (vport.info.state != PortState::kActive) return name + " is not ACTIVE";
      const auto planned = snapshot.pkeys.vport_table(vport.info.port_guid);
      const PkeyTable held = *decode_pkey_table(vport.pkeys[0]);
      if (!std::ranges::equal(planned, std::span(held.pkeys).first(planned.size())))
        return name + " has other P_Keys than planned";
      if (plan_.own_lids)
        if (const std::string wrong = wrong_own_lid(snapshot, vport.info.port_guid, vport.info.lid);
            !wrong.empty())
          return name + wrong;
    }
  }
  return {};
}

/// What is wrong with the LID that a virtual port reports; empty if it is the assigned LID, and
/// shares the paths of its host.
std::string World::wrong_own_lid(const Snapshot& snapshot, Guid vport, Lid held) const {
  const Lid assigned = snapshot.vport_lids.of(vport);
  if (held == kLidNone || held != assigned)
    return fmt::format(" has LID {}, assigned is {}", held.value(), assigned.value());
  const auto host = snapshot.fabric.find_endport(snapshot.vports.owners().at(vport).host);
  const auto copy = std::ranges::lower_bound(snapshot.copies, assigned, {}, &LidCopy::lid);
  if (!host || copy == snapshot.copies.end() || copy->lid != assigned ||
      copy->of != snapshot.fabric.endport(*host).lid)
    return fmt::format(": LID {} does not share the path of its host", assigned.value());
  return {};
}

/// Checks that the own LIDs of virtual ports are unique, that their entries are those of their
/// hosts, and that a virtual port keeps the LID that the manager last assigned, unless another port
/// has the LID.
void World::check_vport_lids(const ManagerProcess& process, const Snapshot& snapshot) {
  std::set<Lid> used;
  for (const Endport& endport : snapshot.fabric.endports())
    for (unsigned i = 0; endport.lid != kLidNone && i < 1u << endport.lmc; ++i)
      used.insert(Lid(static_cast<std::uint16_t>(endport.lid.value() + i)));
  for (const auto& [guid, lid] : snapshot.vport_lids.all())
    if (!used.insert(lid).second)
      return fail(fmt::format("LID {} of virtual port 0x{:x} is assigned twice", lid.value(),
                              guid.value()));
  if (const auto differing = count_differing_copies(snapshot.routes, snapshot.copies);
      differing > 0)
    return fail(fmt::format("{} entries of own LIDs differ from those of the hosts", differing));
  std::map<Guid, Lid>& assigned = vport_lids_by_[&process];
  for (const auto& [guid, lid] : snapshot.vport_lids.all()) {
    const auto before = vport_lids_.find(guid);
    if (!lids_may_move_ && before != vport_lids_.end() && before->second != lid &&
        assigned.contains(guid) && assigned[guid] == before->second &&
        !used.contains(before->second))
      fail(fmt::format("virtual port 0x{:x} had LID {} and now has LID {}", guid.value(),
                       before->second.value(), lid.value()));
    vport_lids_[guid] = assigned[guid] = lid;
    ++outcome_.coverage["own LIDs of virtual ports"];
  }
}

/// Checks that all devices get the keys of the current version, and the configured settings of
/// congestion control. Devices that did not answer are queried again after pauses, and the
/// protection of a device with an unknown key ends with its lease, after a MAD with a wrong key.
void World::check_agents(const ManagerProcess& process) {
  if (!plan_.has_agents() || !is_running()) return;
  constexpr TimeNs kPausesMax = 1200 * kSecond;
  const TimeNs end = emulated_.clock().now() + kPausesMax;
  const auto wrong = [&]() -> std::string {
    if (!process.runs() || process.agents() == nullptr) return "the manager does not run";
    return process.agents()->settled() ? process.agents()->wrong_device() : "requests are pending";
  };
  std::string last = wrong();
  while (is_running() && !last.empty() && emulated_.clock().now() < end) {
    if (process.agents()->settled()) process.agents()->begin_round();
    const TimeNs round_end = std::min(end, emulated_.clock().now() + 20 * kSecond);
    while (is_running() && emulated_.clock().now() < round_end && !(last = wrong()).empty())
      advance_until(emulated_.clock().now() + kSecond / 10);
  }
  if (!is_running()) return;
  if (!last.empty()) return fail("agents: " + last);
  ++outcome_.coverage["worlds with all keys and settings at the end"];
}

}  // namespace weft::simulation
