// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Several subnet managers on one emulated fabric, each on a host of its own, stepped in turn on the
// same clock.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include "managed.h"

namespace weft {

class Managers {
 public:
  explicit Managers(Fabric fabric) : fabric_(std::move(fabric)), emulated_(fabric_) {
    spdlog::set_level(spdlog::level::off);
  }
  ~Managers() {
    for (std::size_t i = 0; i < seats_.size(); ++i) kill(i);
  }

  /// Options with short intervals.
  SmOptions options(std::uint8_t priority) {
    SmOptions options;
    options.sm_priority = priority;
    options.sweep_interval = std::chrono::seconds(2);
    options.sminfo_polling_timeout = std::chrono::seconds(1);
    options.polling_retry_number = 3;
    options.cache_dir = fmt::format("{}/{}", folder_.path(), seats_.size());
    return options;
  }

  /// Adds a manager on the n-th host. Returns its number.
  std::size_t start(unsigned host, const SmOptions& options) {
    const EndportId where(fabric_.switch_count() + host);
    SmpTransport& wire = emulated_.attach(where);
    seats_.push_back(
        {where, options, std::make_unique<SubnetManager>(wire, emulated_.clock(), options)});
    return seats_.size() - 1;
  }
  std::size_t start(unsigned host, std::uint8_t priority) { return start(host, options(priority)); }

  /// As by kill -9: no message to the others; only IsSM of its port is cleared.
  void kill(std::size_t number) {
    if (!seats_[number].sm) return;
    seats_[number].sm.reset();
    emulated_.detach(seats_[number].where);
  }

  void run_for(TimeNs span) {
    const TimeNs end = emulated_.clock().now() + span;
    while (emulated_.clock().now() < end) {
      for (Seat& seat : seats_)
        if (seat.sm) seat.sm->step(emulated_.clock().now() + std::chrono::milliseconds(1));
      const bool none_running =
          std::ranges::none_of(seats_, [](const Seat& s) { return s.sm != nullptr; });
      if (none_running) emulated_.run_until(end);
    }
  }
  /// False if it does not become true within `limit`.
  bool run_until(const std::function<bool()>& done, TimeNs limit = std::chrono::minutes(1)) {
    const TimeNs end = emulated_.clock().now() + limit;
    while (!done() && emulated_.clock().now() < end) run_for(std::chrono::milliseconds(20));
    return done();
  }
  /// Until this one is master and has finished a sweep, and no other running one is master.
  bool led_by(std::size_t number, TimeNs limit = std::chrono::minutes(1)) {
    return run_until(
        [&] {
          for (std::size_t i = 0; i < seats_.size(); ++i)
            if (seats_[i].sm && (i == number) != (sm(i).state() == SmState::kMaster)) return false;
          return seats_[number].sm != nullptr && sm(number).settled() &&
                 sm(number).snapshot() != nullptr;
        },
        limit);
  }

  /// As by a changed file and SIGHUP.
  void prioritize(std::size_t number, std::uint8_t priority) {
    seats_[number].options.sm_priority = priority;
    sm(number).set_options(seats_[number].options);
  }

  SubnetManager& sm(std::size_t number) { return *seats_[number].sm; }
  SmState state(std::size_t number) { return sm(number).state(); }
  const Fabric& fabric() const { return fabric_; }
  EmulatedFabric& emulated() { return emulated_; }
  PortId port_of(std::size_t number) const { return fabric_.endport(seats_[number].where).port; }
  Lid lid_of(std::size_t number) const { return emulated_.port_info(port_of(number)).lid; }
  Guid guid_of(std::size_t number) const { return fabric_.port(port_of(number)).guid; }
  std::uint64_t lft_blocks_written() const {
    return emulated_.counters().requests(Method::kSet, AttributeId::kLinearForwardingTable);
  }
  std::uint64_t sets() const {
    std::uint64_t sum = 0;
    for (const AttributeId attribute :
         {AttributeId::kPortInfo, AttributeId::kSwitchInfo, AttributeId::kLinearForwardingTable,
          AttributeId::kMulticastForwardingTable, AttributeId::kPkeyTable,
          AttributeId::kSlToVlTable, AttributeId::kVlArbitrationTable})
      sum += emulated_.counters().requests(Method::kSet, attribute);
    return sum;
  }
  /// MasterSMLID of every endport is this manager's.
  bool all_ports_know(std::size_t number) const {
    for (const Endport& endport : fabric_.endports())
      if (emulated_.port_info(endport.port).master_sm_lid != lid_of(number)) return false;
    return true;
  }

 private:
  struct Seat {
    EndportId where;
    SmOptions options;
    std::unique_ptr<SubnetManager> sm;
  };
  TempDir folder_;
  const Fabric fabric_;
  EmulatedFabric emulated_;
  std::vector<Seat> seats_;
};

}  // namespace weft
