// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The managers of a process that use GMPs: keys of the classes 0x21, 0x0A and 0x0C, programmable
// congestion control (PPCC) and DCQCN. Also compares the state of the devices with the wanted keys
// and settings.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "emulator/devices/device_profiles.h"
#include "emulator/emulated_fabric.h"
#include "emulator/feature_support.h"
#include "gmp/class_key_manager.h"
#include "gmp/congestion_manager.h"
#include "plan.h"
#include "sm/subnet_manager.h"

namespace weft::simulation {

class AgentManagers {
 public:
  /// A feature in the table of device profiles and in the mixed support of emulated devices.
  struct AgentFeature {
    DeviceFeature in_profiles{};
    emulator::Feature in_mixed_support{};
  };

  /// Attaches the managers to a port, or to all ports of its CA. Key files are in `folder`.
  AgentManagers(EmulatedFabric& emulated, EndportId where, bool uses_all_ports,
                const WorldPlan& plan, const std::string& folder);
  ~AgentManagers();
  AgentManagers(const AgentManagers&) = delete;

  /// Passes each new snapshot to the managers, as cli/sm/gmp_managers.cpp, and steps them.
  void step(const SubnetManager& sm);
  /// Begins a further round, as after a heavy sweep.
  void begin_round();
  bool settled() const;
  /// Number of keys, blocks of NeighborsInfo and settings that the current round has set.
  std::uint64_t written() const;
  /// The first device of the snapshot with another key, or with other settings, than wanted; empty
  /// if there is none. Devices that support a feature in part are left out.
  std::string wrong_device() const;

 private:
  std::string wrong_key(const Snapshot& snapshot, KeyedClass keyed) const;
  std::string wrong_ppcc(const Snapshot& snapshot) const;
  std::string wrong_dcqcn(const Snapshot& snapshot) const;
  /// The port of the emulated fabric with the GUID of a port of the snapshot, if its device
  /// supports the feature.
  std::optional<PortId> supporting_port(const Snapshot& snapshot, EndportId at,
                                        AgentFeature feature) const;

  EmulatedFabric& emulated_;
  const EndportId where_;
  const WorldPlan& plan_;
  const DeviceList devices_;  // of the plan; empty: devices without a profile
  ClassKeyOptions key_options_;
  CongestionPolicy policy_;
  std::unique_ptr<CongestionManager> congestion_;
  std::array<std::unique_ptr<ClassKeyManager>, 2> keys_;  // of the classes 0x0A and 0x0C
  std::shared_ptr<const Snapshot> published_;
};

}  // namespace weft::simulation
