// Quality of service as the administrator writes it: the keys qos_* of opensm.conf, which give VL
// arbitration, its high limit and SL2VL for all ports, and again for each kind of port. What ports
// come to hold is made of them in administered_lanes.h. docs/reference/qos.md has the whole story.
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

/// One set of keys, such as qos_ca_*; what is absent was not set.
struct QosKeys {
  std::optional<std::uint8_t> high_limit;
  std::optional<std::vector<VlWeight>> vlarb_high, vlarb_low;
  std::optional<SlMap> sl2vl;
  bool operator==(const QosKeys&) const = default;
};

/// Kinds of ports that have keys of their own.
enum class QosTarget : std::uint8_t { kCa, kRouter, kSwitchPort0, kSwitchExternal };
inline constexpr std::size_t kQosTargetCount = 4;
inline constexpr QosTarget kQosTargets[] = {QosTarget::kCa, QosTarget::kRouter,
                                            QosTarget::kSwitchPort0, QosTarget::kSwitchExternal};
/// What its keys begin with: "qos_ca_".
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

/// What counts for one kind of port: its own key, else that for all ports, else OpenSM's default.
struct QosTables {
  std::uint8_t high_limit = 0;
  std::vector<VlWeight> vlarb_high, vlarb_low;
  SlMap sl2vl{};
  /// The keys that said so; "default" where none did.
  std::string high_name, low_name, sl2vl_name;
  /// Somebody set one of the two tables of arbitration.
  bool arbitration_is_set = false;
};
QosTables tables_for(const QosOptions& qos, QosTarget target);

/// Values of keys, as they are written. Fails with kBadInput "found .., want ..".
Result<std::vector<VlWeight>> parse_vlarb(std::string_view text);  // 0:4,1:8
Result<SlMap> parse_sl2vl(std::string_view text);                  // 0,1,2; what is left out is 0
Result<std::optional<std::uint8_t>> parse_high_limit(std::string_view text);  // -1: not set

/// VLs that a port does not operate become those it does: VL mod data VLs, as OpenSM has it. VL 15,
/// which drops, stays.
std::uint8_t fold(std::uint8_t vl, unsigned data_vls);
SlMap fold(const SlMap& map, unsigned data_vls);

/// The weight of a VL in a table, all its entries together.
unsigned weight_of(const std::vector<VlWeight>& table, unsigned vl);

/// What torus-2QoS asks of arbitration: between switches equal weights for VLs 0-3, and for 4-7, in
/// either table, since these share a level of QoS; to endports none for VLs 2-7, which it does not
/// use there. A sentence for each key that is set and does not comply; and for each key of SL2VL,
/// which that engine has to overrule.
std::vector<std::string> torus_complaints(const QosOptions& qos);

}  // namespace weft
