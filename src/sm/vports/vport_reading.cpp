// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/vports/vport_reading.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/log.h"
#include "base/printable.h"
#include "ib/node_info.h"
#include "ib/vendor/vports_unconfirmed.h"
#include "sm/discovery/directed.h"

namespace weft {
namespace {

namespace unconfirmed = vports_unconfirmed;

// Limits on the reads that a device can cause.
constexpr unsigned kVportsMax = 4096;  // maximum number of vports of a port
constexpr std::uint8_t kVportGuidBlocksMax = 4;
constexpr std::size_t kContestedNamed = 8;
constexpr std::size_t kDefectsNamed = 3;  // maximum number of messages for a port

/// The PortInfo of a CA port with virtualization; null for others.
const PortInfo* virtual_port_info(const Observed& observed, const Endport& endport) {
  if (observed.fabric.node(endport.node).type != NodeType::kCa) return nullptr;
  const PortNum num = observed.fabric.port(endport.port).num;
  const PortInfo& info = observed.nodes[endport.node.value()].ports[num.value()];
  return has_virtualization(info) ? &info : nullptr;
}

/// Why a vport cannot be managed; empty if it can be managed.
std::string defect_of(const Vport& vport, const Fabric& fabric) {
  if (vport.index == 0) return {};
  const Guid guid = vport.info.port_guid;
  if (guid == Guid(0)) return "has no GUID";
  if (fabric.find_endport(guid))
    return fmt::format("has GUID 0x{:016x}, that of a port of the fabric", guid.value());
  return {};
}

/// Removes vports that cannot be managed, and alias GUIDs of ports; adds to `warnings`.
void drop_defective(const std::string& port, const Fabric& fabric, HostVports& host,
                    std::vector<std::string>& warnings) {
  std::size_t found = 0;
  std::erase_if(host.vports, [&](const Vport& vport) {
    const std::string defect = defect_of(vport, fabric);
    if (!defect.empty() && ++found <= kDefectsNamed)
      warnings.push_back(
          fmt::format("vport {} of {} {}: it is not managed", vport.index, port, defect));
    return !defect.empty();
  });
  if (found > kDefectsNamed)
    warnings.push_back(
        fmt::format("{} more vports of {} are not managed", found - kDefectsNamed, port));
  for (Vport& vport : host.vports)
    std::erase_if(vport.aliases,
                  [&](Guid alias) { return fabric.find_endport(alias).has_value(); });
}

/// Marks vports with a GUID that may not be used on the port; adds to `warnings`.
void mark_forbidden_vports(const Tenants* tenants, const std::string& name, Guid port,
                           HostVports& host, std::vector<std::string>& warnings) {
  std::size_t found = 0;
  const auto is_forbidden = [&](Guid guid) {
    return tenants != nullptr && guid != Guid(0) && !tenants->may_use(guid, port);
  };
  for (Vport& vport : host.vports) {
    if (vport.index == 0) continue;
    const auto alias = std::ranges::find_if(vport.aliases, is_forbidden);
    const bool by_own = is_forbidden(vport.info.port_guid);
    vport.forbidden = by_own || alias != vport.aliases.end();
    if (!vport.forbidden || ++found > kDefectsNamed) continue;
    warnings.push_back(fmt::format(
        "vport {} of {} has GUID 0x{:016x}, which tenants_policy_file does not allow "
        "on port 0x{:016x}: it gets no P_Keys",
        vport.index, name, (by_own ? vport.info.port_guid : *alias).value(), port.value()));
  }
  if (found > kDefectsNamed)
    warnings.push_back(fmt::format(
        "{} more vports of {} have a GUID that tenants_policy_file does not allow there",
        found - kDefectsNamed, name));
}

}  // namespace

VportReading::VportReading(const Observed& observed, const SmOptions& options, const Ports& ports)
    : wanted_(options.virt_enabled),
      in_process_max_(options.virt_max_ports_in_process == 0 ? SIZE_MAX
                                                             : options.virt_max_ports_in_process) {
  for (const auto& [guid, details] : ports) {
    const auto id = observed.fabric.find_endport(guid);
    if (!id) continue;
    const Endport& endport = observed.fabric.endport(*id);
    if (virtual_port_info(observed, endport) == nullptr) continue;
    Port& port = ports_.emplace_back();
    port.found.port = guid;
    port.found.name = describe(observed.fabric, endport.port);
    port.path = observed.nodes[endport.node.value()].path(observed.fabric.port(endport.port).num);
    port.known = observed.vports.host(guid);
    port.details = details;
  }
}

std::uint64_t VportReading::cookie_of(const Query& query) {
  return std::uint64_t{query.port} << 36 | static_cast<std::uint64_t>(query.kind) << 32 |
         std::uint64_t{query.vport} << 16 | query.block;
}

VportReading::Query VportReading::of_cookie(std::uint64_t cookie) {
  return {static_cast<Kind>(cookie >> 32 & 0xF), static_cast<std::uint32_t>(cookie >> 36),
          static_cast<std::uint16_t>(cookie >> 16), static_cast<std::uint16_t>(cookie)};
}

void VportReading::ask(const Query& query) {
  ++ports_[query.port].outstanding;
  queries_.push_back(query);
}

Smp VportReading::request_for(const Query& query) const {
  const Port& port = ports_[query.port];
  const auto get = [&](AttributeId attribute, std::uint32_t modifier) {
    return directed_request(Method::kGet, attribute, modifier, port.path);
  };
  switch (query.kind) {
    case Kind::kInfo:
      return get(kVirtualizationInfo, 0);
    case Kind::kSetInfo: {
      Smp smp = directed_request(Method::kSet, kVirtualizationInfo, 0, port.path);
      VirtualizationInfo info = port.found.vports.info;
      info.enabled = wanted_ == Virtualization::kEnable;
      info.state_change = true;  // clears the indication of changes
      smp.data = encode(info);
      return smp;
    }
    case Kind::kStates:
      return get(kVportState, unconfirmed::state_modifier(query.block));
    case Kind::kVport:
      return get(kVportInfo, unconfirmed::vport_modifier(query.vport));
    case Kind::kVnode:
      return get(kVnodeInfo, unconfirmed::vport_modifier(query.vport));
    case Kind::kDescription:
      return get(kVnodeDescription, unconfirmed::vport_modifier(query.vport));
    case Kind::kGuids:
      return get(kVportGuidInfo, unconfirmed::table_modifier(query.vport, query.block));
    case Kind::kPkeys:
      break;
  }
  return get(kVportPkeyTable, unconfirmed::table_modifier(query.vport, query.block));
}

bool VportReading::next(Smp& request, std::uint64_t& cookie) {
  if (queries_.empty() && begun_ < ports_.size() && in_process_ < in_process_max_) {
    ++in_process_;
    ask({Kind::kInfo, static_cast<std::uint32_t>(begun_++), 0, 0});
  }
  if (queries_.empty()) return false;
  const Query query = queries_.front();
  queries_.pop_front();
  request = request_for(query);
  cookie = cookie_of(query);
  return true;
}

/// Handles the end of one request of the port.
void VportReading::done(Port& port) {
  if (--port.outstanding == 0) --in_process_;
}

void VportReading::answered(std::uint64_t cookie, const Smp& answer) {
  const Query query = of_cookie(cookie);
  Port& port = ports_[query.port];
  if (answer.status != mad_status::kGood) {
    on_failure(query, status_text(answer.status));
    return done(port);
  }
  switch (query.kind) {
    case Kind::kInfo:
    case Kind::kSetInfo:
      on_info(query, decode_virtualization_info(answer.data));
      break;
    case Kind::kStates:
      on_states(query, decode_vport_state_block(answer.data));
      break;
    case Kind::kVport:
      on_vport(query, decode_vport_info(answer.data));
      break;
    case Kind::kVnode:
      port.vports[query.vport].node = decode_vnode_info(answer.data);
      ask_pkeys(query, port.vports[query.vport].node.partition_cap);
      break;
    case Kind::kDescription:
      port.vports[query.vport].description = printable(decode_node_description(answer.data)->text);
      break;
    case Kind::kGuids:
      on_guids(query, *decode_guid_info(answer.data));
      break;
    case Kind::kPkeys:
      on_pkeys(query, *decode_pkey_table(answer.data));
      break;
  }
  done(port);
}

void VportReading::failed(std::uint64_t cookie, const Error& why) {
  const Query query = of_cookie(cookie);
  if (query.kind == Kind::kVport) ports_[query.port].found.is_incomplete = true;
  on_failure(query, why.message);
  done(ports_[query.port]);
}

void VportReading::on_failure(const Query& query, const std::string& why) {
  Port& port = ports_[query.port];
  switch (query.kind) {
    case Kind::kInfo:
      port.found.failure = fmt::format("VirtualizationInfo {}", why);
      return;
    case Kind::kSetInfo:
      port.found.failure = fmt::format("Set of VirtualizationInfo {}", why);
      return;
    case Kind::kStates:
      port.found.failure = fmt::format("VPortState {}", why);
      return;
    case Kind::kVport:
      port.vports.erase(query.vport);
      port.refused[query.vport] = why;
      return;
    case Kind::kVnode:  // the P_Key table may exist nevertheless
      return ask_pkeys(query, unconfirmed::kPartitionCap);
    case Kind::kPkeys:
      port.vports[query.vport].pkeys.clear();  // unknown: written as a whole
      return;
    case Kind::kDescription:
    case Kind::kGuids:
      return;
  }
}

void VportReading::on_info(const Query& query, const VirtualizationInfo& info) {
  Port& port = ports_[query.port];
  port.found.vports.info = info;
  if (info.revision != VirtualizationInfo::kRevision) {
    port.found.failure = fmt::format("revision of VirtualizationInfo is {}, expected {}",
                                     info.revision, VirtualizationInfo::kRevision);
    return;
  }
  const bool wanted = wanted_ == Virtualization::kEnable;
  if (!port.is_set && (info.enabled != wanted || (wanted && info.state_change))) {
    port.is_set = true;
    return ask({Kind::kSetInfo, query.port, 0, 0});
  }
  if (info.enabled != wanted) {
    port.found.failure =
        fmt::format("virtualization cannot be {}", wanted ? "enabled" : "disabled");
    return;
  }
  if (!info.enabled || info.vport_cap == 0) return;
  const unsigned top = std::min({unsigned{info.vport_top}, info.vport_cap - 1u, kVportsMax - 1});
  for (unsigned block = 0; block <= top / VportStateBlock::kVports; ++block)
    ask({Kind::kStates, query.port, 0, static_cast<std::uint16_t>(block)});
}

/// A vport that was ACTIVE and is ACTIVE now is the same vport: only a manager sets a vport to
/// ACTIVE.
void VportReading::on_states(const Query& query, const VportStateBlock& block) {
  Port& port = ports_[query.port];
  const VirtualizationInfo& info = port.found.vports.info;
  const unsigned end = std::min({info.vport_top + 1u, unsigned{info.vport_cap}, kVportsMax});
  for (unsigned i = 0; i < VportStateBlock::kVports; ++i) {
    const auto index = static_cast<std::uint16_t>(query.block * VportStateBlock::kVports + i);
    if (index >= end) return;
    if (!is_vport_up(block.states[i])) continue;
    const Vport* const known = port.known == nullptr ? nullptr : port.known->at(index);
    if (known != nullptr && !port.details && block.states[i] == PortState::kActive &&
        known->info.state == PortState::kActive) {
      port.vports[index] = *known;
    } else {
      port.vports[index].index = index;
      ask({Kind::kVport, query.port, index, 0});
    }
  }
}

void VportReading::on_vport(const Query& query, const VportInfo& info) {
  Port& port = ports_[query.port];
  if (!is_vport_up(info.state)) {  // the vport went down after its state was read
    port.vports.erase(query.vport);
    return;
  }
  port.vports[query.vport].info = info;
  ask({Kind::kVnode, query.port, query.vport, 0});
  ask({Kind::kDescription, query.port, query.vport, 0});
  const unsigned blocks = std::min(info.guid_cap_blocks, kVportGuidBlocksMax);
  for (unsigned block = 0; block < blocks; ++block)
    ask({Kind::kGuids, query.port, query.vport, static_cast<std::uint16_t>(block)});
}

void VportReading::ask_pkeys(const Query& query, std::uint16_t capacity) {
  Vport sized;
  sized.node.partition_cap = capacity;
  Vport& vport = ports_[query.port].vports[query.vport];
  vport.pkeys.assign(vport_pkey_blocks(sized), {});
  for (std::size_t block = 0; block < vport.pkeys.size(); ++block)
    ask({Kind::kPkeys, query.port, query.vport, static_cast<std::uint16_t>(block)});
}

void VportReading::on_guids(const Query& query, const GuidInfo& block) {
  store_guids(ports_[query.port].vports[query.vport], query.block, block);
}

void VportReading::on_pkeys(const Query& query, const PkeyTable& block) {
  std::vector<PkeyTable>& blocks = ports_[query.port].vports[query.vport].pkeys;
  if (query.block < blocks.size()) blocks[query.block] = block;
}

std::vector<VportReading::Found> VportReading::take() && {
  std::vector<Found> all;
  for (Port& port : ports_) {
    for (const auto& [index, why] : port.refused)
      port.found.warnings.push_back(fmt::format(
          "VPortInfo of vport {} of {} {}: the vport is not managed", index, port.found.name, why));
    for (auto& [index, vport] : port.vports) {
      vport.index = index;
      port.found.vports.vports.push_back(std::move(vport));
    }
    all.push_back(std::move(port.found));
  }
  return all;
}

VportReading::Ports vports_to_read(const Observed& observed, const SmOptions& options,
                                   DevicePauses& pauses, TimeNs now, bool all, bool details) {
  VportReading::Ports ports;
  if (options.virt_enabled == Virtualization::kIgnore) return ports;
  for (const Endport& endport : observed.fabric.endports()) {
    const PortInfo* const info = virtual_port_info(observed, endport);
    if (info == nullptr) continue;
    const Guid guid = observed.fabric.port(endport.port).guid;
    const bool was_reset = info->state <= PortState::kInit;
    if (was_reset) pauses.reset(guid);
    if (!pauses.is_due(guid, now)) continue;
    if (all || was_reset || observed.vports.host(guid) == nullptr) ports[guid] = details;
  }
  return ports;
}

std::vector<Guid> vports_to_retry(const Observed& observed, const DevicePauses& pauses,
                                  TimeNs now) {
  std::vector<Guid> ports;
  for (const Endport& endport : observed.fabric.endports()) {
    const Guid guid = observed.fabric.port(endport.port).guid;
    if (pauses.is_retry_due(guid, now) && virtual_port_info(observed, endport) != nullptr)
      ports.push_back(guid);
  }
  return ports;
}

std::vector<VportMove> store_vports(std::vector<VportReading::Found> found, Observed& observed,
                                    const SmOptions& options, DevicePauses& pauses, TimeNs now,
                                    std::vector<std::string>& warnings) {
  std::vector<VportMove> moves;
  const auto add = [&](std::vector<VportMove> more) {
    moves.insert(moves.end(), more.begin(), more.end());
  };
  std::set<Guid> gone;
  for (const auto& [guid, vports] : observed.vports.hosts()) {
    const auto endport = observed.fabric.find_endport(guid);
    if (options.virt_enabled == Virtualization::kIgnore || !endport ||
        virtual_port_info(observed, observed.fabric.endport(*endport)) == nullptr)
      gone.insert(guid);
  }
  for (const Guid guid : gone) add(observed.vports.drop_host(guid, now));
  for (VportReading::Found& port : found) {
    warnings.insert(warnings.end(), port.warnings.begin(), port.warnings.end());
    if (port.failure.empty()) {
      pauses.note_support(port.port);
      if (port.is_incomplete) pauses.failed(port.port, now);
      drop_defective(port.name, observed.fabric, port.vports, warnings);
      mark_forbidden_vports(options.tenants.get(), port.name, port.port, port.vports, warnings);
      add(observed.vports.set_host(port.port, std::move(port.vports), now));
      continue;
    }
    pauses.failed(port.port, now);
    warnings.push_back(fmt::format("vports of {}: {}", port.name, port.failure));
  }
  const std::vector<VportMove> contested_guids = observed.vports.contested_guids();
  for (std::size_t i = 0; i < std::min(contested_guids.size(), kContestedNamed); ++i)
    warnings.push_back(
        fmt::format("vport GUID 0x{:016x} of port 0x{:016x} is also at port 0x{:016x}, vport {}: "
                    "the second vport is "
                    "not managed while the first vport is up",
                    contested_guids[i].guid.value(), contested_guids[i].from->host.value(),
                    contested_guids[i].to->host.value(), contested_guids[i].to->index));
  return moves;
}

void log_vport_moves(const std::vector<VportMove>& moves) {
  constexpr std::size_t kMovesNamed = 20;
  std::size_t appeared = 0, gone = 0, moved = 0;
  for (const VportMove& move : moves) {
    ++(!move.from ? appeared : !move.to ? gone : moved);
    if (move.from && move.to && moved <= kMovesNamed)
      log::info("vport 0x{:016x} moved from port 0x{:016x} to port 0x{:016x}", move.guid.value(),
                move.from->host.value(), move.to->host.value());
  }
  if (!moves.empty())
    log::info("vports: {} appeared, {} went down, {} moved", appeared, gone, moved);
}

}  // namespace weft
