// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Selection of the ports by which a manager sends.
#include <gtest/gtest.h>

#include <array>

#include "ib/port_info.h"
#include "transport/umad_port.h"

namespace weft {
namespace {

constexpr std::uint32_t kPlanar = cap_mask::kHierarchyInfo;
constexpr std::uint32_t kGmpsOnly = cap_mask::kSmDisabled;

UmadPort port(const std::string& device, int number, std::uint64_t guid, std::uint64_t node,
              std::uint32_t capabilities = 0, PortState state = PortState::kActive) {
  return {device, number, Guid(guid), state, Lid(1), Guid(node), capabilities};
}

std::string names(const std::vector<UmadPort>& ports) {
  std::string text;
  for (const UmadPort& one : ports) text += one.device + ":" + std::to_string(one.number) + " ";
  return text;
}

/// The selected ports as "ports for SMPs | ports for GMPs".
std::string selected(const std::vector<UmadPort>& ports, std::optional<Guid> guid = {},
                     UmadPortUse use = UmadPortUse::kAuto) {
  const auto found = select_umad_ports(ports, guid, use);
  return found ? names(found->smps) + "| " + names(found->gmps) : found.error().message;
}

TEST(UmadPorts, AreOnePortOfACaThatStatesNoPlanes) {
  const std::vector<UmadPort> ports{port("a", 1, 11, 1, 0, PortState::kDown), port("a", 2, 12, 1),
                                    port("b", 1, 21, 2)};
  EXPECT_EQ(selected(ports), "a:2 | a:2 ") << "the first port with its link up";
  EXPECT_EQ(selected(ports, Guid(21)), "b:1 | b:1 ");
  EXPECT_EQ(selected(ports, Guid(11)), "a:1 | a:1 ");
  EXPECT_EQ(selected(ports, {}, UmadPortUse::kAll), "a:2 a:1 | a:2 a:1 ");
  EXPECT_EQ(selected({port("a", 1, 11, 1, 0, PortState::kDown)}), "a:1 | a:1 ");
}

TEST(UmadPorts, AreAllPortsOfACaWithPlanes) {
  const std::vector<UmadPort> ports{port("a", 1, 11, 1, kPlanar), port("a", 2, 12, 1, kPlanar),
                                    port("a", 3, 13, 1, kPlanar, PortState::kDown),
                                    port("b", 1, 21, 2, kPlanar)};
  EXPECT_EQ(selected(ports), "a:1 a:2 a:3 | a:1 a:2 a:3 ") << "a link may come up later";
  EXPECT_EQ(selected(ports, Guid(12)), "a:2 a:1 a:3 | a:2 a:1 a:3 ");
  EXPECT_EQ(selected(ports, Guid(12), UmadPortUse::kOne), "a:2 | a:2 ");
}

/// A directed path names the port by its number.
TEST(UmadPorts, HaveDifferentNumbers) {
  EXPECT_EQ(selected({port("a", 1, 11, 1, kPlanar), port("b", 1, 12, 1, kPlanar)}), "a:1 | a:1 ");
  EXPECT_EQ(selected({port("a", 1, 11, 0, kPlanar), port("b", 2, 12, 0, kPlanar)}), "a:1 | a:1 ")
      << "without a node GUID it is not known whether both ports belong to one CA";
  EXPECT_EQ(selected({port("a", 0, 11, 1, kPlanar), port("a", 1, 11, 1, kPlanar)}), "a:0 | a:0 ")
      << "a switch selects the port itself";
}

/// The port for GMPs is the port with the GUID of the ports for SMPs.
TEST(UmadPorts, AreSeparateIfADeviceHasOnlySmps) {
  const std::vector<UmadPort> ports{port("mlx5_0", 1, 11, 1, kGmpsOnly),
                                    port("mlx5_1", 1, 21, 2, kGmpsOnly), port("smi1", 1, 21, 2),
                                    port("smi1", 2, 21, 2)};
  EXPECT_EQ(selected(ports), "smi1:1 smi1:2 | mlx5_1:1 ");
  EXPECT_EQ(selected(ports, Guid(21)), "smi1:1 smi1:2 | mlx5_1:1 ");
  EXPECT_EQ(selected(ports, {}, UmadPortUse::kOne), "smi1:1 | mlx5_1:1 ");
  EXPECT_EQ(selected({ports[0], ports[1]}), "mlx5_0:1 | mlx5_0:1 ")
      << "the registration reports the missing SMPs";
}

TEST(UmadPorts, ReportAnUnknownGuidWithTheKnownPorts) {
  EXPECT_EQ(selected({port("a", 1, 0x11, 1), port("b", 2, 0x12, 2)}, Guid(0x13)),
            "no local port has GUID 0x0000000000000013; local ports: 0x0000000000000011 (a port "
            "1), 0x0000000000000012 (b port 2)");
}

TEST(UmadPorts, AreFoundByNumber) {
  const std::array<std::uint8_t, 3> numbers{4, 1, 2};
  EXPECT_EQ(index_of_port(numbers, 2), 2u);
  EXPECT_EQ(index_of_port(numbers, 3), 0u) << "an unknown port: the first";
  EXPECT_EQ(index_of_port(numbers, 0), 0u);
}

}  // namespace
}  // namespace weft
