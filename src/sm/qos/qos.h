// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// QoS configuration: the keys qos_* of opensm.conf, which set VL arbitration, its high limit and
// SL2VL for all ports or for one kind of port. administered_lanes.h computes the tables of ports
// from them. Reference: docs/reference/qos.md.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ib/tables.h"
#include "routes/sl2vl.h"

namespace weft {

/// SL2VL entry that discards the packets of an SL.
inline constexpr std::uint8_t kDropVl = 15;

/// One set of keys, such as qos_ca_*; an absent value means that the key is not set.
struct QosKeys {
  std::optional<std::uint8_t> high_limit;
  std::optional<std::vector<VlWeight>> vlarb_high, vlarb_low;
  std::optional<SlMap> sl2vl;
  bool operator==(const QosKeys&) const = default;
};

/// Kinds of ports with their own keys.
enum class QosTarget : std::uint8_t { kCa, kRouter, kSwitchPort0, kSwitchExternal };
inline constexpr std::size_t kQosTargetCount = 4;
inline constexpr QosTarget kQosTargets[] = {QosTarget::kCa, QosTarget::kRouter,
                                            QosTarget::kSwitchPort0, QosTarget::kSwitchExternal};
/// Prefix of the keys of a kind: "qos_ca_".
std::string_view key_prefix(QosTarget target);

struct QosOptions {
  bool enabled = false;  // -Q
  QosKeys all;           // qos_*
  std::array<QosKeys, kQosTargetCount> of;
  bool suppress_sl2vl_mad_status_errors = false;
  QosKeys& operator[](QosTarget target) { return of[static_cast<std::size_t>(target)]; }
  const QosKeys& operator[](QosTarget target) const { return of[static_cast<std::size_t>(target)]; }
  bool operator==(const QosOptions&) const = default;
};

/// Effective values for one kind of port: from the key of the kind, otherwise from the key for all
/// ports, otherwise OpenSM's default.
struct QosTables {
  std::uint8_t high_limit = 0;
  std::vector<VlWeight> vlarb_high, vlarb_low;
  SlMap sl2vl{};
  /// Names of the keys used; "default" if none is set.
  std::string high_name, low_name, sl2vl_name;
  /// True if at least one key for an arbitration table is set.
  bool arbitration_is_set = false;
};
QosTables tables_for(const QosOptions& qos, QosTarget target);

/// Parsers for the values of keys. Fail with kBadInput "found .., expected ..".
Result<std::vector<VlWeight>> parse_vlarb(std::string_view text);  // 0:4,1:8
Result<SlMap> parse_sl2vl(std::string_view text);                  // 0,1,2; missing entries are 0
Result<std::optional<std::uint8_t>> parse_high_limit(std::string_view text);  // -1: not set

/// Maps VLs above the data VLs of a port to its data VLs: VL mod data VLs, as in OpenSM. VL 15,
/// which drops packets, is unchanged.
std::uint8_t fold(std::uint8_t vl, unsigned data_vls);
SlMap fold(const SlMap& map, unsigned data_vls);

/// The total weight of a VL in a table.
unsigned weight_of(const std::vector<VlWeight>& table, unsigned vl);

/// Checks the requirements of torus-2QoS on arbitration. Between switches, VLs 0-3 need equal
/// weights in each table, and so do VLs 4-7, because each set serves one level of QoS. At CAs,
/// routers and port 0 of switches, VLs 2-7 must have no weight, because torus-2QoS does not use
/// them there. Returns one message for each key that violates a requirement, and for each SL2VL
/// key, which torus-2QoS overrides.
std::vector<std::string> torus_problems(const QosOptions& qos);

}  // namespace weft
