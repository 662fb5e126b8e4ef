// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// torus-2QoS on tori and meshes of many shapes, with parallel cables, and the fabrics that the
// engine refuses.

#include <gtest/gtest.h>

#include <algorithm>

#include "base/check.h"
#include "routing/torus_2qos/torus_2qos.h"
#include "support/torus_fabrics.h"
#include "verify/verify.h"

namespace weft {
namespace {

using ThreeSizes = std::array<unsigned, 3>;

SwitchId at(const Fabric& fabric, const ThreeSizes& radix, const std::array<unsigned, 3>& place) {
  const auto node = fabric.find_node(torus_guid(radix, place));
  CHECK(node.has_value());
  return SwitchId(node->value());
}

ChannelId cable(const Fabric& fabric, SwitchId from, SwitchId to) {
  const auto channels = fabric.channels_from(from);
  const auto found = std::ranges::find(channels, to, &Channel::to);
  CHECK(found != channels.end());
  return fabric.channel_at(from, found->from_port);
}

void expect_shape_verified(const Fabric& fabric, const TorusConfig& config,
                           const std::string& what) {
  const auto routes = route_torus_2qos(fabric, RoutingOptions{.torus = config});
  ASSERT_TRUE(routes) << what << ": " << routes.error().message;
  const Verdict verdict = verify(fabric, *routes);
  EXPECT_TRUE(verdict.ok()) << what << '\n' << describe_cycle(fabric, verdict.credit_loop);
  EXPECT_TRUE(verdict.switch_credit_loop.empty()) << what;
}

void expect_refused(const Fabric& fabric, const TorusConfig& config, const std::string& reason) {
  const auto routes = route_torus_2qos(fabric, RoutingOptions{.torus = config});
  ASSERT_FALSE(routes) << "expected refusal: " << reason;
  EXPECT_EQ(routes.error().code, Code::kUnroutable);
  EXPECT_NE(routes.error().message.find(reason), std::string::npos) << routes.error().message;
}

TEST(TorusShapes, RoutesToriAndMeshesOfManyShapes) {
  struct Shape {
    std::string spec, config;
    ThreeSizes radix;
  };
  const std::vector<Shape> shapes{
      {"ring:n=2", "torus 2 1 1", {2, 1, 1}},
      {"ring:n=3", "torus 3 1 1", {3, 1, 1}},
      {"ring:n=4", "torus 4 1 1", {4, 1, 1}},
      {"ring:n=7,hosts=2", "torus 7 1 1", {7, 1, 1}},
      {"torus:3x3", "torus 3 3 1", {3, 3, 1}},
      {"torus:2x5,pairs=2", "torus 2 5 1", {2, 5, 1}},
      {"torus:2x2x2", "torus 2 2 2", {2, 2, 2}},
      {"torus:3x4x5", "torus 3 4 5", {3, 4, 5}},
      {"torus:4x3x2", "torus 4 3 2", {4, 3, 2}},
      {"torus:5x5", "torus 5 5 1", {5, 5, 1}},
      {"torus:4x4", "torus 4 4 1", {4, 4, 1}},
      {"torus:6x4,trunks=2,hosts=3", "torus 6 4 1", {6, 4, 1}},
      {"mesh:4x5", "mesh 4 5 1", {4, 5, 1}},
      {"mesh:3x3x4,hosts=2", "mesh 3 3 4", {3, 3, 4}},
      {"line:n=6", "mesh 6 1 1", {6, 1, 1}},
      {"hypercube:n=3", "mesh 2 2 2", {2, 2, 2}},
  };
  for (const Shape& shape : shapes) {
    std::array<unsigned, 3> end{};
    for (unsigned d = 0; d < 3; ++d) end[d] = shape.radix[d] - 1;
    for (const auto& seed : {std::array{0u, 0u, 0u}, end})
      expect_shape_verified(fabric_of(shape.spec), torus_config(shape.config, shape.radix, {seed}),
                            shape.spec);
  }
}

TEST(TorusShapes, RoutesEachDimensionAsMeshOrTorus) {
  // mesh:6x5 with wraparound cables in x only: a torus in x, a mesh in y.
  const Fabric torus = fabric_of("torus:6x5");
  std::vector<ChannelId> wraparound_cables;
  const ThreeSizes radix{6, 5, 1};
  for (unsigned x = 0; x < 6; ++x)
    wraparound_cables.push_back(
        cable(torus, at(torus, radix, {x, 4, 0}), at(torus, radix, {x, 0, 0})));
  const Fabric cylinder = without(torus, {}, wraparound_cables);
  expect_shape_verified(cylinder, torus_config("torus 6 5m 1", radix, {{0, 0, 0}}), "cylinder");
  // If the configuration specifies a torus in both dimensions, every ring in y lacks one cable.
  expect_shape_verified(cylinder, torus_config("torus 6 5 1", radix, {{0, 0, 0}}),
                        "torus without wraparound cables in y");
}

TEST(TorusShapes, RoutesDependOnTheDatelineAndNotOnTheSeed) {
  const ThreeSizes radix{6, 5, 1};
  const Fabric fabric = fabric_of("torus:6x5");
  const auto first = route_torus_2qos(
      fabric, RoutingOptions{.torus = torus_config("torus 6 5 1", radix, {{0, 0, 0}})});
  const auto other = route_torus_2qos(
      fabric, RoutingOptions{.torus = torus_config("torus 6 5 1", radix, {{4, 3, 0}})});
  ASSERT_TRUE(first && other);
  EXPECT_EQ(*first, *other);
  TorusConfig moved = torus_config("torus 6 5 1", radix, {{0, 0, 0}});
  moved.seeds[0].dateline = {2, 0, 0};
  const auto third = route_torus_2qos(fabric, RoutingOptions{.torus = moved});
  ASSERT_TRUE(third);
  EXPECT_NE(third->path_sl, first->path_sl);
}

TEST(TorusShapes, SpreadsHostsOverParallelCablesInPortOrder) {
  const ThreeSizes radix{6, 4, 1};
  const Fabric fabric = fabric_of("torus:6x4,trunks=2,hosts=4");
  TorusConfig config = torus_config("torus 6 4 1", radix, {{0, 0, 0}});
  const SwitchId from = at(fabric, radix, {0, 0, 0});
  const SwitchId to = at(fabric, radix, {1, 0, 0});
  const auto ports = [&] {
    const auto routes = route_torus_2qos(fabric, RoutingOptions{.torus = config});
    CHECK(routes.has_value());
    std::vector<PortNum> result;
    for (const EndportId id : fabric.endports_at(to))
      result.push_back(routes->lfts.port(from, fabric.endport(id).lid));
    return result;
  };
  const auto plain = ports();
  EXPECT_EQ(plain[0], plain[2]);
  EXPECT_EQ(plain[1], plain[3]);
  EXPECT_NE(plain[0], plain[1]);
  config.port_order = {PortNum(9), PortNum(11), PortNum(10), PortNum(12)};
  const auto ordered = ports();
  EXPECT_EQ(ordered[0], ordered[1]);
  EXPECT_EQ(ordered[2], ordered[3]);
  EXPECT_NE(ordered[0], ordered[2]);
}

TEST(TorusShapes, UsesTheSecondOfTwoCablesIfTheFirstFails) {
  const ThreeSizes radix{6, 4, 1};
  const Fabric fabric = fabric_of("torus:6x4,trunks=2");
  const TorusConfig config = torus_config("torus 6 4 1", radix, {{0, 0, 0}});
  const SwitchId from = at(fabric, radix, {0, 0, 0});
  const SwitchId to = at(fabric, radix, {1, 0, 0});
  const Fabric left = without(fabric, {}, {cable(fabric, from, to)});
  expect_shape_verified(left, config, "one of two cables");
  const auto routes = route_torus_2qos(left, RoutingOptions{.torus = config});
  const Endport& target = left.endport(left.endports_at(to)[0]);
  EXPECT_EQ(left.channel_at(from, routes->lfts.port(from, target.lid)), cable(left, from, to));
}

TEST(TorusShapes, RoutesAroundAdjacentMissingSwitchesInTheLastDimension) {
  const ThreeSizes flat{6, 6, 1};
  const Fabric fabric = fabric_of("torus:6x6");
  const TorusConfig config = torus_config("torus 6 6 1", flat, {{0, 0, 0}, {0, 3, 0}});
  expect_shape_verified(without(fabric, {at(fabric, flat, {3, 1, 0}), at(fabric, flat, {3, 2, 0})}),
                        config, "two");
  expect_shape_verified(without(fabric, {at(fabric, flat, {3, 0, 0}), at(fabric, flat, {3, 5, 0}),
                                         at(fabric, flat, {3, 4, 0})}),
                        config, "three, over the dateline");
  const ThreeSizes deep{4, 4, 5};
  const Fabric cube = fabric_of("torus:4x4x5");
  expect_shape_verified(without(cube, {at(cube, deep, {2, 2, 1}), at(cube, deep, {2, 2, 2})}),
                        torus_config("torus 4 4 5", deep, {{0, 0, 0}}), "two in z");
}

TEST(TorusShapes, RefusesTwoFailuresWithoutADetour) {
  const ThreeSizes radix{6, 5, 1};
  const Fabric fabric = fabric_of("torus:6x5");
  const TorusConfig config = torus_config("torus 6 5 1", radix, {{0, 0, 0}});
  const auto place = [&](unsigned x, unsigned y) { return at(fabric, radix, {x, y, 0}); };
  expect_refused(
      without(fabric, {},
              {cable(fabric, place(2, 1), place(3, 1)), cable(fabric, place(3, 1), place(4, 1))}),
      config,
      "the ring through (x=0,y=1) in x is partitioned: no cable from 'sw-2-1' "
      "(0x0010000000000009) at (x=2,y=1) to 'sw-3-1' (0x001000000000000a) at (x=3,y=1), "
      "no cable from 'sw-3-1'");
  expect_refused(
      without(fabric, {place(1, 1), place(2, 1), place(4, 2), place(4, 3)}), config,
      "switches are missing at (x=1,y=1), (x=2,y=1), (x=4,y=2), (x=4,y=3): the detours of "
      "torus-2QoS around them could deadlock");
  expect_refused(
      without(fabric, {place(3, 1), place(3, 3)}), config,
      "the ring through (x=3,y=0) in y is partitioned: no switch at (x=3,y=1), no switch at "
      "(x=3,y=3)");
  expect_refused(without(fabric, {place(3, 1)}, {cable(fabric, place(0, 1), place(1, 1))}), config,
                 "the ring through (x=0,y=1) in x is partitioned");
}

TEST(TorusShapes, RefusesAMeshWithAMissingCable) {
  const ThreeSizes radix{4, 3, 1};
  const Fabric fabric = fabric_of("mesh:4x3");
  const TorusConfig config = torus_config("mesh 4 3 1", radix, {{0, 0, 0}});
  expect_refused(
      without(fabric, {},
              {cable(fabric, at(fabric, radix, {1, 1, 0}), at(fabric, radix, {2, 1, 0}))}),
      config, "the line through (x=0,y=1) in x is partitioned");
}

TEST(TorusShapes, ErrorsNameTheCauseOfARefusal) {
  const Fabric fabric = fabric_of("torus:6x5");
  const ThreeSizes radix{6, 5, 1};
  const auto config = [&](const std::string& shape, const std::string& seed) {
    const auto made = parse_torus_config(LineReader::over(shape + "\n" + seed, "t.conf"));
    CHECK(made.has_value());
    return *made;
  };
  const std::string seed =
      "xp_link 0x0010000000000001 0x0010000000000002\n"
      "yp_link 0x0010000000000001 0x0010000000000007\n";
  expect_refused(fabric, config("torus 7 5 1", seed),
                 "the fabric is not a torus 7x5x1: t.conf:1: ");
  expect_refused(fabric, config("torus 5 6 1", seed),
                 "the fabric is not a torus 5x6x1: t.conf:1: ");
  expect_refused(fabric, config("mesh 6 5 1", seed),
                 "the fabric is not a torus 6mx5mx1: t.conf:1: ");
  expect_refused(fabric, config("torus 6 5 1", "xp_link 9 0x0010000000000002\nyp_link 9 7\n"),
                 "t.conf:1: switch 0x0000000000000009 is not in the fabric");
  expect_refused(fabric,
                 config("torus 6 5 1",
                        "xp_link 0x0010000000000001 8\nyp_link 0x0010000000000001 "
                        "0x0010000000000007\n"),
                 "t.conf:1: switch 0x0000000000000008 is not in the fabric");
  expect_refused(fabric,
                 config("torus 6 5 1",
                        "xp_link 0x0010000000000001 0x0010000000000002\nyp_link "
                        "0x0010000000000001 0x0010000000000003\n"),
                 "the cable from 'sw-");
  TorusConfig small = torus_config("torus 6 5 1", radix, {{0, 0, 0}});
  small.portgroup_max_ports = 1;
  expect_refused(fabric, small, "has 2 ports for hosts, port 0 included, and portgroup_max_ports");
}

TEST(TorusShapes, RequiresAConfigurationAndEnoughVls) {
  const Fabric fabric = fabric_of("torus:6x5");
  const ThreeSizes radix{6, 5, 1};
  const TorusConfig config = torus_config("torus 6 5 1", radix, {{0, 0, 0}});
  const auto without_configuration = route_torus_2qos(fabric, {});
  ASSERT_FALSE(without_configuration);
  EXPECT_EQ(without_configuration.error().message,
            "torus-2QoS has no configuration: give --torus_config FILE, or "
            "/etc/opensm/torus-2QoS.conf");
  const auto with_one_vl = route_torus_2qos(fabric, RoutingOptions{.vls_max = 1, .torus = config});
  ASSERT_FALSE(with_one_vl);
  EXPECT_EQ(with_one_vl.error().code, Code::kOutOfVls);
  EXPECT_EQ(with_one_vl.error().message, "torus-2QoS needs 2 virtual lanes, found 1");
  const Fabric damaged = without(fabric, {at(fabric, radix, {3, 2, 0})});
  for (const unsigned vls : {2u, 4u, 8u, 15u}) {
    const auto whole = route_torus_2qos(fabric, RoutingOptions{.vls_max = vls, .torus = config});
    ASSERT_TRUE(whole);
    EXPECT_TRUE(verify(fabric, *whole).ok());
    EXPECT_LE(whole->vls, vls);
    const auto around = route_torus_2qos(damaged, RoutingOptions{.vls_max = vls, .torus = config});
    ASSERT_EQ(around.has_value(), vls >= 4);
    EXPECT_TRUE(!around || verify(damaged, *around).ok());
  }
}

TEST(TorusShapes, UsesSeparateVlsForEachQosLevel) {
  const Fabric fabric = fabric_of("torus:6x5");
  const TorusConfig config = torus_config("torus 6 5 1", {6, 5, 1}, {{0, 0, 0}});
  const auto routes = route_torus_2qos(fabric, RoutingOptions{.torus = config});
  ASSERT_TRUE(routes);
  EXPECT_EQ(routes->sl2vl.common(), (SlMap{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1}));
  const SwitchId sw(0);  // ports: 1 and 2 in x, 3 and 4 in y, 5 to a host
  const auto map = [&](int in, int out) {
    return routes->sl2vl.map(sw, PortNum(static_cast<std::uint8_t>(in)),
                             PortNum(static_cast<std::uint8_t>(out)));
  };
  EXPECT_EQ(map(5, 1), (SlMap{0, 1, 0, 1, 0, 1, 0, 1, 4, 5, 4, 5, 4, 5, 4, 5}));
  EXPECT_EQ(map(2, 3), (SlMap{0, 0, 1, 1, 0, 0, 1, 1, 4, 4, 5, 5, 4, 4, 5, 5}));
  EXPECT_EQ(map(3, 1), (SlMap{2, 3, 2, 3, 2, 3, 2, 3, 6, 7, 6, 7, 6, 7, 6, 7}));
  EXPECT_EQ(map(3, 5), routes->sl2vl.common());
  EXPECT_EQ(map(3, 0), routes->sl2vl.common());
}

TEST(TorusShapes, RoutesAreEqualForAnyNumberOfThreads) {
  const Fabric fabric = fabric_of("torus:4x4x5,hosts=2", 1);
  const TorusConfig config = torus_config("torus 4 4 5", {4, 4, 5}, {{0, 0, 0}});
  const auto one = route_torus_2qos(fabric, RoutingOptions{.threads = 1, .torus = config});
  ASSERT_TRUE(one);
  for (const unsigned threads : {2u, 8u})
    EXPECT_EQ(route_torus_2qos(fabric, RoutingOptions{.threads = threads, .torus = config}), one);
}

}  // namespace
}  // namespace weft
