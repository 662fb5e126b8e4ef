// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Keys of the classes 0x21, 0x0A and 0x0C, programmable congestion control and DCQCN on damaged
// fabrics. The devices support these features completely, in part, or not at all, or do not
// respond. The first round writes the wanted keys and settings, a second round writes nothing.
#include <gtest/gtest.h>

#include "agent_managers.h"
#include "devices.h"
#include "fabric/generators/spec.h"
#include "support/fabrics.h"
#include "support/full_size.h"
#include "support/managed_subnet.h"

namespace weft::simulation {
namespace {

WorldPlan mixed_agents() {
  WorldPlan plan;
  plan.class_keys = plan.ppcc = plan.dcqcn = true;
  plan.vports = 2;
  plan.own_lids = true;
  return plan;
}

/// Steps the managers until they settle; false after a minute of virtual time.
bool settle(AgentManagers& agents, ManagedSubnet& managed) {
  const TimeNs end = managed.emulated().clock().now() + std::chrono::minutes(1);
  do {
    agents.step(managed.sm());
    if (agents.settled()) return true;
    managed.run_for(std::chrono::milliseconds(1));
  } while (managed.emulated().clock().now() < end);
  return false;
}

std::string spec_with_damage(const std::string& spec) {
  if (spec.find("seed=") != std::string::npos) return spec;
  for (const char* damage : {",dead=1,fail=1,seed=3", ",fail=1,seed=3", ",dead=1,seed=3"})
    if (generate(spec + damage)) return spec + damage;
  return spec;
}

TEST(MixedAgents, AreWrittenOnce) {
  const WorldPlan plan = mixed_agents();
  std::uint64_t written = 0;
  for (std::size_t i = 0; i < kSmallSpecs.size(); i += case_step(4)) {
    const std::string spec = spec_with_damage(kSmallSpecs[i]);
    SCOPED_TRACE(spec);
    ManagedSubnet managed(fabric_of(spec), device_options(plan));
    managed.start();
    ASSERT_TRUE(managed.settle());
    AgentManagers agents(managed.emulated(), managed.manager_endport(), false, plan,
                         managed.cache().path());
    ASSERT_TRUE(settle(agents, managed));
    EXPECT_EQ(agents.wrong_device(), "");
    written += agents.written();
    managed.sm().request_heavy_sweep("test");
    ASSERT_TRUE(managed.settle());
    agents.begin_round();
    ASSERT_TRUE(settle(agents, managed));
    EXPECT_EQ(agents.written(), 0u);
    EXPECT_EQ(agents.wrong_device(), "");
    if (HasFailure()) return;
  }
  EXPECT_GT(written, 0u);
}

}  // namespace
}  // namespace weft::simulation
