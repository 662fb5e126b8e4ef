// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The capabilities that devices announce by GeneralInfo, kept from sweep to sweep, and the requests
// for it. All stages share both: a device is queried once until it may have been restarted. A
// device that does not answer is queried once in a sweep.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "ib/vendor/device_capabilities.h"
#include "sm/devices/answering_kinds.h"
#include "sm/observed.h"
#include "sm/options.h"

namespace weft {

class AnnouncedCapabilities {
 public:
  /// Drops devices that are absent or were restarted, and requests of a sweep that was canceled.
  void begin_sweep(const Observed& observed, const SmOptions& options);

  /// Null if not known. A device that refuses GeneralInfo announces nothing.
  const DeviceCapabilities* find(Guid node) const;
  bool announces(Guid node, unsigned capability) const {
    const DeviceCapabilities* const known = find(node);
    return known != nullptr && known->has(capability);
  }
  /// Whether a switch is of a kind that may have GeneralInfo, and that is not known to be silent.
  bool may_be_asked(const NodeInfo& sw) const;
  /// Whether additional_gi_supporting_devices has the kind of a device.
  bool is_additional(const NodeInfo& node) const;

 private:
  friend class GeneralInfoQueries;
  struct Known {
    DeviceCapabilities capabilities;
    bool was_in_use = false;  // in a sweep since: if it looks reset it was restarted
  };
  std::map<Guid, Known> known_;
  AnsweringKinds kinds_;
  std::set<Guid> silent_;  // devices, in this sweep
  bool asks_default_devices_ = true;
  std::vector<std::uint16_t> additional_;  // device ids
};

/// The requests of one stage. The stage reports each outcome with answered() or failed().
class GeneralInfoQueries {
 public:
  /// Both must outlive this.
  GeneralInfoQueries(const Observed& observed, AnnouncedCapabilities& announced)
      : observed_(observed), announced_(announced) {}

  /// Queues a query to a device, at this port of a CA. False if its capabilities are known, or if
  /// it does not answer.
  bool add(NodeId node, PortNum port = PortNum(0));
  /// Drops the queries that were not sent yet.
  void clear() { waiting_.clear(); }
  bool is_empty() const { return waiting_.empty(); }

  /// Sets the next request and returns its device; nothing if no query can be sent now.
  std::optional<NodeId> next(Smp& request);
  const DeviceCapabilities& answered(NodeId node, const Smp& answer);
  void failed(NodeId node);

 private:
  struct Query {
    NodeId node;
    PortNum port;
  };
  const NodeInfo& info(NodeId node) const { return observed_.nodes[node.value()].info; }

  const Observed& observed_;
  AnnouncedCapabilities& announced_;
  std::deque<Query> waiting_;
};

}  // namespace weft
