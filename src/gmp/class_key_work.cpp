// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "gmp/class_key_work.h"

#include <algorithm>
#include <utility>

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
  round_.begin(std::move(snapshot), now);
  options_ = options;
  devices_.clear();
  counts_ = {};
  neighbors_begun_ = false;
  if (round_.snapshot() == nullptr || options_.use == KeyUse::kIgnore) return;
  for (std::uint32_t i = 0; i < round_.snapshot()->fabric.endport_count(); ++i)
    add(EndportId(i), version);
}

void ClassKeyWork::add(EndportId at, std::uint64_t version) {
  const Fabric& fabric = round_.snapshot()->fabric;
  const Endport& endport = fabric.endport(at);
  const NodeType type = fabric.node(endport.node).type;
  if (!is_unicast(endport.lid) || type == NodeType::kRouter ||
      (form_of(keyed_).is_of_switches_only && type != NodeType::kSwitch))
    return;
  Device device{.port = fabric.port(endport.port).guid, .step = Step::kQuery};
  const auto supports = supports_.find(device.port);
  if (supports != supports_.end() ? !supports->second : !round_.is_query_due(device.port)) return;
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
  const std::uint32_t index = round_.add(at);
  devices_.push_back(std::move(device));
  if (supports == supports_.end())
    round_.queue_query(index);
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
  round_.queue_request(index);
}

std::uint64_t ClassKeyWork::key_of(Guid port) const {
  const auto found = known_keys_.find(port);
  return found == known_keys_.end() ? 0 : found->second.value();
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
  const auto index = round_.next();
  if (!index) return false;
  const Device& device = devices_[*index];
  request = {};
  request.mgmt_class = form.mgmt_class;
  request.class_version = form.version;
  const bool sets = device.step == Step::kSet || device.step == Step::kNeighbors;
  request.method = sets ? Method::kSet : Method::kGet;
  request.attribute = device.step == Step::kQuery       ? kClassPortInfoAttribute
                      : device.step == Step::kNeighbors ? kNeighborsInfoAttribute
                                                        : form.key_info;
  request.peer = address_of(*round_.snapshot(), round_.at(*index));
  set_class_key(request, device.step == Step::kNeighbors ? key_of(device.port)
                                                         : device.candidates[device.tried]);
  const auto data_at = request.data.begin() + static_cast<std::ptrdiff_t>(form.data_offset);
  if (device.step == Step::kNeighbors) {
    request.modifier = static_cast<std::uint32_t>(device.block);
    std::ranges::copy(encode(wanted_block(*index)), data_at);
  }
  if (device.step == Step::kSet) {
    const ClassKeyBytes data = encode(wanted_info(device));
    std::ranges::copy(data, data_at);
  }
  ticket = *index;
  return true;
}

void ClassKeyWork::on_outcome(std::uint64_t ticket, const std::optional<Gmp>& answer) {
  const auto index = static_cast<std::uint32_t>(ticket);
  round_.on_outcome(index, answer.has_value());
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
    if (!devices_[i].has_key) continue;
    devices_[i].step = Step::kNeighbors;
    if (next_block(i)) round_.queue_request(i);
  }
}

/// The neighboring switches that have a key, without duplicates; at most kBlocksMax blocks.
std::vector<NeighborsBlock> ClassKeyWork::neighbors_of(std::uint32_t index) const {
  const Fabric& fabric = round_.snapshot()->fabric;
  const SwitchId sw = fabric.endport(round_.at(index)).sw;
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

NeighborsBlock ClassKeyWork::wanted_block(std::uint32_t index) const {
  const auto blocks = neighbors_of(index);
  const std::size_t block = devices_[index].block;
  return block < blocks.size() ? blocks[block] : NeighborsBlock{};
}

/// Selects the next block that the switch does not have yet. Returns false if there is none.
bool ClassKeyWork::next_block(std::uint32_t index) {
  Device& device = devices_[index];
  const auto wanted = neighbors_of(index);
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
  if (!answer) return fail(index, "no answer to NeighborsInfo");
  if (answer->status != mad_status::kGood)
    return fail(index, fmt::format("NeighborsInfo: status 0x{:04x}", answer->status));
  ++counts_.neighbors;
  auto& held = neighbors_[device.port];
  if (held.size() <= device.block) held.resize(device.block + 1);
  held[device.block] = wanted_block(index);
  if (next_block(index)) round_.queue_request(index);
}

void ClassKeyWork::on_class_port_info(std::uint32_t index, const std::optional<Gmp>& answer) {
  const Device& device = devices_[index];
  const KeyedClassForm& form = form_of(keyed_);
  if (!answer) return;
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
  if (++device.tried < device.candidates.size()) return round_.queue_request(index);
  fail(index, fmt::format("no answer with any of {} possible keys", device.tried));
}

void ClassKeyWork::on_key_info(std::uint32_t index, const std::optional<Gmp>& answer) {
  Device& device = devices_[index];
  if (!answer) return try_next(index);
  if (answer->status != mad_status::kGood)
    return fail(index, fmt::format("KeyInfo: status 0x{:04x}", answer->status));
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
    return round_.queue_request(index);
  }
  if (!is_as_wanted)
    return fail(index,  // the keys are secret
                fmt::format("the answer to the Set has {} key, protection {}, lease {} s; "
                            "expected the same key, {}, {} s",
                            is_hidden || found.key == wanted.key ? "the same" : "another",
                            found.is_protected, found.lease, wanted.is_protected, wanted.lease));
  ++counts_.set;
  device.has_key = true;
  neighbors_.erase(device.port);  // the switch may have been restarted
  known_keys_[device.port] = Mkey(device.wanted);
  confirmed_[device.port] = true;
  round_.forget_logged(index, feature());
}

std::string ClassKeyWork::feature() const { return fmt::format("{} key", form_of(keyed_).name); }

/// Counts a failure, and logs it unless it equals the last logged failure of the port.
void ClassKeyWork::fail(std::uint32_t index, const std::string& why) {
  ++counts_.failed;
  confirmed_.erase(devices_[index].port);
  round_.log_once(index, feature(), why);
}

}  // namespace weft
