// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Incremental discovery of a mostly known fabric. It queries the switches on the paths to the
// changed switches, then the changed switches. Then it queries SwitchInfo of every switch, by paths
// without the links that are down, and then the switches that report a change. A full discovery
// queries every port of every switch; incremental discovery queries most switches only for
// SwitchInfo.
//
// Incremental discovery requires PortStateChange, as a light sweep does: a switch sets this bit
// when a port changes its state, and only the master clears the bit. Any other inconsistency sets
// doubt(), and the caller runs a full discovery.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "sm/discovery/discovery.h"
#include "sm/discovery/light_sweep.h"

namespace weft {

/// Whether incremental discovery can begin with this observation: every request was answered
/// without an error, the answers are consistent, the manager has an endport and sends by one port
/// only, and there are no FNM ports: directed paths may contain FNM links, which are no cables of
/// the graph.
bool is_fit_for_incremental_discovery(const Observed& observed);

class IncrementalDiscovery final : public SmpWork {
 public:
  /// `switches`: node GUIDs of the changed switches. `fdr10`: as in Discovery, may be null. `keys`,
  /// `names` and `fdr10` must outlive this object.
  IncrementalDiscovery(const Observed& before, KnownKeys& keys, const NodeNames& names,
                       Fdr10Devices* fdr10, std::set<Guid> switches);

  bool next(Smp& request, std::uint64_t& cookie) override { return work().next(request, cookie); }
  void answered(std::uint64_t cookie, const Smp& answer) override {
    work().answered(cookie, answer);
  }
  void failed(std::uint64_t cookie, const Error& why) override { work().failed(cookie, why); }

  /// Adds a switch that reported a change during the discovery.
  void add(Guid sw) { wanted_.insert(sw); }
  /// Call when all requests are done. Returns whether there are more requests.
  bool advance() override;
  /// The reason why a full discovery is necessary; empty if it is not.
  const std::string& doubt() const { return doubt_; }
  /// The current fabric; valid only if doubt() is empty.
  Observed result() && { return std::move(observed_); }

 private:
  using SwitchIndex = std::unordered_map<Guid, std::uint32_t>;  // indices of nodes in known_

  SmpWork& work();
  SwitchIndex switches() const;
  std::set<Guid> switches_on_path_to(Guid sw, const SwitchIndex& switches) const;
  std::set<Guid> take_nearest(const SwitchIndex& switches);
  void begin_queries(const std::set<Guid>& switches, const SwitchIndex& index);
  bool query_nearest();
  bool finish_queries();
  bool begin_switch_info_queries();
  bool finish_switch_info_queries();
  bool assemble_known();
  void bind_paths() const;
  bool set_doubt(std::string why);

  static constexpr unsigned kRoundsMax = 8;

  KnownKeys& keys_;
  const NodeNames& names_;
  Fdr10Devices* const fdr10_;
  Discovered known_;       // state while switches are queried
  Observed observed_;      // assembled from `known_`, while SwitchInfo is read and at the end
  std::set<Guid> wanted_;  // GUIDs of switches to query next
  std::unique_ptr<Discovery> partial_discovery_;
  std::unique_ptr<LightSweep> switch_info_reading_;
  bool has_read_switch_info_ = false;
  unsigned discovery_rounds_ = 0;
  std::string doubt_;
};

}  // namespace weft
