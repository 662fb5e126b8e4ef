// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The services that run with a resident subnet manager and are stepped with it: the subnet
// administration, the managers that use GMPs, load-aware routing, replication, and the links of an
// emulated fabric. Connects these services with those of the operation and with changes of the
// settings.
#pragma once

#include <chrono>
#include <optional>

#include "cli/sm/active_settings.h"
#include "cli/sm/attachment.h"
#include "cli/sm/emulated_cables.h"
#include "cli/sm/gmp_managers.h"
#include "cli/sm/replication_service.h"
#include "cli/sm/sm_arguments.h"
#include "cli/sm/sm_operation.h"
#include "cli/sm/subnet_administration.h"
#include "sa/options.h"
#include "service/load_aware/load_aware_routing.h"
#include "service/partition_order.h"

namespace weft::cli {

class ResidentServices {
 public:
  /// Starts the services; `arguments`, `attachment` and `operation` must outlive this object.
  ResidentServices(const SmArguments& arguments, const Settings& settings,
                   const SaOptions& sa_options, const CongestionOptions& congestion,
                   Attachment& attachment, Operation& operation);
  ResidentServices(const ResidentServices&) = delete;
  ResidentServices& operator=(const ResidentServices&) = delete;

  /// Applies changes of the settings to the services; `active` must not reload after end().
  void follow(ActiveSettings& active);
  /// Call after each step of the manager.
  void step(SubnetManager& manager);
  /// Called after the last step: pending requests of the operation's services fail.
  void end();

 private:
  void register_handlers();
  void set_dump_path(const Settings& settings);
  Result<PartitionOutcome> change_partitions(const PartitionOrder& order);
  Result<CableOutcome> change_cable(const CableOrder& order);

  const SmArguments& arguments_;
  SaOptions sa_options_;
  Operation& operation_;
  SubnetAdministration administration_;
  const std::chrono::nanoseconds epoch_;  // for versions of keys
  const std::string database_file_;       // database of counters; empty: none
  const Clock& clock_;
  LoadAwareRouting load_aware_;
  GmpManagers gmp_managers_;
  std::optional<EmulatedCables> cables_;           // links of an emulated fabric
  std::optional<ReplicationService> replication_;  // if it is configured
};

}  // namespace weft::cli
