// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// MasterSMSL: hosts query the SA on the SL that the routes assign to their packets to the manager,
// so that these packets use the verified VLs.
#include <gmock/gmock.h>

#include <set>

#include "routing/nue/nue.h"
#include "support/managed_subnet.h"
#include "verify/path_sls.h"

namespace weft {
namespace {

using testing::Contains;
using testing::HasSubstr;

struct ManagerPlace {
  const char* engine;
  const char* spec;
  bool on_switch;
};

class MasterSl : public testing::TestWithParam<ManagerPlace> {};

TEST_P(MasterSl, IsTheVerifiedSlOfTheRoutes) {
  const auto& [engine, spec, on_switch] = GetParam();
  ManagedSubnet managed(fabric_of(spec));
  managed.attach_at(EndportId(on_switch ? 1 : managed.fabric().endport_count() - 1));
  managed.options.routing_engine = {{engine}, false};
  managed.options.sm_sl = 15;
  managed.options.routing.plain.parameters.set(kNueVls, 4);
  managed.start();
  ASSERT_TRUE(managed.settle());
  expect_managed(managed);
  const auto snapshot = managed.sm().snapshot();
  const Fabric& known = snapshot->fabric;
  const Lid sm_lid = snapshot->sm_lid();
  const Endport& manager = known.endport(snapshot->sm);
  ASSERT_EQ(known.is_switch(manager.node), on_switch);
  ASSERT_NE(snapshot->routes.path_sl.kind(), PathSl::Kind::kUniform);
  EXPECT_TRUE(snapshot->verdict.verified && snapshot->verdict.ok());
  const PathSls verified(known, snapshot->routes, false);
  for (std::uint32_t i = 0; i < known.endport_count(); ++i) {
    const Endport& endport = known.endport(EndportId(i));
    const auto real = managed.fabric().find_endport(known.port(endport.port).guid);
    const unsigned sl =
        managed.emulated().port_info(managed.fabric().endport(*real).port).master_sm_sl;
    EXPECT_EQ(sl, snapshot->routes.path_sl.sl(known, EndportId(i), sm_lid).value());
    if (known.is_switch(endport.node) || EndportId(i) == snapshot->sm) continue;
    const unsigned bit = 1u << sl;
    EXPECT_NE(verified.from_cas(endport.sw, manager.sw, sm_lid) & bit, 0);
    EXPECT_NE(verified.from_endport(manager, endport.sw, endport.lid) & bit, 0)
        << "the verified SLs must include the answer of the manager";
    const auto back = on_switch ? verified.from_switch(manager.sw, endport.sw, endport.lid)
                                : verified.from_cas(manager.sw, endport.sw, endport.lid);
    EXPECT_NE(back & bit, 0) << "the dependency graph must include the answer of the manager";
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, MasterSl,
                         testing::Values(ManagerPlace{"dfsssp", "ring:n=7,hosts=1", false},
                                         ManagerPlace{"dfsssp", "ring:n=7,hosts=1", true},
                                         ManagerPlace{"lash", "ring:n=7,hosts=1", false},
                                         ManagerPlace{"lash", "ring:n=7,hosts=1", true},
                                         ManagerPlace{"nue", "torus:4x4,hosts=1", false},
                                         ManagerPlace{"nue", "torus:4x4,hosts=1", true}));

/// Hosts of the fabric of MasterSl have different SLs: if the manager set sm_sl instead, these
/// tests would fail.
TEST(MasterSls, DifferFromHostToHost) {
  ManagedSubnet managed(fabric_of("ring:n=7,hosts=1"));
  managed.options.routing_engine = {{"lash"}, false};
  managed.start();
  ASSERT_TRUE(managed.settle());
  std::set<unsigned> sls;
  for (const Endport& endport : managed.fabric().endports())
    sls.insert(managed.emulated().port_info(endport.port).master_sm_sl);
  EXPECT_GT(sls.size(), 1u);
}

TEST(MasterSls, UseSmSlIfRoutesHaveNoSls) {
  ManagedSubnet managed(fabric_of("fattree2:k=4"));
  managed.options.sm_sl = 3;
  managed.start();
  ASSERT_TRUE(managed.settle());
  for (const Endport& endport : managed.fabric().endports())
    EXPECT_EQ(managed.emulated().port_info(endport.port).master_sm_sl, 3);
}

/// The configured SL2VL map discards packets of SL 3 (VL 15).
TEST(MasterSls, AvoidSlsRejectedByTheVerifier) {
  ManagedSubnet managed(fabric_of("fattree2:k=4"));
  managed.options.sm_sl = 3;
  managed.options.qos.enabled = true;
  managed.options.qos.all.sl2vl = *parse_sl2vl("0,1,2,15,0,1,2,3,0,1,2,3,0,1,2,3");
  managed.start();
  ASSERT_TRUE(managed.settle());
  EXPECT_THAT(managed.report().warnings, Contains(HasSubstr("sm_sl 3: ")));
  for (const Endport& endport : managed.fabric().endports())
    EXPECT_EQ(managed.emulated().port_info(endport.port).master_sm_sl, 0);
}

}  // namespace
}  // namespace weft
