// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Max-min fair rates of flows that start and end (Bertsekas and Gallager, Data Networks, 1987). A
// change is solved for the flows on the affected channels, with all other rates fixed. If a fixed
// flow then has no bottleneck (a full channel on which no flow is faster), the flow is added, and
// the larger set is solved. At the end every flow has a bottleneck. This property defines the
// max-min fair rates, so the result equals that of a complete solution, but only flows that can
// change are computed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "jobs/channel_usage.h"

namespace weft::jobs {

/// A channel of the path of a flow. A flow of rate r uses weight * r of the capacity of the
/// channel. The parts of a flow that is split over several paths have weights below 1.
struct Hop {
  std::uint32_t channel;
  float weight = 1;
};

class MaxMinRates {
 public:
  using FlowId = std::uint32_t;  // ids of removed flows are reused

  /// Capacities by channel, in bytes per picosecond. `usage` may be null.
  MaxMinRates(std::vector<double> capacities, ChannelUsage* usage);

  /// Adds a flow. The path must not be empty and must contain no channel twice. The rate is 0
  /// until settle().
  FlowId add(std::span<const Hop> path);
  void remove(FlowId flow);
  void set_capacity(std::uint32_t channel, double capacity);
  /// Sets the time of the following changes. It must not be before the time that is set now.
  void set_time(Picoseconds now) { now_ = now; }
  /// Adds the bytes that have crossed the channels up to now to the usage.
  void account_all();

  /// Computes the rates after the changes since the last call. Returns the added flows and the
  /// flows with a changed rate. The span is valid until the next change.
  std::span<const FlowId> settle();

  /// Rate of a flow in bytes per picosecond.
  double rate(FlowId flow) const { return flows_[flow].rate; }
  double used(std::uint32_t channel) const { return channels_[channel].used; }
  double capacity(std::uint32_t channel) const { return channels_[channel].capacity; }
  /// Sum of the weights of the flows on a channel.
  double load(std::uint32_t channel) const { return channels_[channel].weight; }

 private:
  struct FlowHop {
    std::uint32_t channel;
    std::uint32_t slot;  // index of this hop in the channel's entries
    float weight;
  };
  struct Flow {
    std::uint32_t first_hop = 0;
    std::uint32_t hop_count = 0;   // 0: unused slot
    std::uint32_t bottleneck = 0;  // id of a channel
    std::uint32_t mark = 0;        // epoch in which the flow was last enlisted; 0: never
    double rate = 0;               // current rate
    double next = kOpen;           // rate that is being computed
    bool is_new = false;
  };
  struct Entry {
    std::uint32_t flow;
    std::uint32_t hop;
  };
  struct Channel {
    double capacity = 0;
    double used = 0;
    double weight = 0;
    Picoseconds since = 0;  // time up to which bytes are accounted for
    // members for the current solution:
    std::uint32_t mark = 0;     // solution for which the members were reset
    std::uint32_t scanned = 0;  // epoch in which the flows of the channel were examined
    std::uint32_t open_flows = 0;
    std::uint32_t own_flows = 0;  // number of enlisted flows on the channel
    double open_weight = 0;
    double room = 0;
    double own_used = 0;  // use by enlisted flows, part of `used`
    double level = 0;     // rate to which the channel limits flows
    bool is_limit = false;
    std::vector<Entry> entries;
  };
  struct Full {
    double level;
    std::uint32_t channel;
    bool operator<(const Full& other) const {  // the heap returns the lowest level first
      return level != other.level ? level > other.level : channel > other.channel;
    }
  };
  static constexpr double kOpen = -1;

  std::span<FlowHop> hops(const Flow& flow) {
    return std::span(hops_).subspan(flow.first_hop, flow.hop_count);
  }
  void account(std::uint32_t channel);
  void enlist(FlowId flow);
  void enlist_limited_by(std::uint32_t channel);
  void enlist_competitors(std::uint32_t channel);
  void enlist_first();
  bool give_whole_path(Flow& flow);
  void prepare();
  void fill();
  void limit_flows(std::uint32_t channel, double level);
  bool enlist_unsatisfied();
  void enlist_all_connected();
  void commit();

  std::vector<Flow> flows_;
  std::vector<FlowId> free_flows_;
  std::vector<FlowHop> hops_;
  std::vector<std::vector<std::uint32_t>> free_hops_;  // by length of the path
  std::vector<Channel> channels_;
  ChannelUsage* usage_;
  Picoseconds now_ = 0;

  std::vector<FlowId> added_;
  std::vector<std::uint32_t> touched_;  // channels that lost flows or have a new capacity
  std::uint32_t epoch_ = 0;             // number of calls of settle()
  std::uint32_t solution_ = 0;          // number of solutions in all calls
  std::vector<FlowId> enlisted_;
  std::vector<std::uint32_t> active_;  // channels of the current solution
  std::vector<Full> heap_;
  std::vector<FlowId> changed_;
};

}  // namespace weft::jobs
