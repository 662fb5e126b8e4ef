// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "jobs/max_min.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace weft::jobs {
namespace {

/// Relative difference that rounding of sums of rates may cause.
constexpr double kSlack = 1e-9;
/// Largest number of solutions after the first with a growing set of flows; after these, all
/// connected flows are solved together.
constexpr unsigned kRoundsMax = 12;

}  // namespace

MaxMinRates::MaxMinRates(std::vector<double> capacities, ChannelUsage* usage)
    : channels_(capacities.size()), usage_(usage) {
  for (std::size_t c = 0; c < capacities.size(); ++c) channels_[c].capacity = capacities[c];
}

void MaxMinRates::account(std::uint32_t id) {
  Channel& channel = channels_[id];
  if (usage_ != nullptr && channel.used > 0) usage_->add(id, channel.since, now_, channel.used);
  channel.since = now_;
}

void MaxMinRates::account_all() {
  for (std::uint32_t c = 0; c < channels_.size(); ++c) account(c);
}

MaxMinRates::FlowId MaxMinRates::add(std::span<const Hop> path) {
  CHECK(!path.empty());
  FlowId id = static_cast<FlowId>(flows_.size());
  if (free_flows_.empty()) {
    flows_.emplace_back();
  } else {
    id = free_flows_.back();
    free_flows_.pop_back();
    flows_[id] = {};
  }
  Flow& flow = flows_[id];
  flow.is_new = true;
  flow.hop_count = static_cast<std::uint32_t>(path.size());
  if (free_hops_.size() <= path.size()) free_hops_.resize(path.size() + 1);
  auto& recycled = free_hops_[path.size()];
  if (recycled.empty()) {
    flow.first_hop = static_cast<std::uint32_t>(hops_.size());
    hops_.resize(hops_.size() + path.size());
  } else {
    flow.first_hop = recycled.back();
    recycled.pop_back();
  }
  std::uint32_t at = flow.first_hop;
  for (const Hop& hop : path) {
    Channel& channel = channels_[hop.channel];
    hops_[at] = {hop.channel, static_cast<std::uint32_t>(channel.entries.size()), hop.weight};
    channel.entries.push_back({id, at++});
    channel.weight += hop.weight;
  }
  added_.push_back(id);
  return id;
}

void MaxMinRates::remove(FlowId id) {
  Flow& flow = flows_[id];
  for (const FlowHop& hop : hops(flow)) {
    Channel& channel = channels_[hop.channel];
    if (flow.rate > 0) account(hop.channel);
    const Entry last = channel.entries.back();
    channel.entries[hop.slot] = last;
    hops_[last.hop].slot = hop.slot;
    channel.entries.pop_back();
    if (channel.entries.empty()) {
      channel.used = channel.weight = 0;  // exactly 0, without rounding errors
    } else {
      channel.used = std::max(0.0, channel.used - flow.rate * hop.weight);
      channel.weight -= hop.weight;
      touched_.push_back(hop.channel);
    }
  }
  free_hops_[flow.hop_count].push_back(flow.first_hop);
  flow.hop_count = 0;
  free_flows_.push_back(id);
}

void MaxMinRates::set_capacity(std::uint32_t channel, double capacity) {
  channels_[channel].capacity = capacity;
  touched_.push_back(channel);
}

void MaxMinRates::enlist(FlowId id) {
  Flow& flow = flows_[id];
  if (flow.mark == epoch_ || flow.hop_count == 0) return;
  flow.mark = epoch_;
  enlisted_.push_back(id);
}

void MaxMinRates::enlist_limited_by(std::uint32_t channel) {
  for (const Entry& entry : channels_[channel].entries)
    if (flows_[entry.flow].bottleneck == channel) enlist(entry.flow);
}

/// Enlists the flows that most likely become slower: flows that the channel limits, and flows with
/// more than an equal share of the capacity of the channel.
void MaxMinRates::enlist_competitors(std::uint32_t id) {
  Channel& channel = channels_[id];
  if (channel.scanned == epoch_ || channel.entries.size() == 1) return;
  channel.scanned = epoch_;
  const double share = channel.capacity / channel.weight;
  for (const Entry& entry : channel.entries) {
    const Flow& flow = flows_[entry.flow];
    if (flow.bottleneck == id || flow.rate > share) enlist(entry.flow);
  }
}

void MaxMinRates::enlist_first() {
  for (const FlowId flow : added_) enlist(flow);
  const std::size_t added = enlisted_.size();
  for (std::size_t i = 0; i < added; ++i)
    for (const FlowHop& hop : hops(flows_[enlisted_[i]])) enlist_competitors(hop.channel);
  for (const std::uint32_t channel : touched_) {
    if (channels_[channel].scanned == epoch_) continue;
    channels_[channel].scanned = epoch_;
    enlist_limited_by(channel);
  }
  // A channel with a capacity below its use limits flows that it did not limit before.
  for (const std::uint32_t channel : touched_)
    if (channels_[channel].used > channels_[channel].capacity * (1 + kSlack))
      for (const Entry& entry : channels_[channel].entries) enlist(entry.flow);
}

/// Sets the new rate and the bottleneck of a flow that shares no channel with other flows, and
/// returns true; else returns false. Such flows are the common case in collectives on good routes.
bool MaxMinRates::give_whole_path(Flow& flow) {
  double least = HUGE_VAL;
  for (const FlowHop& hop : hops(flow)) {
    const Channel& channel = channels_[hop.channel];
    if (channel.entries.size() != 1) return false;
    const double rate = channel.capacity / hop.weight;
    if (rate >= least) continue;
    least = rate;
    flow.bottleneck = hop.channel;
  }
  flow.next = least;
  return true;
}

