// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/agent/mkey_guard.h"

namespace weft::emulator {

bool MkeyGuard::admits(const Smp& smp, PortId agent_port) {
  if (allows(smp, agent_port)) return true;
  refuse(smp, agent_port);
  return false;
}

bool MkeyGuard::matches(const Smp& smp, PortId agent_port) const {
  const Mkey mkey = model_.port(agent_port).info.mkey;
  return mkey == Mkey(0) || smp.mkey == mkey;
}

/// Protection levels 0 and 1 allow any Get.
bool MkeyGuard::allows(const Smp& smp, PortId agent_port) {
  if (matches(smp, agent_port)) {
    stop_lease(agent_port);
    return true;
  }
  return smp.method == Method::kGet && model_.port(agent_port).info.mkey_protect < 2;
}

/// The violation counter saturates.
void MkeyGuard::refuse(const Smp& smp, PortId agent_port) {
  PortModel& port = model_.port(agent_port);
  if (port.info.mkey_violations != 0xFFFF) ++port.info.mkey_violations;
  if (port.info.mkey_lease_period_s != 0 && port.lease_generation % 2 == 0)
    events_.push(clock_.now() + std::chrono::seconds(port.info.mkey_lease_period_s),
                 EventKind::kLeaseEnd, agent_port.value(), ++port.lease_generation);
  traps_.bad_mkey(agent_port, smp);
}

void MkeyGuard::stop_lease(PortId agent_port) {
  std::uint32_t& generation = model_.port(agent_port).lease_generation;
  if (generation % 2 != 0) ++generation;
}

void MkeyGuard::lease_end(PortId agent_port, std::uint32_t generation) {
  PortModel& port = model_.port(agent_port);
  if (port.lease_generation != generation) return;
  ++port.lease_generation;
  port.info.mkey_protect = 0;
}

}  // namespace weft::emulator
