// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "ib/enums.h"

#include <array>
#include <cctype>
#include <utility>

namespace weft {
namespace {

constexpr std::array<std::pair<LinkWidth, std::string_view>, 5> kWidths{{{LinkWidth::k1x, "1x"},
                                                                         {LinkWidth::k2x, "2x"},
                                                                         {LinkWidth::k4x, "4x"},
                                                                         {LinkWidth::k8x, "8x"},
                                                                         {LinkWidth::k12x, "12x"}}};
// Data rate of a lane in units of 100 Mbit/s. The 8b/10b coding of SDR to QDR takes a fifth of the
// signaling rate, later codings 3 %.
struct SpeedFacts {
  LinkSpeed speed;
  std::string_view name;
  unsigned lane_rate;
};
constexpr std::array<SpeedFacts, 9> kSpeeds{{{LinkSpeed::kSdr, "SDR", 20},
                                             {LinkSpeed::kDdr, "DDR", 40},
                                             {LinkSpeed::kQdr, "QDR", 80},
                                             {LinkSpeed::kFdr10, "FDR10", 100},
                                             {LinkSpeed::kFdr, "FDR", 136},
                                             {LinkSpeed::kEdr, "EDR", 250},
                                             {LinkSpeed::kHdr, "HDR", 500},
                                             {LinkSpeed::kNdr, "NDR", 1000},
                                             {LinkSpeed::kXdr, "XDR", 2000}}};

}  // namespace

unsigned lanes(LinkWidth width) {
  switch (width) {
    case LinkWidth::k1x:
      return 1;
    case LinkWidth::k2x:
      return 2;
    case LinkWidth::k4x:
      return 4;
    case LinkWidth::k8x:
      return 8;
    case LinkWidth::k12x:
      return 12;
  }
  return 1;
}

unsigned bytes(Mtu mtu) { return 128u << static_cast<unsigned>(mtu); }

unsigned data_rate_100mbit(LinkWidth width, LinkSpeed speed) {
  return lanes(width) * kSpeeds[static_cast<std::size_t>(speed)].lane_rate;
}

std::string_view name(LinkWidth width) {
  for (const auto& [value, text] : kWidths)
    if (value == width) return text;
  return "?x";
}

std::string_view name(LinkSpeed speed) { return kSpeeds[static_cast<std::size_t>(speed)].name; }

std::string_view name(NodeType type) {
  switch (type) {
    case NodeType::kCa:
      return "CA";
    case NodeType::kSwitch:
      return "SW";
    case NodeType::kRouter:
      return "RTR";
  }
  return "?";
}

std::string port_state_text(PortState state) {
  switch (state) {
    case PortState::kDown:
      return "DOWN";
    case PortState::kInit:
      return "INIT";
    case PortState::kArmed:
      return "ARMED";
    case PortState::kActive:
      return "ACTIVE";
    default:
      return std::to_string(static_cast<unsigned>(state));
  }
}

std::optional<LinkWidth> parse_link_width(std::string_view text) {
  if (text.empty() || (text.back() != 'x' && text.back() != 'X')) return std::nullopt;
  text.remove_suffix(1);
  for (const auto& [value, known] : kWidths)
    if (known.substr(0, known.size() - 1) == text) return value;
  return std::nullopt;
}

std::optional<LinkSpeed> parse_link_speed(std::string_view text) {
  for (const auto& facts : kSpeeds)
    if (facts.name == text) return facts.speed;
  return std::nullopt;
}

}  // namespace weft
