// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A congestion manager on an emulated subnet that a subnet manager has brought up.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "gmp/congestion_manager.h"
#include "support/performance_subnet.h"

namespace weft {

struct CongestionSubnet {
  /// Brings up the subnet; on multi-plane CAs all ports are used.
  void start(const std::string& spec, const EmulatorOptions& emulator,
             const CongestionPolicy& policy) {
    const bool has_planes = emulator.planar != PlanarSupport::kNone;
    manager.reset();
    managed = std::make_unique<ManagedSubnet>(fabric_of(spec), emulator);
    if (has_planes) managed->use_all_ports();
    managed->start();
    CHECK(managed->settle());
    const Snapshot& snapshot = *managed->sm().snapshot();
    const EndportId own_endport = *managed->fabric().find_endport(
        snapshot.fabric.port(snapshot.fabric.endport(snapshot.sm).port).guid);
    wire = &managed->emulated().attach_gmps(own_endport, kCongestionClass, has_planes);
    options.ppcc = policy;
    manager = std::make_unique<CongestionManager>(*wire, managed->emulated().clock(), options);
  }
  void run() {
    manager->step();
    while (!manager->settled()) {
      wire->wait_until(manager->next_event());
      manager->step();
    }
  }
  /// Runs a sweep of the manager; returns the number of GMPs that were sent.
  std::uint64_t sweep() {
    const std::uint64_t before = managed->emulated().counters().gmps_sent;
    manager->publish(managed->sm().snapshot());
    run();
    return managed->emulated().counters().gmps_sent - before;
  }
  /// Applies another policy; returns the number of GMPs that were sent.
  std::uint64_t apply(const CongestionPolicy& policy) {
    options.ppcc = policy;
    const std::uint64_t before = managed->emulated().counters().gmps_sent;
    manager->set_options(options);
    run();
    return managed->emulated().counters().gmps_sent - before;
  }

  std::unique_ptr<ManagedSubnet> managed;
  GmpTransport* wire = nullptr;
  CongestionOptions options;
  std::unique_ptr<CongestionManager> manager;
};

}  // namespace weft
