// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A subnet manager on an emulated fabric, and checks of the fabric once the manager reports the
// subnet up.
#pragma once

#include <functional>
#include <memory>

#include "emulator/emulated_fabric.h"
#include "sm/subnet_manager.h"
#include "support/fabric_of.h"
#include "support/temp_dir.h"
#include "support/tiny.h"

namespace weft {

inline constexpr TimeNs kSecond = std::chrono::seconds(1);

class ManagedSubnet {
 public:
  /// The manager runs on the first CA port, or on the first switch if there is no CA. Its files are
  /// in a temporary folder, which the destructor removes.
  explicit ManagedSubnet(Fabric fabric, const EmulatorOptions& emulator = {});
  ~ManagedSubnet() { end_manager(); }

  /// Starts a new manager on the port; a previous manager ends without any further SMP.
  SubnetManager& start();
  /// Ends the manager; has no effect if no manager runs.
  void end_manager();

  /// Steps until the manager is settled; false if virtual time passes `limit` before.
  bool settle(TimeNs limit = std::chrono::minutes(5));
  /// Steps for a span of virtual time.
  void run_for(TimeNs span);
  /// Ends the manager; the next start() starts a manager on this endport.
  void attach_at(EndportId endport);

  bool uses_all_ports() const { return uses_all_ports_; }
  EndportId manager_endport() const { return manager_endport_; }
  NodeId manager_node() const { return fabric_.endport(manager_endport_).node; }
  const Fabric& fabric() const { return fabric_; }
  EmulatedFabric& emulated() { return emulated_; }
  SubnetManager& sm() { return *sm_; }
  const SweepReport& report() const { return sm_->last_report(); }
  /// The fabric as the manager published it.
  const Fabric& known() const { return sm_->snapshot()->fabric; }
  const TempDir& cache() const { return cache_; }
  /// Number of Sets of the attribute on the fabric so far.
  std::uint64_t sets(AttributeId attribute) const;

  /// The port of `a` with the n-th cable from `a` to `b`, in the order of ports; kNoPort if there
  /// are fewer cables.
  PortId cable_between(SwitchId a, SwitchId b, unsigned nth = 0) const;

  /// From the next start() the manager sends through all ports of its CA
  /// (SmOptions::more_own_ports).
  void use_all_ports();

  SmOptions options;
  /// Filter between the manager and the fabric; may be empty.
  std::function<SmpTransport&(SmpTransport&)> between;

 private:
  TempDir cache_;
  const Fabric fabric_;
  EmulatedFabric emulated_;
  EndportId manager_endport_;
  bool uses_all_ports_ = false;
  std::unique_ptr<SubnetManager> sm_;
};

/// Expects that SL2VL maps and VL arbitration of every port equal the tables that the manager
/// published, and that every port operates the VLs of the routes. Expects nothing if the manager
/// published no VL tables.
void expect_lanes(ManagedSubnet& managed);

/// Expects that the manager reports the subnet up, that endports have the published LIDs and
/// switches the published LFTs, that the routes pass the verifier, and that all discovered links
/// carry data. Includes expect_lanes().
void expect_managed(ManagedSubnet& managed);

}  // namespace weft
