// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The capabilities that devices announce in GeneralInfo, stored from sweep to sweep, and the
// requests for GeneralInfo. All stages of a sweep share the capabilities. So a device is queried
// once until it may have been restarted, and a device that does not answer is queried once in a
// sweep. Light sweeps query such devices again after pauses.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ib/vendor/device_capabilities.h"
#include "sm/devices/answering_kinds.h"
#include "sm/discovery/smp_work.h"
#include "sm/observed.h"
#include "sm/options.h"

namespace weft {

class AnnouncedCapabilities {
 public:
  /// Sets the options; removes devices that are absent or were restarted, and requests of a sweep
  /// that was canceled.
  void begin_sweep(const Observed& observed, const SmOptions& options, TimeNs now);
  /// A device to query; `port` of a CA.
  struct Device {
    NodeId node;
    PortNum port;
  };
  /// The devices that a light sweep queries: for each kind that is not in a pause, a device without
  /// an answer.
  std::vector<Device> begin_light_sweep(const Observed& observed, TimeNs now);
  /// Ends all pauses, so that the next sweep queries all devices that did not answer.
  void forget_silence();

  /// The capabilities of a device; null if they are not known. A device that refuses GeneralInfo
  /// has no capabilities.
  const DeviceCapabilities* find(Guid node) const;
  bool announces(Guid node, unsigned capability) const {
    const DeviceCapabilities* const known = find(node);
    return known != nullptr && known->has(capability);
  }
  /// Whether a switch is of a kind that may have GeneralInfo.
  bool may_have_general_info(const NodeInfo& sw) const;
  /// Whether may_have_general_info(), and the kind is not in a pause or has answered before.
  bool may_be_queried(const NodeInfo& sw) const;
  /// Whether additional_gi_supporting_devices has the device id of the node.
  bool is_additional(const NodeInfo& node) const;

 private:
  friend class GeneralInfoQueries;
  struct Known {
    DeviceCapabilities capabilities;
    bool was_in_use = false;  // configured in an earlier sweep; a reset state then means a restart
  };
  std::map<Guid, Known> known_;
  AnsweringKinds kinds_;
  TimeNs now_{0};          // start of the sweep
  std::set<Guid> silent_;  // devices without an answer in this sweep
  /// Devices without an answer, and devices that were not queried because of a pause of the kind.
  std::map<Guid, PortNum> unanswered_;
  bool queries_default_devices_ = true;
  std::vector<std::uint16_t> additional_;  // device ids
};

/// The requests of a stage of a sweep. The stage reports each outcome with answered() or failed().
class GeneralInfoQueries {
 public:
  /// `observed` and `announced` must outlive this object.
  GeneralInfoQueries(const Observed& observed, AnnouncedCapabilities& announced)
      : observed_(observed), announced_(announced) {}

  /// Queues a query to a device, at this port of a CA. Returns false if the capabilities of the
  /// device are known, or if the device or its kind does not answer in this sweep.
  bool add(NodeId node, PortNum port = PortNum(0));
  /// Drops the queries that were not sent.
  void clear() { waiting_.clear(); }
  bool is_empty() const { return waiting_.empty(); }

  /// Sets `request` to the next request and returns its device; empty if no query can be sent now.
  std::optional<NodeId> next(Smp& request);
  const DeviceCapabilities& answered(NodeId node, const Smp& answer);
  void failed(NodeId node);

 private:
  using Query = AnnouncedCapabilities::Device;
  const NodeInfo& info(NodeId node) const { return observed_.nodes[node.value()].info; }
  void note_unanswered(const Query& query) {
    announced_.unanswered_.insert_or_assign(info(query.node).node_guid, query.port);
  }

  const Observed& observed_;
  AnnouncedCapabilities& announced_;
  std::deque<Query> waiting_;
};

/// Queries devices again in a light sweep.
class GeneralInfoRetry final : public SmpWork {
 public:
  GeneralInfoRetry(const Observed& observed, AnnouncedCapabilities& announced, TimeNs now);

  bool next(Smp& request, std::uint64_t& cookie) override;
  void answered(std::uint64_t cookie, const Smp& answer) override;
  void failed(std::uint64_t cookie, const Error& why) override;

  /// Text about the first device that answered; empty if no device answered.
  const std::string& change() const { return change_; }

 private:
  const Observed& observed_;
  GeneralInfoQueries queries_;
  std::string change_;
};

}  // namespace weft
