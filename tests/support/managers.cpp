// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "support/managers.h"

#include <algorithm>

#include "base/log.h"

namespace weft {

Managers::Managers(Fabric fabric, const EmulatorOptions& emulator)
    : fabric_(std::move(fabric)), emulated_(fabric_, emulator) {
  spdlog::set_level(spdlog::level::off);
}

Managers::~Managers() {
  for (std::size_t i = 0; i < instances_.size(); ++i) kill(i);
}

SmOptions Managers::options(std::uint8_t priority) {
  SmOptions options;
  options.sm_priority = priority;
  options.sweep_interval = std::chrono::seconds(2);
  options.sminfo_polling_timeout = std::chrono::seconds(1);
  options.polling_retry_number = 3;
  options.cache_dir = fmt::format("{}/{}", folder_.path(), instances_.size());
  return options;
}

std::size_t Managers::start(unsigned host, const SmOptions& options) {
  const EndportId where(fabric_.switch_count() + host);
  SmpTransport& wire = emulated_.attach(where);
  instances_.push_back(
      {where, options, std::make_unique<SubnetManager>(wire, emulated_.clock(), options)});
  return instances_.size() - 1;
}

void Managers::kill(std::size_t number) {
  if (!instances_[number].sm) return;
  instances_[number].sm.reset();
  emulated_.detach(instances_[number].where);
}

void Managers::run_for(TimeNs span) {
  const TimeNs end = emulated_.clock().now() + span;
  while (emulated_.clock().now() < end) {
    for (Instance& instance : instances_)
      if (instance.sm) instance.sm->step(emulated_.clock().now() + std::chrono::milliseconds(1));
    const bool none_running = std::ranges::none_of(
        instances_, [](const Instance& s) { return s.sm != nullptr && !s.sm->stopped(); });
    if (none_running) emulated_.run_until(end);
  }
}

bool Managers::run_until(const std::function<bool()>& done, TimeNs limit) {
  const TimeNs end = emulated_.clock().now() + limit;
  while (!done() && emulated_.clock().now() < end) run_for(std::chrono::milliseconds(20));
  return done();
}

bool Managers::run_until_only_master(std::size_t number, TimeNs limit) {
  return run_until(
      [&] {
        for (std::size_t i = 0; i < instances_.size(); ++i)
          if (instances_[i].sm && (i == number) != (sm(i).state() == SmState::kMaster))
            return false;
        return instances_[number].sm != nullptr && sm(number).settled() &&
               sm(number).snapshot() != nullptr;
      },
      limit);
}

void Managers::prioritize(std::size_t number, std::uint8_t priority) {
  instances_[number].options.sm_priority = priority;
  sm(number).set_options(instances_[number].options);
}

std::uint64_t Managers::lft_blocks_written() const {
  return emulated_.counters().requests(Method::kSet, AttributeId::kLinearForwardingTable);
}

std::uint64_t Managers::sets() const {
  std::uint64_t sum = 0;
  for (const AttributeId attribute :
       {AttributeId::kPortInfo, AttributeId::kSwitchInfo, AttributeId::kLinearForwardingTable,
        AttributeId::kMulticastForwardingTable, AttributeId::kPkeyTable, AttributeId::kSlToVlTable,
        AttributeId::kVlArbitrationTable})
    sum += emulated_.counters().requests(Method::kSet, attribute);
  return sum;
}

bool Managers::all_ports_have_master(std::size_t number) const {
  for (const Endport& endport : fabric_.endports())
    if (emulated_.port_info(endport.port).master_sm_lid != lid_of(number)) return false;
  return true;
}

}  // namespace weft
