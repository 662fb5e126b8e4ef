// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/qos/qos.h"

#include <algorithm>

#include "base/text.h"

namespace weft {
namespace {

constexpr unsigned kWeightMax = 255;
constexpr std::size_t kArbitrationEntriesMax = 64;  // a port has two blocks of 32

/// OpenSM's default: VL 0 has priority, and the others share the remaining bandwidth.
std::vector<VlWeight> default_arbitration(std::uint8_t of_vl0, std::uint8_t of_others) {
  std::vector<VlWeight> table;
  for (std::uint8_t vl = 0; vl < kDataVlCount; ++vl)
    table.push_back({Vl(vl), vl == 0 ? of_vl0 : of_others});
  return table;
}

SlMap default_map() {
  SlMap map = modulo_map(kDataVlCount);
  map[kSlCount - 1] = 7;
  return map;
}

/// The fields separated by commas; a trailing comma is ignored.
std::vector<std::string_view> fields_of(std::string_view text) {
  std::vector<std::string_view> fields = split(text, ',');
  if (fields.size() > 1 && trim(fields.back()).empty()) fields.pop_back();
  return fields;
}

std::optional<unsigned> number_up_to(std::string_view text, unsigned most) {
  const auto value = parse_c_number<std::uint32_t>(trim(text));
  if (!value || *value > most) return std::nullopt;
  return *value;
}

bool equal_weights(const std::vector<VlWeight>& table, unsigned first, unsigned last) {
  for (unsigned vl = first + 1; vl <= last; ++vl)
    if (weight_of(table, vl) != weight_of(table, first)) return false;
  return true;
}

bool no_weight(const std::vector<VlWeight>& table, unsigned first, unsigned last) {
  for (unsigned vl = first; vl <= last; ++vl)
    if (weight_of(table, vl) != 0) return false;
  return true;
}

void check_arbitration(const QosOptions& qos, QosTarget target, std::vector<std::string>& found) {
  const QosTables tables = tables_for(qos, target);
  if (!tables.arbitration_is_set) return;  // without tables, all weights are equal
  const auto check_weights = [&](const std::vector<VlWeight>& table, const std::string& name) {
    const std::string keys =
        name == "default"
            ? fmt::format("the default for the unset key of {}vlarb_*", key_prefix(target))
            : name;
    if (target == QosTarget::kSwitchExternal) {
      if (!equal_weights(table, 0, 3) || !equal_weights(table, 4, 7))
        found.push_back(
            fmt::format("{}: torus-2QoS needs equal weights for VLs 0-3 between "
                        "switches, and for VLs 4-7: packets of one level of QoS "
                        "do not get equal shares",
                        keys));
    } else if (!no_weight(table, 2, 7)) {
      found.push_back(fmt::format(
          "{}: torus-2QoS uses VLs 0 and 1 of {}*: weights of VLs 2-7 have no effect there", keys,
          key_prefix(target)));
    }
  };
  check_weights(tables.vlarb_high, tables.high_name);
  check_weights(tables.vlarb_low, tables.low_name);
}

}  // namespace

std::string_view key_prefix(QosTarget target) {
  constexpr std::string_view kPrefixes[kQosTargetCount] = {"qos_ca_", "qos_rtr_", "qos_sw0_",
                                                           "qos_swe_"};
  return kPrefixes[static_cast<std::size_t>(target)];
}

QosTables tables_for(const QosOptions& qos, QosTarget target) {
  QosTables tables;
  const QosKeys& own = qos[target];
  const auto choose = [&](const auto& special, const auto& general, const char* key, auto& into,
                          std::string& name) {
    if (special) {
      into = *special;
      name = fmt::format("{}{}", key_prefix(target), key);
    } else if (general) {
      into = *general;
      name = fmt::format("qos_{}", key);
    } else {
      name = "default";
      return false;
    }
    return true;
  };
  std::string unused;
  choose(own.high_limit, qos.all.high_limit, "high_limit", tables.high_limit, unused);
  tables.vlarb_high = default_arbitration(4, 0);
  tables.vlarb_low = default_arbitration(0, 4);
  tables.sl2vl = default_map();
  const bool high =
      choose(own.vlarb_high, qos.all.vlarb_high, "vlarb_high", tables.vlarb_high, tables.high_name);
  const bool low =
      choose(own.vlarb_low, qos.all.vlarb_low, "vlarb_low", tables.vlarb_low, tables.low_name);
  tables.arbitration_is_set = high || low;
  choose(own.sl2vl, qos.all.sl2vl, "sl2vl", tables.sl2vl, tables.sl2vl_name);
  return tables;
}

Result<std::vector<VlWeight>> parse_vlarb(std::string_view text) {
  std::vector<VlWeight> table;
  const auto fields = fields_of(text);
  if (fields.size() > kArbitrationEntriesMax)
    return fail(Code::kBadInput, "found {} entries, expected at most {}, the capacity of a port",
                fields.size(), kArbitrationEntriesMax);
  for (const std::string_view field : fields) {
    const std::size_t colon = field.find(':');
    const auto vl = number_up_to(field.substr(0, colon), kDataVlCount - 1);
    const auto weight = colon == std::string_view::npos
                            ? std::nullopt
                            : number_up_to(field.substr(colon + 1), kWeightMax);
    if (!vl || !weight)
      return fail(Code::kBadInput,
                  "found {}, expected VL:WEIGHT, a VL from 0 to 14 and a weight to 255",
                  weft::quoted(trim(field)));
    table.push_back({Vl(static_cast<std::uint8_t>(*vl)), static_cast<std::uint8_t>(*weight)});
  }
  return table;
}

Result<SlMap> parse_sl2vl(std::string_view text) {
  SlMap map{};
  const auto fields = fields_of(text);
  if (fields.size() > kSlCount)
    return fail(Code::kBadInput, "found {} VLs, expected at most {}, one for each SL",
                fields.size(), kSlCount);
  std::size_t sl = 0;
  for (const std::string_view field : fields) {
    const auto vl = number_up_to(field, kDropVl);
    if (!vl)
      return fail(Code::kBadInput, "found {}, expected a VL from 0 to 14, or 15 to drop",
                  weft::quoted(trim(field)));
    map[sl++] = static_cast<std::uint8_t>(*vl);
  }
  return map;
}

Result<std::optional<std::uint8_t>> parse_high_limit(std::string_view text) {
  if (trim(text) == "-1") return std::optional<std::uint8_t>();
  const auto limit = number_up_to(text, 255);
  if (!limit)
    return fail(Code::kBadInput, "found {}, expected a number from 0 to 255, or -1",
                weft::quoted(text));
  return std::optional(static_cast<std::uint8_t>(*limit));
}

std::uint8_t fold(std::uint8_t vl, unsigned data_vls) {
  if (vl == kDropVl || data_vls == 0) return vl;
  return static_cast<std::uint8_t>(vl % data_vls);
}

SlMap fold(const SlMap& map, unsigned data_vls) {
  SlMap folded{};
  std::ranges::transform(map, folded.begin(), [&](std::uint8_t vl) { return fold(vl, data_vls); });
  return folded;
}

unsigned weight_of(const std::vector<VlWeight>& table, unsigned vl) {
  unsigned weight = 0;
  for (const VlWeight& entry : table)
    if (entry.vl.value() == vl) weight += entry.weight;
  return weight;
}

std::vector<std::string> torus_problems(const QosOptions& qos) {
  std::vector<std::string> found;
  const auto overruled = [&](const QosKeys& keys, std::string_view prefix) {
    if (keys.sl2vl)
      found.push_back(
          fmt::format("{}sl2vl has no effect: torus-2QoS sets SL2VL itself, or its "
                      "routes could deadlock",
                      prefix));
  };
  overruled(qos.all, "qos_");
  for (const QosTarget target : kQosTargets) {
    overruled(qos[target], key_prefix(target));
    check_arbitration(qos, target, found);
  }
  return found;
}

}  // namespace weft
