// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The order in which a manager writes forwarding tables and AR attributes.
#pragma once

#include <fmt/format.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "ib/adaptive_unconfirmed.h"
#include "ib/vendor/private_lfts.h"
#include "support/managed_subnet.h"

namespace weft {

/// The Sets of AR attributes and forwarding tables that a manager sends, as names; equal names that
/// follow each other once.
class SetOrder {
 public:
  explicit SetOrder(ManagedSubnet& managed) {
    managed.emulated().set_filter([this, &managed](const Smp& smp, NodeId from, NodeId) {
      if (smp.method == Method::kSet && from == managed.manager_node()) add(smp);
      return EmulatedFabric::Delivery::kPass;
    });
  }
  std::vector<std::string> take() { return std::exchange(names_, {}); }

 private:
  void add(const Smp& smp) {
    const std::string name = name_of(smp);
    if (!name.empty() && (names_.empty() || names_.back() != name)) names_.push_back(name);
  }
  static std::string name_of(const Smp& smp) {
    static const std::array<std::pair<AttributeId, const char*>, 12> kNames{{
        {kPrivateLftDef, "definitions"},
        {kPrivateLftMap, "tops"},
        {kPortSlToPrivateLftMap, "inputs"},
        {kArGroupTable, "groups"},
        {kArGroupTableCopy, "copies"},
        {kRnSubGroupDirectionTable, "directions"},
        {kRnGenStringTable, "strings"},
        {kRnRcvString, "decisions"},
        {kRnXmitPortMask, "ports"},
        {kHbfConfig, "hash"},
        {kPfrnConfig, "pFRN"},
        {kWhbfConfig, "weights"},
    }};
    for (const auto& [attribute, name] : kNames)
      if (smp.attribute == attribute) return name;
    if (smp.attribute == kArForwardingTable)
      return fmt::format("entries of {}", ar_unconfirmed::plft_of_forwarding_table(smp.modifier));
    if (smp.attribute == kPrivateLftInfo)
      return decode_private_lft_info(smp.data).mode_in_use == 0 ? "no mode" : "mode";
    if (smp.attribute == kAdaptiveRoutingInfo)
      return decode_adaptive_routing_info(smp.data).enabled ? "on" : "off";
    return smp.attribute == AttributeId::kLinearForwardingTable ? "plain tables" : "";
  }
  std::vector<std::string> names_;
};

}  // namespace weft
