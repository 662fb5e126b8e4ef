// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "gmp/class_key_work.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "gmp/addresses.h"
#include "ib/sa_records.h"
#include "sm/keys/port_key.h"

namespace weft {

std::uint64_t derive_class_key(const Secret& seed, KeyedClass keyed, Guid port,
                               std::uint64_t version) {
  return derive_key(seed.view(), fmt::format("weft {} key", form_of(keyed).name),
                    {port.value(), version});
}

void ClassKeyWork::begin(std::shared_ptr<const Snapshot> snapshot, const ClassKeyOptions& options,
                         std::uint64_t version, TimeNs now) {
  now_ = now;
  snapshot_ = std::move(snapshot);
  options_ = options;
  devices_.clear();
  waiting_.clear();
  outstanding_ = 0;
  counts_ = {};
  neighbors_begun_ = false;
  kinds_.forget_probes();
  if (!snapshot_ || options_.use == KeyUse::kIgnore) return;
  for (std::uint32_t i = 0; i < snapshot_->fabric.endport_count(); ++i) add(EndportId(i), version);
}

void ClassKeyWork::add(EndportId at, std::uint64_t version) {
  const Fabric& fabric = snapshot_->fabric;
  const Endport& endport = fabric.endport(at);
  const NodeType type = fabric.node(endport.node).type;
  if (!is_unicast(endport.lid) || type == NodeType::kRouter ||
      (form_of(keyed_).is_of_switches_only && type != NodeType::kSwitch))
    return;
  Device device{.at = at, .port = fabric.port(endport.port).guid, .step = Step::kQuery};
  const auto supports = supports_.find(device.port);
  if (supports != supports_.end() ? !supports->second : !silent_.is_due(device.port, now_)) return;
  const auto add_candidate = [&](std::uint64_t key) {
    if (key != 0 && std::ranges::find(device.candidates, key) == device.candidates.end())
      device.candidates.push_back(key);
  };
  add_candidate(key_of(device.port));
  if (!options_.seed.empty()) {
    add_candidate(derive_class_key(options_.seed, keyed_, device.port, version));
    if (version > 0)
      add_candidate(derive_class_key(options_.seed, keyed_, device.port, version - 1));
    if (options_.use == KeyUse::kEnable)
      device.wanted = derive_class_key(options_.seed, keyed_, device.port, version);
  }
  if (device.candidates.empty()) device.candidates.push_back(0);
  const auto index = static_cast<std::uint32_t>(devices_.size());
  devices_.push_back(std::move(device));
  if (supports == supports_.end())
    waiting_.push_back(index);
  else
    select_step(index);
}

/// Selects the next step of a port that supports keys: check the key if this process has
/// confirmed the wanted key, else set the key.
void ClassKeyWork::select_step(std::uint32_t index) {
  Device& device = devices_[index];
  ++counts_.supported;
  const auto confirmed = confirmed_.find(device.port);
  const bool is_known = confirmed != confirmed_.end() && key_of(device.port) == device.wanted;
  device.step = is_known ? Step::kCheck : Step::kSet;
  waiting_.push_back(index);
}

std::uint64_t ClassKeyWork::key_of(Guid port) const {
  const auto found = held_.find(port);
  return found == held_.end() ? 0 : found->second.value();
}

const NodeInfo& ClassKeyWork::node_of(const Device& device) const {
  return snapshot_->nodes[snapshot_->fabric.endport(device.at).node.value()].info;
}

ClassKeyInfo ClassKeyWork::wanted_info(const Device& device) const {
  const bool enables = options_.use == KeyUse::kEnable;
  return {device.wanted, enables && options_.is_protected,
          enables ? options_.lease : std::uint16_t{0}, 0, 0};
}

std::span<const std::byte, ClassKeyInfo::kSize> ClassKeyWork::key_info_of(const Gmp& gmp) const {
  return std::span(gmp.data)
      .subspan(form_of(keyed_).data_offset)
      .template first<ClassKeyInfo::kSize>();
}

bool ClassKeyWork::next(Gmp& request, std::uint64_t& ticket) {
  const KeyedClassForm& form = form_of(keyed_);
  for (std::size_t left = waiting_.size(); left > 0; --left) {
    const std::uint32_t index = waiting_.front();
    waiting_.pop_front();
    const Device& device = devices_[index];
    if (device.step == Step::kQuery) {
      const NodeInfo& node = node_of(device);
      if (kinds_.is_silent(node, now_)) continue;
      if (!kinds_.begin(node, waiting_, [&](std::uint32_t other) -> const NodeInfo& {
            return node_of(devices_[other]);
          })) {
        waiting_.push_back(index);  // another device of the kind is queried first
        continue;
      }
    }
    request = {};
    request.mgmt_class = form.mgmt_class;
    request.class_version = form.version;
    const bool sets = device.step == Step::kSet || device.step == Step::kNeighbors;
    request.method = sets ? Method::kSet : Method::kGet;
    request.attribute = device.step == Step::kQuery       ? kClassPortInfoAttribute
                        : device.step == Step::kNeighbors ? kNeighborsInfoAttribute
                                                          : form.key_info;
    request.peer = address_of(*snapshot_, device.at);
    set_class_key(request, device.step == Step::kNeighbors ? key_of(device.port)
                                                           : device.candidates[device.tried]);
    const auto data_at = request.data.begin() + static_cast<std::ptrdiff_t>(form.data_offset);
    if (device.step == Step::kNeighbors) {
      request.modifier = static_cast<std::uint32_t>(device.block);
      std::ranges::copy(encode(wanted_block(device)), data_at);
    }
    if (device.step == Step::kSet) {
      const ClassKeyBytes data = encode(wanted_info(device));
      std::ranges::copy(data, data_at);
    }
    ticket = index;
    ++outstanding_;
    return true;
  }
  return false;
}

void ClassKeyWork::on_outcome(std::uint64_t ticket, const std::optional<Gmp>& answer) {
  --outstanding_;
  const auto index = static_cast<std::uint32_t>(ticket);
  switch (devices_[index].step) {
    case Step::kQuery:
      on_class_port_info(index, answer);
      break;
    case Step::kNeighbors:
      on_neighbors(index, answer);
      break;
    default:
      on_key_info(index, answer);
  }
  if (is_done() && !neighbors_begun_) begin_neighbors();
}

/// Begins NeighborsInfo. To be called when no request about the key of a switch is left.
void ClassKeyWork::begin_neighbors() {
  neighbors_begun_ = true;
  if (keyed_ != KeyedClass::kNodeToNode || options_.use != KeyUse::kEnable) return;
  for (std::uint32_t i = 0; i < devices_.size(); ++i) {
    Device& device = devices_[i];
    if (!device.has_key) continue;
    device.step = Step::kNeighbors;
    if (next_block(device)) waiting_.push_back(i);
  }
}

/// The neighboring switches that have a key, without duplicates; at most kBlocksMax blocks.
std::vector<NeighborsBlock> ClassKeyWork::neighbors_of(const Device& device) const {
  const Fabric& fabric = snapshot_->fabric;
  const SwitchId sw = fabric.endport(device.at).sw;
  std::vector<SwitchId> others;
  for (const Channel& channel : fabric.channels_from(sw)) others.push_back(channel.to);
  std::ranges::sort(others);
  others.erase(std::unique(others.begin(), others.end()), others.end());
  std::vector<NeighborsBlock> blocks;
  std::size_t count = 0;
  for (const SwitchId other : others) {
    const Guid guid = fabric.port(fabric.port_id(Fabric::node_of(other), PortNum(0))).guid;
    const auto endport = fabric.find_endport(guid);
    if (!endport || key_of(guid) == 0 || other == sw) continue;
    if (count % NeighborsBlock::kNeighbors == 0) blocks.emplace_back();
    blocks.back().neighbors[count++ % NeighborsBlock::kNeighbors] = {
        static_cast<std::uint8_t>(NodeType::kSwitch), fabric.endport(*endport).lid.value(),
        key_of(guid)};
  }
  blocks.resize(std::min(blocks.size(), NeighborsBlock::kBlocksMax));
  return blocks;
}

NeighborsBlock ClassKeyWork::wanted_block(const Device& device) const {
  const auto blocks = neighbors_of(device);
  return device.block < blocks.size() ? blocks[device.block] : NeighborsBlock{};
}

/// Selects the next block that the switch does not have yet. Returns false if there is none.
bool ClassKeyWork::next_block(Device& device) const {
  const auto wanted = neighbors_of(device);
  const auto found = neighbors_.find(device.port);
  const std::vector<NeighborsBlock> held =
      found == neighbors_.end() ? std::vector<NeighborsBlock>() : found->second;
  const auto block_of = [&](const std::vector<NeighborsBlock>& blocks) {
    return device.block < blocks.size() ? blocks[device.block] : NeighborsBlock{};
  };
  for (; device.block < std::max(wanted.size(), held.size()); ++device.block)
    if (block_of(wanted) != block_of(held)) return true;
  return false;
}

void ClassKeyWork::on_neighbors(std::uint32_t index, const std::optional<Gmp>& answer) {
  Device& device = devices_[index];
  if (!answer) return fail(device, "no answer to NeighborsInfo");
  if (answer->status != mad_status::kGood)
    return fail(device, fmt::format("NeighborsInfo: status 0x{:04x}", answer->status));
  ++counts_.neighbors;
  auto& held = neighbors_[device.port];
  if (held.size() <= device.block) held.resize(device.block + 1);
  held[device.block] = wanted_block(device);
  if (next_block(device)) waiting_.push_back(index);
}

void ClassKeyWork::on_class_port_info(std::uint32_t index, const std::optional<Gmp>& answer) {
  const Device& device = devices_[index];
  const KeyedClassForm& form = form_of(keyed_);
  if (!answer) {
    kinds_.note_silence(node_of(device), now_);
    return silent_.failed(device.port, now_);
  }
  kinds_.answered(node_of(device));
  silent_.answered(device.port);
  const auto info = decode_class_port_info(
      std::span(answer->data).subspan(form.data_offset).first<ClassPortInfo::kSize>());
  const bool supports = answer->status == mad_status::kGood &&
                        (info.capability_mask & form.announced_by) == form.announced_by;
  supports_[device.port] = supports;
  if (supports) select_step(index);
}

void ClassKeyWork::try_next(std::uint32_t index) {
  Device& device = devices_[index];
  device.step = Step::kSet;
  if (++device.tried < device.candidates.size()) return waiting_.push_back(index);
  fail(device, fmt::format("no answer with any of {} possible keys", device.tried));
}

void ClassKeyWork::on_key_info(std::uint32_t index, const std::optional<Gmp>& answer) {
  Device& device = devices_[index];
  if (!answer) return try_next(index);
  if (answer->status != mad_status::kGood)
    return fail(device, fmt::format("KeyInfo: status 0x{:04x}", answer->status));
  const ClassKeyInfo found = decode_class_key_info(key_info_of(*answer));
  const ClassKeyInfo wanted = wanted_info(device);
  const bool is_hidden = found.is_protected && found.key == 0;
  const bool is_as_wanted = (is_hidden || found.key == wanted.key) &&
                            found.is_protected == wanted.is_protected &&
                            found.lease == wanted.lease;
  if (device.step == Step::kCheck) {
    device.has_key = is_as_wanted;
    if (is_as_wanted) return;
    device.step = Step::kSet;  // the port was restarted, or the settings changed
    return waiting_.push_back(index);
  }
  if (!is_as_wanted)
    return fail(device, "the answer has another key, protection bit or lease than the Set");
  ++counts_.set;
  device.has_key = true;
  neighbors_.erase(device.port);  // the switch may have been restarted
  held_[device.port] = Mkey(device.wanted);
  confirmed_[device.port] = true;
  logged_.erase(device.port);
}

/// Counts a failure, and logs it unless it equals the last logged failure of the port.
void ClassKeyWork::fail(const Device& device, const std::string& why) {
  ++counts_.failed;
  confirmed_.erase(device.port);
  if (std::exchange(logged_[device.port], why) == why) return;
  log::warn("{} key of {}: {}", form_of(keyed_).name,
            describe(snapshot_->fabric, snapshot_->fabric.endport(device.at).port), why);
}

}  // namespace weft
