// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Several subnet managers on one emulated fabric, each on a separate host. The managers are stepped
// alternately on the same clock.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "support/managed_subnet.h"

namespace weft {

class Managers {
 public:
  explicit Managers(Fabric fabric, const EmulatorOptions& emulator = {});
  ~Managers();

  /// Options with short intervals.
  SmOptions options(std::uint8_t priority);

  /// Adds a manager on the n-th host. Returns its number.
  std::size_t start(unsigned host, const SmOptions& options);
  std::size_t start(unsigned host, std::uint8_t priority) { return start(host, options(priority)); }

  /// Ends the manager as kill -9 does: IsSM of its port is cleared, and the manager sends no
  /// message to the other managers.
  void kill(std::size_t number);

  void run_for(TimeNs span);
  /// Steps all managers until `done` returns true; false if that takes longer than `limit`.
  bool run_until(const std::function<bool()>& done, TimeNs limit = std::chrono::minutes(1));
  /// Steps until this manager is the only master and has finished a sweep; false if that takes
  /// longer than `limit`.
  bool run_until_only_master(std::size_t number, TimeNs limit = std::chrono::minutes(1));

  /// Changes the priority of this manager, as by an edited configuration file and SIGHUP.
  void prioritize(std::size_t number, std::uint8_t priority);

  SubnetManager& sm(std::size_t number) { return *instances_[number].sm; }
  SmState state(std::size_t number) { return sm(number).state(); }
  const Fabric& fabric() const { return fabric_; }
  EmulatedFabric& emulated() { return emulated_; }
  PortId port_of(std::size_t number) const {
    return fabric_.endport(instances_[number].where).port;
  }
  Lid lid_of(std::size_t number) const { return emulated_.port_info(port_of(number)).lid; }
  Guid guid_of(std::size_t number) const { return fabric_.port(port_of(number)).guid; }
  std::uint64_t lft_blocks_written() const;
  /// Number of Sets on the fabric so far: PortInfo, SwitchInfo, forwarding tables, P_Keys, SL2VL
  /// maps and VL arbitration.
  std::uint64_t sets() const;
  /// Whether MasterSMLID of every endport is the LID of this manager.
  bool all_ports_have_master(std::size_t number) const;

 private:
  struct Instance {
    EndportId where;
    SmOptions options;
    std::unique_ptr<SubnetManager> sm;
  };
  TempDir folder_;
  const Fabric fabric_;
  EmulatedFabric emulated_;
  std::vector<Instance> instances_;
};

}  // namespace weft