void MaxMinRates::prepare() {
  ++solution_;
  active_.clear();
  for (const FlowId id : enlisted_) {
    Flow& flow = flows_[id];
    if (give_whole_path(flow)) continue;
    flow.next = kOpen;
    for (const FlowHop& hop : hops(flow)) {
      Channel& channel = channels_[hop.channel];
      if (channel.mark != solution_) {
        channel.mark = solution_;
        channel.open_flows = channel.own_flows = 0;
        channel.open_weight = channel.own_used = 0;
        channel.is_limit = false;
        active_.push_back(hop.channel);
      }
      ++channel.open_flows;
      ++channel.own_flows;
      channel.open_weight += hop.weight;
      channel.own_used += flow.rate * hop.weight;
    }
  }
  heap_.clear();
  for (const std::uint32_t id : active_) {
    Channel& channel = channels_[id];
    channel.room = channel.own_flows == channel.entries.size()
                       ? channel.capacity
                       : std::max(0.0, channel.capacity - (channel.used - channel.own_used));
    heap_.push_back({channel.room / channel.open_weight, id});
  }
  std::make_heap(heap_.begin(), heap_.end());
}

void MaxMinRates::limit_flows(std::uint32_t id, double level) {
  channels_[id].level = level;
  channels_[id].is_limit = true;
  for (const Entry& entry : channels_[id].entries) {
    Flow& flow = flows_[entry.flow];
    if (flow.mark != epoch_ || flow.next != kOpen) continue;
    flow.next = level;
    flow.bottleneck = id;
    for (const FlowHop& hop : hops(flow)) {
      Channel& channel = channels_[hop.channel];
      --channel.open_flows;
      channel.open_weight -= hop.weight;
      channel.room = std::max(0.0, channel.room - level * hop.weight);
    }
  }
}

/// Progressive filling: the channel that is full at the lowest rate limits its open flows. When
/// other flows are limited, the level of a channel can only rise, so an outdated entry of the heap
/// is pushed again.
void MaxMinRates::fill() {
  while (!heap_.empty()) {
    std::pop_heap(heap_.begin(), heap_.end());
    const Full full = heap_.back();
    heap_.pop_back();
    const Channel& channel = channels_[full.channel];
    if (channel.open_flows == 0) continue;
    const double level = channel.room / channel.open_weight;
    if (level > full.level * (1 + 1e-12)) {
      heap_.push_back({level, full.channel});
      std::push_heap(heap_.begin(), heap_.end());
      continue;
    }
    limit_flows(full.channel, level);
  }
}

/// Enlists other flows that the new rates affect: flows with a bottleneck that is not full or has a
/// faster flow, and flows that are faster than the level of a channel that limits enlisted flows.
/// Returns false if there are no such flows.
bool MaxMinRates::enlist_unsatisfied() {
  const std::size_t before = enlisted_.size();
  for (const std::uint32_t id : active_) {
    const Channel& channel = channels_[id];
    if (channel.own_flows == channel.entries.size()) continue;
    const bool is_full = channel.room <= kSlack * channel.capacity;
    double fastest = 0;
    for (const Entry& entry : channel.entries)
      if (flows_[entry.flow].mark == epoch_) fastest = std::max(fastest, flows_[entry.flow].next);
    for (const Entry& entry : channel.entries) {
      const Flow& flow = flows_[entry.flow];
      if (flow.mark == epoch_) continue;
      const bool lost = flow.bottleneck == id && (!is_full || flow.rate < fastest * (1 - kSlack));
      const bool is_too_fast = channel.is_limit && flow.rate > channel.level * (1 + kSlack);
      if (lost || is_too_fast) enlist(entry.flow);
    }
  }
  return enlisted_.size() > before;
}

void MaxMinRates::enlist_all_connected() {
  ++solution_;
  for (std::size_t i = 0; i < enlisted_.size(); ++i)
    for (const FlowHop& hop : hops(flows_[enlisted_[i]])) {
      Channel& channel = channels_[hop.channel];
      if (channel.mark == solution_) continue;
      channel.mark = solution_;
      for (const Entry& entry : channel.entries) enlist(entry.flow);
    }
}

void MaxMinRates::commit() {
  for (const FlowId id : enlisted_) {
    Flow& flow = flows_[id];
    const bool is_same = std::abs(flow.next - flow.rate) <= 1e-12 * flow.rate;
    if (is_same && !flow.is_new) continue;
    for (const FlowHop& hop : hops(flow)) {
      Channel& channel = channels_[hop.channel];
      account(hop.channel);
      channel.used = channel.entries.size() == 1
                         ? flow.next * hop.weight
                         : std::max(0.0, channel.used + (flow.next - flow.rate) * hop.weight);
    }
    flow.rate = flow.next;
    flow.is_new = false;
    changed_.push_back(id);
  }
}

std::span<const MaxMinRates::FlowId> MaxMinRates::settle() {
  ++epoch_;
  enlisted_.clear();
  changed_.clear();
  enlist_first();
  for (unsigned round = 0; !enlisted_.empty(); ++round) {
    prepare();
    fill();
    if (!enlist_unsatisfied()) break;
    if (round == kRoundsMax) enlist_all_connected();
  }
  commit();
  added_.clear();
  touched_.clear();
  return changed_;
}

}  // namespace weft::jobs
