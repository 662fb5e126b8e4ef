// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Checks of World: invariants during the run, and conditions after the last fault.
#include <algorithm>
#include <fstream>

#include "devices.h"
#include "emulator/snapshot.h"
#include "support/fabric_state.h"
#include "verify/failure_text.h"
#include "verify/verify.h"
#include "world.h"

namespace weft::simulation {
namespace {

constexpr std::uint64_t kRepairSweepsMax = 12;
constexpr TimeNs kTimeToRepair = 120 * kSecond;
/// Time for a light sweep in progress. kToSettlePort is the time to read and write all tables of a
/// port: managers are stepped alternately, and take 1 ms for two SMPs.
constexpr TimeNs kToSettle = 20 * kSecond;
constexpr TimeNs kToSettlePort = std::chrono::milliseconds(30);
constexpr TimeNs kUnchangedTime = 60 * kSecond;
constexpr std::size_t kDifferencesShown = 5;

std::uint64_t sets(const EmulatorCounters& counters) {
  std::uint64_t sum = 0;
  for (const std::uint64_t count : counters.sets) sum += count;
  return sum - counters.requests(Method::kSet, AttributeId::kSmInfo);
}

std::string some_of(const std::vector<std::string>& all) {
  std::string text;
  for (std::size_t i = 0; i < std::min(all.size(), kDifferencesShown); ++i)
    text += (i == 0 ? "" : "; ") + all[i];
  return all.size() > kDifferencesShown
             ? fmt::format("{}; and {} more", text, all.size() - kDifferencesShown)
             : text;
}

/// Whether the verdict is PASS without the pairs of hosts that have no plane in common: while a
/// manager does not know all links, such pairs are no fault of the routes.
bool has_no_failure(Verdict verdict) {
  verdict.ca_to_ca.pairs -= verdict.ca_to_ca.cut_off;
  return verdict.ok();
}

/// Writes the LIDs of a fabric in the format of guid2lid.
void write_lids(const Fabric& fabric, const std::string& path) {
  std::ofstream file(path);
  for (const Endport& endport : fabric.endports())
    if (endport.lid != kLidNone)
      file << fmt::format("0x{:016x} 0x{:04x} 0x{:04x}\n\n", fabric.port(endport.port).guid.value(),
                          endport.lid.value(), endport.lid.value() + (1u << endport.lmc) - 1);
}

/// Differences between the LFTs of a published snapshot and of the fabric, at most one for each
/// switch.
std::vector<std::string> table_differences(const EmulatedFabric& emulated,
                                           const Snapshot& snapshot) {
  std::vector<std::string> wrong;
  const Fabric& known = snapshot.fabric;
  const Fabric& real_fabric = emulated.fabric();
  for (std::uint32_t s = 0; s < known.switch_count(); ++s) {
    const auto real_switch = real_fabric.find_node(known.node(SwitchId(s)).node_guid);
    if (!real_switch) {
      wrong.push_back(describe(known.node(SwitchId(s))) + " does not exist");
      continue;
    }
    const auto real_lft = emulated.lft(SwitchId(real_switch->value()));
    for (unsigned lid = 1; lid <= snapshot.routes.lfts.top().value(); ++lid) {
      const PortNum port =
          snapshot.routes.lfts.port(SwitchId(s), Lid(static_cast<std::uint16_t>(lid)));
      const PortNum programmed = lid < real_lft.size() ? PortNum(real_lft[lid]) : kNoRoute;
      if (port == programmed) continue;
      wrong.push_back(fmt::format("{} sends LID {} to port {}, not {}",
                                  describe(known.node(SwitchId(s))), lid, programmed.value(),
                                  port.value()));
      break;
    }
  }
  return wrong;
}

/// Removes the entries of LIDs that no endport has, and LinearFDBTop, which depends on them.
void remove_own_lids(const Fabric& fabric, FabricState& state) {
  for (auto& lft : state.lfts) {
    lft.resize(fabric.lid_top().value() + std::size_t{1}, kNoRoute.value());
    for (std::size_t lid = 0; lid < lft.size(); ++lid)
      if (fabric.endport_of(Lid(static_cast<std::uint16_t>(lid))) == kNoEndport)
        lft[lid] = kNoRoute.value();
  }
  for (SwitchInfo& info : state.switches) info.linear_fdb_top = {};
}

/// The state of a cable that should carry data, and of the switches at its ends.
std::string describe_cable_without_data(const EmulatedFabric& emulated, PortId port) {
  const Fabric& fabric = emulated.fabric();
  std::string text = "no data over";
  for (const PortId end : {port, fabric.port(port).peer}) {
    const PortInfo& info = emulated.port_info(end);
    text += fmt::format(" {} in state {}, physically {};", describe(fabric, end),
                        static_cast<unsigned>(info.state), static_cast<unsigned>(info.phys_state));
    if (const NodeId node = fabric.port(end).node; fabric.is_switch(node))
      text += fmt::format(" PortStateChange {};",
                          emulated.switch_info(SwitchId(node.value())).port_state_change);
  }
  return text;
}

}  // namespace

unsigned World::masters() const {
  return static_cast<unsigned>(std::ranges::count_if(processes_, [](const auto& process) {
    return process->runs() && process->sm().state() == SmState::kMaster;
  }));
}

const ManagerProcess* World::master() const {
  for (const auto& process : processes_)
    if (process->runs() && process->sm().state() == SmState::kMaster) return process.get();
  return nullptr;
}

/// Whether wire faults may make a manager's view of the fabric wrong: SMPs are late or corrupted,
/// or a switch that still forwards packets does not answer SMPs and counts as absent.
bool World::may_show_stale_state() const {
  constexpr double kNodesTreatedAsAbsent = 0.02;
  return rates_.late > 0 || rates_.doubled > 0 || rates_.lost > kNodesTreatedAsAbsent ||
         !lossy_nodes_.empty() || !delayed_nodes_.empty() || corrupting_faults_ > 0;
}

/// Whether tables may be wrong now: late SMPs of a wire fault may still arrive, or two managers are
/// master.
bool World::shows_stale_state() { return emulated_.clock().now() < stale_until_ || masters() > 1; }

void World::check() {
  constexpr TimeNs kLateMost = 2 * kSecond;  // at most 0.5 s per cable, and few SMPs are late twice
  if (may_show_stale_state()) stale_until_ = emulated_.clock().now() + kLateMost;
  if (shows_stale_state()) tables_may_be_mixed_ = true;
  const std::uint64_t now =
      emulated_.counters().lft_blocks_written() + (plan_.adaptive ? adaptive_sets() : 0);
  if (now != lft_sets_) {
    lft_sets_ = now;
    if (!tables_may_be_mixed_) check_loops();
  }
  check_registrations();
  for (const auto& process : processes_)
    if (process->runs() && !process->sm().last_report().verification_difference.empty())
      fail("the verification of changes failed: " +
           process->sm().last_report().verification_difference);
  for (const auto& process : processes_)
    if (process->runs() && process->sa().bytes_under_way() > SaOptions{}.rmpp.sending_max)
      fail(fmt::format("{} bytes of answers are pending", process->sa().bytes_under_way()));
}

/// Notifies the clients whether answers still state the content of the SA, and whether a standby
/// has all acknowledged registrations. While two managers are master, deletes the clients' records
/// of acknowledged registrations.
void World::notify_clients() {
  constexpr TimeNs kLateMost = 2 * kSecond;
  constexpr TimeNs kDeliveryMax = std::chrono::milliseconds(200);
  const TimeNs now = emulated_.clock().now();
  if (rates_.late > 0 || rates_.doubled > 0 || !delayed_nodes_.empty() || corrupting_faults_ > 0 ||
      masters() > 1)
    duplicates_until_ = now + kLateMost;
  const bool confirmed = std::ranges::none_of(processes_, [&](const auto& process) {
    return process->unconfirmed_at() && now - *process->unconfirmed_at() < kDeliveryMax;
  });
  for (const auto& process : processes_)
    if (process->runs() && process->sm().state() == SmState::kMaster)
      master_until_[process.get()] = now;
  for (const auto& client : clients_) {
    client->set_may_arrive_twice(now < duplicates_until_);
    client->set_confirmed(confirmed);
    if (masters() > 1) client->forget_acknowledged();
  }
}

/// Checks that the master, also after a takeover, has each acknowledged registration until the
/// client is requested to register again.
void World::check_registrations() {
  constexpr TimeNs kInterval = std::chrono::milliseconds(500);
  // A standby cannot detect that it lacks a registration if the master fails within this time of
  // an answer that it sent before any standby had the registration.
  constexpr TimeNs kDetectionMost = 4 * kSecond;
  const TimeNs now = emulated_.clock().now();
  if (now < next_registrations_ || received_corrupted_ || masters() != 1) return;
  next_registrations_ = now + kInterval;
  const ManagerProcess& process = *master();
  const auto snapshot = process.sm().snapshot();
  if (!snapshot || !process.sm().settled() || !process.sm().last_report().up) return;
  TimeNs before{0};  // the end of the term of the previous master
  for (const auto& [other, until] : master_until_)
    if (other != &process) before = std::max(before, until);
  for (const auto& client : clients_) {
    if (!snapshot->fabric.find_endport(fabric_.port(client->port()).guid)) continue;
    const auto acknowledged = client->acknowledged();
    for (const auto& [name, last] : acknowledged) {
      const TimeNs since = master_since_[&process];
      if (!last.confirmed && since > last.at && before < last.at + kDetectionMost) {
        client->forget_acknowledged(name);
        continue;
      }
      if (since > last.at) ++outcome_.coverage["registrations compared after a takeover"];
      if (client->is_held(name, process.sa().state()) != last.registered)
        fail(fmt::format(
            "host {}: {} was acknowledged as {} at {:.3f} s, but is {} in the SA of the master "
            "since {:.3f} s",
            client->host(), name, last.registered ? "registered" : "withdrawn",
            std::chrono::duration<double>(last.at).count(), last.registered ? "missing" : "present",
            std::chrono::duration<double>(since).count()));
    }
  }
}

/// The current forwarding state: tables up to LinearFDBTop, and links that carry data.
World::Forwarding World::forwarding() const {
  const std::uint32_t switches = fabric_.switch_count();
  Forwarding now;
  now.next.assign(std::size_t{switches} * kPortsMax, switches);
  for (const Channel& channel : fabric_.channels())
    if (emulated_.carries_data(fabric_.port_id(Fabric::node_of(channel.from), channel.from_port)))
      now.next[channel.from.value() * kPortsMax + channel.from_port.value()] = channel.to.value();
  now.tables.resize(switches);
  for (std::uint32_t s = 0; s < switches; ++s) {
    if (!emulated_.is_alive(NodeId(s))) continue;
    const auto lft = emulated_.lft(SwitchId(s));
    const std::size_t top = emulated_.switch_info(SwitchId(s)).linear_fdb_top;
    now.tables[s].assign(lft.begin(), lft.begin() + std::min(lft.size(), top + 1));
  }
  return now;
}

/// Checks that the tables form no forwarding loop over links that carry data, for LIDs with an
/// entry that changed since the last check without a loop.
void World::check_loops() {
  for (const auto& process : processes_)  // the update plan reported LIDs without a loop-free order
    if (process->runs() && process->sm().last_report().transition.unordered_lids > 0) return;
  Forwarding now = forwarding();
  if (plan_.adaptive) return check_group_ports(now);
  const std::uint32_t switches = fabric_.switch_count();
  std::size_t top = 0;
  for (const auto& table : now.tables) top = std::max(top, table.size());
  const bool links_changed = now.next != checked_forwarding_.next;
  std::vector<bool> lids_to_check(top, links_changed);
  for (std::uint32_t s = 0; s < switches && !links_changed; ++s) {
    const auto& table = now.tables[s];
    const auto& checked_table = checked_forwarding_.tables[s];
    if (table == checked_table) continue;
    for (std::size_t lid = 0; lid < table.size(); ++lid)
      if (lid >= checked_table.size() || table[lid] != checked_table[lid])
        lids_to_check[lid] = true;
  }
  enum : std::uint8_t { kNew, kOpen, kDone };
  std::vector<std::uint8_t> color(switches);
  std::vector<std::uint32_t> path;
  for (std::size_t lid = 1; lid < top; ++lid) {
    if (!lids_to_check[lid]) continue;
    std::ranges::fill(color, kNew);
    for (std::uint32_t start = 0; start < switches; ++start) {
      path.clear();
      std::uint32_t at = start;
      while (at < switches && color[at] == kNew) {
        color[at] = kOpen;
        path.push_back(at);
        const auto& table = now.tables[at];
        at = lid < table.size() ? now.next[at * kPortsMax + table[lid]] : switches;
      }
      if (at < switches && color[at] == kOpen)
        return fail(fmt::format("packets to LID {} loop through {}", lid,
                                describe(fabric_.node(SwitchId(at)))));
      for (const std::uint32_t sw : path) color[sw] = kDone;
    }
  }
  checked_forwarding_ = std::move(now);
}

/// Whether the snapshot contains every switch that forwards packets.
bool World::contains_forwarding_switches(const Snapshot& snapshot) const {
  return std::ranges::all_of(fabric_.channels(), [&](const Channel& channel) {
    const NodeId from = Fabric::node_of(channel.from);
    return !emulated_.carries_data(fabric_.port_id(from, channel.from_port)) ||
           snapshot.fabric.find_node(fabric_.node(from).node_guid).has_value();
  });
}

/// Checks the snapshot of a manager that has finished a sweep and reports the subnet up.
void World::check_settled(const ManagerProcess& process) {
  const auto snapshot = process.sm().snapshot();
  if (!snapshot) return;
  if (!has_no_failure(snapshot->verdict))
    fail("published routes fail verification: " +
         failure_text(verify(snapshot->fabric, snapshot->routes, {.threads = 1})));
  if (shows_stale_state()) return;
  // Corrupted answers stay in the cache until a full sweep is requested.
  if (masters() == 1 && !received_corrupted_ && contains_forwarding_switches(*snapshot))
    tables_may_be_mixed_ = false;
  check_lids(process, *snapshot);
  if (plan_.own_lids) check_vport_lids(process, *snapshot);
}

/// Checks that a port keeps its LID if this manager assigned that LID before, or if the port still
/// has the LID and no other port got the LID meanwhile. The second condition is not checked for a
/// node that was reset meanwhile.
void World::check_lids(const ManagerProcess& process, const Snapshot& snapshot) {
  std::map<Guid, Lid>& assigned = assigned_by_[&process];
  std::map<Lid, Guid> holders;
  for (const Endport& endport : snapshot.fabric.endports())
    if (endport.lid != kLidNone &&
        !holders.emplace(endport.lid, snapshot.fabric.port(endport.port).guid).second)
      fail(fmt::format("LID {} is assigned twice", endport.lid.value()));
  for (const Endport& endport : snapshot.fabric.endports()) {
    if (endport.lid == kLidNone) continue;
    const Guid guid = snapshot.fabric.port(endport.port).guid;
    const auto node = fabric_.find_node(snapshot.fabric.node(endport.node).node_guid);
    if (!node) continue;  // corrupted answers stay in the cache for a while
    const AssignedLid now{endport.lid, resets_[*node]};
    if (const auto before = lids_.find(guid);
        !lids_may_move_ && before != lids_.end() && before->second.lid != now.lid &&
        ((before->second.resets == now.resets && !holders.contains(before->second.lid)) ||
         (assigned.contains(guid) && assigned[guid] == before->second.lid)))
      fail(fmt::format("port 0x{:x} had LID {} and now has LID {}", guid.value(),
                       before->second.lid.value(), now.lid.value()));
    lids_[guid] = now;
    assigned[guid] = now.lid;
  }
}

void World::check_end() {
  const TimeNs repaired_at = emulated_.clock().now();
  std::map<const ManagerProcess*, std::uint64_t> sweeps_before;
  for (const auto& process : processes_)
    sweeps_before[process.get()] = process->sm().heavy_sweeps();
  advance_until(repaired_at + kTimeToRepair);
  // A sweep that began before the repair leaves work to the next sweep.
  const auto busy = [&] {
    if (masters() != 1) return true;
    const SubnetManager& sm = master()->sm();
    return !sm.settled() || sm.heavy_sweep_due() || !sm.last_report().up || !sm.snapshot() ||
           sm.snapshot()->fabric.link_count() != fabric_.link_count() ||
           !wrong_vport(*sm.snapshot()).empty();
  };
  const TimeNs end = repaired_at + kTimeToRepair + kToSettle + fabric_.port_count() * kToSettlePort;
  while (is_running() && busy() && emulated_.clock().now() < end)
    advance_until(emulated_.clock().now() + std::chrono::milliseconds(10));
  // Requests of clients may have caused work in the last step.
  const auto works = [&] { return masters() == 1 && !master()->sm().settled(); };
  while (is_running() && works() && emulated_.clock().now() < end + kToSettle)
    advance_until(emulated_.clock().now() + std::chrono::milliseconds(10));
  if (!is_running()) return;
  if (masters() != 1) return fail(fmt::format("{} managers are master", masters()));
  const ManagerProcess& process = *master();
  for (const auto& other : processes_)
    if (other.get() != &process && other->sm().state() != SmState::kStandby)
      return fail(
          fmt::format("a manager has state {} instead of STANDBY while another manager is master",
                      weft::name(other->sm().state())));
  const auto snapshot = process.sm().snapshot();
  if (!process.sm().settled() || !snapshot || !process.sm().last_report().up)
    return fail(fmt::format("the subnet is not up: {}", process.sm().last_report().error));
  const std::uint64_t sweeps = process.sm().heavy_sweeps() - sweeps_before[&process];
  if (sweeps > kRepairSweepsMax)
    return fail(fmt::format("{} heavy sweeps were needed to repair the fabric", sweeps));
  if (snapshot->fabric.link_count() != fabric_.link_count())
    return fail(fmt::format("the snapshot has {} of {} links", snapshot->fabric.link_count(),
                            fabric_.link_count()));
  if (const auto wrong = table_differences(emulated_, *snapshot); !wrong.empty())
    return fail(some_of(wrong));
  const Verdict verdict = verify(snapshot->fabric, snapshot->routes, {.threads = 1});
  if (!verdict.ok()) return fail("the active routes fail verification: " + failure_text(verdict));
  if (!snapshot->verdict.multicast_ok())
    return fail("the active multicast trees fail verification");
  if (read_routes(emulated_).mfts != [&] {
        Mfts real;  // IDs of the real fabric
        for (const auto& [mlid, masks] : snapshot->routes.mfts)
          for (const auto& [sw, mask] : masks)
            real[mlid][SwitchId(fabric_.find_node(snapshot->fabric.node(sw).node_guid)->value())] =
                mask;
        return real;
      }())
    return fail("the multicast tables of switches differ from the published tables");
  check_groups(process, *snapshot);
  if (const std::string missing = wrong_vport(*snapshot); !missing.empty()) return fail(missing);
  for (std::uint32_t p = 0; p < fabric_.port_count(); ++p)
    if (fabric_.port(PortId(p)).peer != kNoPort && !emulated_.carries_data(PortId(p)))
      return fail(describe_cable_without_data(emulated_, PortId(p)));
  check_agents(process);
  if (is_running()) check_no_sets(process);
  if (is_running()) check_cold(process);
}

/// Checks that the manager sends no Set without changes of the fabric. Stops the clients first,
/// since their requests cause Sets.
void World::check_no_sets(const ManagerProcess& process) {
  stop_clients();
  advance_until(emulated_.clock().now() +
                2 * kSecond);  // the last requests of clients are answered
  const TimeNs end = emulated_.clock().now() + kToSettle;
  const auto is_due = [&] { return !process.sm().settled() || process.sm().heavy_sweep_due(); };
  while (is_running() && is_due() && emulated_.clock().now() < end)
    advance_until(emulated_.clock().now() + std::chrono::milliseconds(10));
  const std::uint64_t sweeps = process.sm().heavy_sweeps();
  const std::uint64_t before = sets(emulated_.counters());
  advance_until(emulated_.clock().now() + kUnchangedTime);
  if (process.sm().heavy_sweeps() != sweeps)
    fail(fmt::format("{} heavy sweeps of an unchanged fabric: {}",
                     process.sm().heavy_sweeps() - sweeps, process.sm().last_report().reason));
  if (sets(emulated_.counters()) != before)
    fail(fmt::format("{} Sets on an unchanged fabric", sets(emulated_.counters()) - before));
}

/// Compares the state of the fabric with the state after a bring-up from power-on, with the same
/// LIDs, groups and manager port.
void World::check_cold(const ManagerProcess& process) {
  EmulatedFabric cold(fabric_, device_options(plan_));
  if (plan_.mixed_devices) set_quirks(cold, plan_.seed);
  TempDir folder;
  SmOptions options = process.options();
  options.cache_dir = folder.path();
  options.sweep_interval = std::chrono::seconds(2);
  write_lids(process.sm().snapshot()->fabric, folder / "guid2lid");
  SmpTransport& wire = process.attach_to(cold);
  SubnetManager manager(wire, cold.clock(), options);
  manager.set_multicast_groups(process.sa().multicast_groups());
  const TimeNs end = cold.clock().now() + 60 * kSecond;
  while (cold.clock().now() < end) manager.step(end);
  const TimeNs settle_end = end + 60 * kSecond;  // a light sweep may be in progress
  while (!manager.settled() && cold.clock().now() < settle_end) manager.step(settle_end);
  if (!manager.settled() || !manager.last_report().up)
    return fail("the cold bring-up failed: " + manager.last_report().error);
  FabricState cold_state = state_of(cold), state = state_of(emulated_);
  if (plan_.own_lids) {  // other virtual ports are up
    remove_own_lids(process.sm().snapshot()->fabric, cold_state);
    remove_own_lids(process.sm().snapshot()->fabric, state);
  }
  const bool corrupted = has_corrupted_answers(plan_);
  for (std::uint32_t p = 0; corrupted && p < fabric_.port_count(); ++p) {
    // Fields that a Set writes back unchanged keep corrupted values, since the original is unknown.
    PortInfo known = state.ports[p];
    known.lid = cold_state.ports[p].lid;
    known.state = cold_state.ports[p].state;
    known.master_sm_lid = cold_state.ports[p].master_sm_lid;
    cold_state.ports[p] = known;
    cold_state.vl_arbitration[p] =
        state.vl_arbitration[p];  // may have been programmed for corrupted capabilities
  }
  for (std::uint32_t i = 0; corrupted && i < fabric_.switch_count(); ++i) {
    SwitchInfo known = state.switches[i];
    known.linear_fdb_top = cold_state.switches[i].linear_fdb_top;
    known.multicast_fdb_top = cold_state.switches[i].multicast_fdb_top;
    cold_state.switches[i] = known;
  }
  for (const auto& other : processes_) {  // ports of the other managers have IsSM set
    const auto port = fabric_.endport(other->where()).port.value();
    cold_state.ports[port].capability_mask = state.ports[port].capability_mask = 0;
  }
  // If SL2VL and arbitration are not programmed, they keep their old values.
  if (!process.sm().snapshot()->lanes.is_set()) {
    cold_state.sl2vl = state.sl2vl;
    cold_state.vl_arbitration = state.vl_arbitration;
  }
  if (const auto wrong = changes(fabric_, cold_state, state); !wrong.empty())
    fail("the state differs from the state after a cold bring-up: " + some_of(wrong));
}

}  // namespace weft::simulation
