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
                         std::uint64_t version) {
  snapshot_ = std::move(snapshot);
  options_ = options;
  devices_.clear();
  waiting_.clear();
  outstanding_ = 0;
  counts_ = {};
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
  Device device{at, fabric.port(endport.port).guid, Step::kAsk, 0, {}, 0};
  const auto supports = supports_.find(device.port);
  if (supports != supports_.end() && !supports->second) return;
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
    go_on(index);
}

/// The port announces keys.
void ClassKeyWork::go_on(std::uint32_t index) {
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
    if (device.step == Step::kAsk) {
      if (kinds_.is_silent(node_of(device))) continue;
      if (!kinds_.begin(node_of(device))) {
        waiting_.push_back(index);  // one of the kind is being asked
        continue;
      }
    }
    request = {};
    request.mgmt_class = form.mgmt_class;
    request.class_version = form.version;
    request.method = device.step == Step::kSet ? Method::kSet : Method::kGet;
    request.attribute = device.step == Step::kAsk ? kClassPortInfoAttribute : form.key_info;
    request.peer = address_of(*snapshot_, device.at);
    set_class_key(request, device.candidates[device.tried]);
    if (device.step == Step::kSet) {
      const ClassKeyBytes data = encode(wanted_info(device));
      std::ranges::copy(data, request.data.begin() + static_cast<std::ptrdiff_t>(form.data_offset));
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
  if (devices_[index].step == Step::kAsk) return on_class_port_info(index, answer);
  on_key_info(index, answer);
}

void ClassKeyWork::on_class_port_info(std::uint32_t index, const std::optional<Gmp>& answer) {
  const Device& device = devices_[index];
  const KeyedClassForm& form = form_of(keyed_);
  bool supports = false;
  if (!answer) {
    kinds_.was_silent(node_of(device));
  } else {
    kinds_.answered(node_of(device));
    const auto info = decode_class_port_info(
        std::span(answer->data).subspan(form.data_offset).first<ClassPortInfo::kSize>());
    supports = answer->status == mad_status::kGood &&
               (info.capability_mask & form.announced_by) == form.announced_by;
  }
  supports_[device.port] = supports;
  if (supports) go_on(index);
}

void ClassKeyWork::try_next(std::uint32_t index) {
  Device& device = devices_[index];
  device.step = Step::kSet;
  if (++device.tried < device.candidates.size()) return waiting_.push_back(index);
  fail(device, fmt::format("no answer to any of {} keys that it may hold", device.tried));
}

void ClassKeyWork::on_key_info(std::uint32_t index, const std::optional<Gmp>& answer) {
  Device& device = devices_[index];
  if (!answer) return try_next(index);
  if (answer->status != mad_status::kGood)
    return fail(device, fmt::format("status 0x{:04x}", answer->status));
  const ClassKeyInfo found = decode_class_key_info(key_info_of(*answer));
  const ClassKeyInfo wanted = wanted_info(device);
  const bool is_hidden = found.is_protected && found.key == 0;
  const bool is_as_wanted = (is_hidden || found.key == wanted.key) &&
                            found.is_protected == wanted.is_protected &&
                            found.lease == wanted.lease;
  if (device.step == Step::kCheck) {
    if (is_as_wanted) return;
    device.step = Step::kSet;  // it was restarted, or the settings changed
    return waiting_.push_back(index);
  }
  if (!is_as_wanted) return fail(device, "it does not take the key");
  ++counts_.set;
  held_[device.port] = Mkey(device.wanted);
  confirmed_[device.port] = true;
  logged_.erase(device.port);
}

/// Logs each kind of failure of a port once.
void ClassKeyWork::fail(const Device& device, const std::string& why) {
  ++counts_.failed;
  confirmed_.erase(device.port);
  if (std::exchange(logged_[device.port], why) == why) return;
  log::warn("{} key of {}: {}", form_of(keyed_).name,
            describe(snapshot_->fabric, snapshot_->fabric.endport(device.at).port), why);
}

}  // namespace weft
