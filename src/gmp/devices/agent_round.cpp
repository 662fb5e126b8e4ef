// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "gmp/devices/agent_round.h"

#include "base/log.h"

namespace weft {

void AgentRound::begin(std::shared_ptr<const Snapshot> snapshot, TimeNs now) {
  snapshot_ = std::move(snapshot);
  now_ = now;
  devices_.clear();
  waiting_.clear();
  outstanding_ = 0;
  kinds_.forget_probes();
}

std::uint32_t AgentRound::add(EndportId at) {
  const Fabric& fabric = snapshot_->fabric;
  devices_.push_back({at, fabric.port(fabric.endport(at).port).guid});
  return static_cast<std::uint32_t>(devices_.size() - 1);
}

void AgentRound::queue(std::uint32_t device, bool is_query) {
  devices_[device].is_query = is_query;
  waiting_.push_back(device);
}

const NodeInfo& AgentRound::node_of(std::uint32_t device) const {
  return snapshot_->nodes[snapshot_->fabric.endport(devices_[device].at).node.value()].info;
}

std::optional<std::uint32_t> AgentRound::next() {
  const auto node_of_waiting = [&](std::uint32_t device) -> const NodeInfo& {
    return node_of(device);
  };
  for (std::size_t left = waiting_.size(); left > 0; --left) {
    const std::uint32_t device = waiting_.front();
    waiting_.pop_front();
    if (devices_[device].is_query) {
      if (kinds_.is_silent(node_of(device), now_)) continue;
      if (!kinds_.begin(node_of(device), waiting_, node_of_waiting)) {
        waiting_.push_back(device);  // another device of the kind is queried first
        continue;
      }
    }
    ++outstanding_;
    return device;
  }
  return std::nullopt;
}

void AgentRound::on_outcome(std::uint32_t device, bool is_answered) {
  --outstanding_;
  if (!devices_[device].is_query) return;
  if (is_answered) {
    kinds_.answered(node_of(device));
    silent_.answered(port(device));
  } else {
    kinds_.note_silence(node_of(device), now_);
    silent_.failed(port(device), now_);
  }
}

void AgentRound::log_once(std::uint32_t device, std::string_view feature, const std::string& why) {
  if (std::exchange(logged_[{port(device), std::string(feature)}], why) == why) return;
  log::warn("{} of {}: {}", feature,
            describe(snapshot_->fabric, snapshot_->fabric.endport(at(device)).port), why);
}

void AgentRound::forget_logged(std::uint32_t device, std::string_view feature) {
  logged_.erase({port(device), std::string(feature)});
}

}  // namespace weft
