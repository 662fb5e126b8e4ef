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
    const auto count = [&] { return ops_[0].size() + ops_[1].size() + ops_[2].size(); };
    const std::size_t before = count();
    plan(input, host, static_cast<std::uint32_t>(hosts_.size()));
    if (count() > before) hosts_.push_back(std::move(host));
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

/// Plans the blocks of VPortGUIDInfo that the SA manages and that the vport has.
void VportProgramming::plan_guids(const Input& input, const Vport& vport, std::uint32_t host,
                                  std::uint32_t index) {
  const auto wanted = input.aliases.find(vport.info.port_guid);
  if (vport.index == 0 || wanted == input.aliases.end()) return;
  const std::size_t blocks = std::min(guid_blocks(wanted->second), vport.guids.size());
  for (std::size_t block = 0; block < blocks; ++block) {
    GuidInfo guids = guid_block(vport.info.port_guid, wanted->second, block);
    if (block == 0) guids.guids[0] = vport.guids[0].guids[0];  // cannot be changed
    if (vport.guids[block] == guids) continue;
    of(Stage::kGuids).push_back({host, index, static_cast<std::uint16_t>(block), false, kLidNone});
    guids_.push_back(guids);
  }
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
      of(Stage::kPkeys).push_back({index, v, static_cast<std::uint16_t>(block), false, kLidNone});
      blocks_.push_back(wanted);
    }
    if (vport.forbidden) continue;
    plan_guids(input, vport, index, v);
    const bool has_moved =
        vport.index != 0 && std::ranges::binary_search(input.moved, vport.info.port_guid);
    const bool needs_lid = vport.index != 0 && vport.info.lid_required;
    const Lid lid = needs_lid ? input.lids.of(vport.info.port_guid) : kLidNone;
    if (needs_lid && lid == kLidNone) continue;
    const bool has_lid = !needs_lid || vport.info.lid == lid;
    const bool loses_lid = !has_lid && vport.info.lid != kLidNone;
    const bool reregister = input.client_rereg && (due || has_moved || loses_lid);
    if (vport.info.state != PortState::kActive || !has_lid || reregister)
      of(Stage::kInfos).push_back({index, v, 0, reregister, lid});
  }
}

bool VportProgramming::next(Smp& request, std::uint64_t& cookie) {
  if (at_ == ops().size()) return false;
  const Op& op = ops()[at_];
  const Host& host = hosts_[op.host];
  const Vport& vport = host.vports.vports[op.vport];
  if (stage_ == Stage::kInfos) {
    fill_directed_request(request, Method::kSet, kVportInfo,
                          vports_unconfirmed::vport_modifier(vport.index), host.path);
    VportInfo info = vport.info;
    info.state = PortState::kActive;
    info.client_reregister = op.reregister;
    if (op.lid != kLidNone) info.lid = op.lid;
    request.data = encode(info);
  } else {
    const bool is_pkeys = stage_ == Stage::kPkeys;
    fill_directed_request(request, Method::kSet, is_pkeys ? kVportPkeyTable : kVportGuidInfo,
                          vports_unconfirmed::table_modifier(vport.index, op.block), host.path);
    request.data = is_pkeys ? encode(blocks_[at_]) : encode(guids_[at_]);
  }
  cookie = at_++;
  return true;
}

void VportProgramming::on_guids(const Op& op, const GuidInfo& wanted, const Smp& answer) {
  Host& host = hosts_[op.host];
  const GuidInfo written = *decode_guid_info(answer.data);
  store_guids(host.vports.vports[op.vport], op.block, written);
  host.has_new_guids = true;
  if (written == wanted) return;
  const auto [expected, found] = std::ranges::mismatch(wanted.guids, written.guids);
  fail_op(op, fmt::format("answers with GUID 0x{:016x} at index {} of block {}, expected 0x{:016x}",
                          found->value(), expected - wanted.guids.begin(), op.block,
                          expected->value()));
}

void VportProgramming::answered(std::uint64_t cookie, const Smp& answer) {
  const Op& op = ops()[cookie];
  if (answer.status != mad_status::kGood) return fail_op(op, status_text(answer.status));
  Host& host = hosts_[op.host];
  host.changed = true;
  Vport& vport = host.vports.vports[op.vport];
  if (stage_ == Stage::kGuids) return on_guids(op, guids_[cookie], answer);
  if (stage_ == Stage::kPkeys) {
    vport.pkeys.resize(std::max<std::size_t>(vport.pkeys.size(), op.block + 1u));
    vport.pkeys[op.block] = *decode_pkey_table(answer.data);
    ++report_.pkey_blocks;
    return;
  }
  const VportInfo info = decode_vport_info(answer.data);
  if (info.state != PortState::kActive)
    return fail_op(
        op, fmt::format("answers with state {}, expected ACTIVE", port_state_text(info.state)));
  if (info.port_guid != vport.info.port_guid) {
    host.replaced.insert(vport.index);
    return fail_op(op, fmt::format("answers with GUID 0x{:016x}: another vport has its index",
                                   info.port_guid.value()));
  }
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
  constexpr std::array kNames{"P_Keys", "VPortGUIDInfo", "VPortInfo"};
  report_.failures.push_back(fmt::format("{} of vport {} (0x{:016x}) of port 0x{:016x} {}",
                                         kNames[static_cast<std::size_t>(stage_)], vport.index,
                                         vport.info.port_guid.value(), host.guid.value(), why));
}

bool VportProgramming::advance() {
  while (stage_ != Stage::kInfos) {
    stage_ = static_cast<Stage>(static_cast<std::uint8_t>(stage_) + 1);
    at_ = 0;
    if (!ops().empty()) return true;
  }
  return false;
}

std::vector<Guid> VportProgramming::conclude(Vports& vports, TimeNs now, VportReport& report) && {
  std::vector<Guid> outdated;
  for (Host& host : hosts_) {
    if (!host.replaced.empty()) outdated.push_back(host.guid);
    std::erase_if(host.vports.vports,
                  [&](const Vport& vport) { return host.replaced.contains(vport.index); });
    if (!host.replaced.empty())
      vports.set_host(host.guid, std::move(host.vports), now);
    else if (host.has_new_guids)
      vports.set_written_guids(host.guid, std::move(host.vports), now);
    else if (host.changed)
      vports.update_host(host.guid, std::move(host.vports));
  }
  report.pkey_blocks = report_.pkey_blocks;
  report.activated = report_.activated;
  report.failed = report_.failed;
  report.failures = std::move(report_.failures);
  return outdated;
}

}  // namespace weft
