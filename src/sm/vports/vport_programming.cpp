// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/vports/vport_programming.h"

#include <algorithm>
#include <utility>

#include "ib/vendor/vports_unconfirmed.h"
#include "sm/discovery/directed.h"

namespace weft {
namespace {

PkeyTable block_of_table(std::span<const Pkey> table, std::size_t block) {
  PkeyTable result;
  const std::size_t begin = std::min(block * PkeyTable::kEntries, table.size());
  const std::size_t count = std::min(table.size() - begin, PkeyTable::kEntries);
  std::ranges::copy(table.subspan(begin, count), result.pkeys.begin());
  return result;
}

}  // namespace

VportProgramming::VportProgramming(const Input& input) {
  for (const auto& [guid, vports] : input.observed.vports.hosts()) {
    const auto endport = input.fabric.find_endport(guid);
    if (!endport || vports->vports.empty()) continue;
    const Endport& at = input.fabric.endport(*endport);
    Host host{guid,
              at.port,
              input.observed.nodes[at.node.value()].path(input.fabric.port(at.port).num),
              {}};
    host.vports = *vports;
    const std::size_t before = pkeys_.size() + infos_.size();
    plan(input, host, static_cast<std::uint32_t>(hosts_.size()));
    if (pkeys_.size() + infos_.size() > before) hosts_.push_back(std::move(host));
  }
}

std::span<const Pkey> VportProgramming::pkeys_of(const Input& input, const Host& host,
                                                 const Vport& vport) const {
  return vport.index == 0 ? input.pkeys.own_table(host.port)
                          : input.pkeys.vport_table(vport.info.port_guid);
}

/// Whether the vport is managed; false if another vport owns its GUID.
bool VportProgramming::is_managed(const Input& input, const Host& host, const Vport& vport) const {
  if (vport.index == 0) return true;
  const auto owner = input.observed.vports.owners().find(vport.info.port_guid);
  return owner != input.observed.vports.owners().end() &&
         owner->second == VportOwner{host.guid, vport.index};
}

void VportProgramming::plan(const Input& input, const Host& host, std::uint32_t index) {
  const bool due = !input.reregister.empty() && input.reregister[host.port.value()];
  for (std::uint32_t v = 0; v < host.vports.vports.size(); ++v) {
    const Vport& vport = host.vports.vports[v];
    if (!is_managed(input, host, vport) && !vport.forbidden) continue;
    const auto table = vport.forbidden ? std::span<const Pkey>() : pkeys_of(input, host, vport);
    for (std::size_t block = 0; block < vport_pkey_blocks(vport); ++block) {
      const PkeyTable wanted = block_of_table(table, block);
      if (block < vport.pkeys.size() && vport.pkeys[block] == wanted) continue;
      pkeys_.push_back({index, v, static_cast<std::uint16_t>(block), false, kLidNone});
      blocks_.push_back(wanted);
    }
    if (vport.forbidden) continue;
    const bool has_moved =
        vport.index != 0 && std::ranges::binary_search(input.moved, vport.info.port_guid);
    const bool needs_lid = vport.index != 0 && vport.info.lid_required;
    const Lid lid = needs_lid ? input.lids.of(vport.info.port_guid) : kLidNone;
    if (needs_lid && lid == kLidNone) continue;
    const bool has_lid = !needs_lid || vport.info.lid == lid;
    const bool loses_lid = !has_lid && vport.info.lid != kLidNone;
    const bool reregister = input.client_rereg && (due || has_moved || loses_lid);
    if (vport.info.state != PortState::kActive || !has_lid || reregister)
      infos_.push_back({index, v, 0, reregister, lid});
  }
}

bool VportProgramming::next(Smp& request, std::uint64_t& cookie) {
  if (at_ == ops().size()) return false;
  const Op& op = ops()[at_];
  const Host& host = hosts_[op.host];
  const Vport& vport = host.vports.vports[op.vport];
  if (is_second_) {
    fill_directed_request(request, Method::kSet, kVportInfo,
                          vports_unconfirmed::vport_modifier(vport.index), host.path);
    VportInfo info = vport.info;
    info.state = PortState::kActive;
    info.client_reregister = op.reregister;
    if (op.lid != kLidNone) info.lid = op.lid;
    request.data = encode(info);
  } else {
    fill_directed_request(request, Method::kSet, kVportPkeyTable,
                          vports_unconfirmed::table_modifier(vport.index, op.block), host.path);
    request.data = encode(blocks_[at_]);
  }
  cookie = at_++;
  return true;
}

void VportProgramming::answered(std::uint64_t cookie, const Smp& answer) {
  const Op& op = ops()[cookie];
  if (answer.status != mad_status::kGood) return fail_op(op, status_text(answer.status));
  Host& host = hosts_[op.host];
  host.changed = true;
  Vport& vport = host.vports.vports[op.vport];
  if (!is_second_) {
    vport.pkeys.resize(std::max<std::size_t>(vport.pkeys.size(), op.block + 1u));
    vport.pkeys[op.block] = *decode_pkey_table(answer.data);
    ++report_.pkey_blocks;
    return;
  }
  const VportInfo info = decode_vport_info(answer.data);
  if (info.state != PortState::kActive)
    return fail_op(
        op, fmt::format("answers with state {}, expected ACTIVE", port_state_text(info.state)));
  // Another vport has replaced the vport that was read. The known state stays INIT, so that the
  // next read reads all attributes. The trap about this change, or the end of a pause, causes it.
  host.is_outdated = host.is_outdated || info.port_guid != vport.info.port_guid;
  if (info.port_guid != vport.info.port_guid)
    return fail_op(op, fmt::format("answers with GUID 0x{:016x}: another vport has its index",
                                   info.port_guid.value()));
  if (op.lid != kLidNone && info.lid != op.lid)
    return fail_op(
        op, fmt::format("answers with LID {}, expected {}", info.lid.value(), op.lid.value()));
  vport.info.state = info.state;
  vport.info.lid = info.lid;
  ++report_.activated;
}

void VportProgramming::failed(std::uint64_t cookie, const Error& why) {
  fail_op(ops()[cookie], why.message);
}

void VportProgramming::fail_op(const Op& op, const std::string& why) {
  ++report_.failed;
  if (report_.failures.size() >= kFailuresNamed) return;
  const Host& host = hosts_[op.host];
  const Vport& vport = host.vports.vports[op.vport];
  report_.failures.push_back(fmt::format("{} of vport {} (0x{:016x}) of port 0x{:016x} {}",
                                         is_second_ ? "VPortInfo" : "P_Keys", vport.index,
                                         vport.info.port_guid.value(), host.guid.value(), why));
}

bool VportProgramming::advance() {
  if (is_second_) return false;
  is_second_ = true;
  at_ = 0;
  return !infos_.empty();
}

std::vector<Guid> VportProgramming::conclude(Vports& vports, VportReport& report) && {
  std::vector<Guid> outdated;
  for (Host& host : hosts_) {
    if (host.is_outdated) outdated.push_back(host.guid);
    if (host.changed) vports.update_host(host.guid, std::move(host.vports));
  }
  report.pkey_blocks = report_.pkey_blocks;
  report.activated = report_.activated;
  report.failed = report_.failed;
  report.failures = std::move(report_.failures);
  return outdated;
}

}  // namespace weft
