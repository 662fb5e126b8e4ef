// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Node types, port states, physical port states, link widths, link speeds and MTUs, with their wire
// values (LinkSpeed has none). Lanes of a width, bytes of an MTU, data rates of links. Names of
// widths and speeds as in the output of ibnetdiscover, of node types as in .lst files, and of port
// states. Sources: InfiniBand Architecture Specification, volume 1, chapter 14.2.5 (NodeInfo and
// PortInfo), and volume 2 (signaling rates and line codings); FDR10: extended_port_info.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weft {

enum class NodeType : std::uint8_t { kCa = 1, kSwitch = 2, kRouter = 3 };
enum class PortState : std::uint8_t {
  kNoChange = 0,
  kDown = 1,
  kInit = 2,
  kArmed = 3,
  kActive = 4
};
enum class PhysState : std::uint8_t {
  kNoChange = 0,
  kSleep = 1,
  kPolling = 2,
  kDisabled = 3,
  kTraining = 4,
  kLinkUp = 5,
  kRecovery = 6,
  kPhyTest = 7
};

/// Wire values of LinkWidthActive.
enum class LinkWidth : std::uint8_t { k1x = 1, k4x = 2, k8x = 4, k12x = 8, k2x = 16 };

/// Signaling rate of a lane, slowest first. Not a wire value: three fields of PortInfo encode the
/// speed, except FDR10, which PortInfo reports as QDR and MLNX ExtendedPortInfo as FDR10.
enum class LinkSpeed : std::uint8_t { kSdr, kDdr, kQdr, kFdr10, kFdr, kEdr, kHdr, kNdr, kXdr };

/// Wire values of MTUCap and NeighborMTU.
enum class Mtu : std::uint8_t { k256 = 1, k512 = 2, k1024 = 3, k2048 = 4, k4096 = 5 };

unsigned lanes(LinkWidth width);
unsigned bytes(Mtu mtu);

/// Data rate of a link in units of 100 Mbit/s after line coding: 4xSDR 80, 4xQDR 320, 4xEDR 1000,
/// 4xNDR 4000.
unsigned data_rate_100mbit(LinkWidth width, LinkSpeed speed);

/// The words of ibnetdiscover: "4x", "SDR".
std::string_view name(LinkWidth width);
std::string_view name(LinkSpeed speed);
std::string_view name(NodeType type);  // as in .lst files: "CA", "SW", "RTR"
/// "DOWN", "INIT", "ARMED" or "ACTIVE"; for any other value, its number.
std::string port_state_text(PortState state);
std::optional<LinkWidth> parse_link_width(std::string_view text);  // "4x" or "4X"
std::optional<LinkSpeed> parse_link_speed(std::string_view text);  // "FDR10"

}  // namespace weft
