// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Settings of a switch with adaptive routing in separate attributes: the hash of hash-based
// forwarding, and persistent fault notifications (pFRN).
#pragma once

#include <optional>
#include <string>

#include "ib/vendor/ar_settings.h"
#include "routes/routes.h"
#include "sm/adaptive/ar_memory.h"

namespace weft {

/// The policy by which a pFRN masks sub-groups, for the engine of the routes. TREE groups with one
/// sub-group have the policy of trees. DF_PLUS groups and divided groups have the policy of a
/// dragonfly+, which masks both sub-groups. Empty for other engines, because their groups have no
/// paths around a failure.
std::optional<std::uint8_t> pfrn_policy(const Routes& routes, SwitchId sw);

/// Whether pFRN is enabled at a switch. A pFRN carries a group number like an FRN, so it is used
/// only at switches at which groups are numbered by leaf. At other switches the number could denote
/// other LIDs.
bool uses_pfrn(const ArHeld& held, const ArConf& conf, const Routes& routes, SwitchId sw);
/// The content of the setting kHashing or kPfrn; empty if the setting is not used at the switch.
std::optional<SmpData> ar_setting(ArStep setting, const ArHeld& held, const ArConf& conf, Guid guid,
                                  const Routes& routes, SwitchId sw);
/// Whether the answer contains the setting that was sent; read-only fields may differ.
bool confirms_setting(ArStep setting, const SmpData& sent, const SmpData& answered);
/// The fields of both, for a message: "found FIELDS, expected FIELDS".
std::string setting_difference(ArStep setting, const SmpData& sent, const SmpData& answered);

/// Disables HBF or pFRN at a switch that did not confirm the setting.
void refuse_setting(ArStep setting, const SmpData& sent, ArHeld& held);
/// Enables HBF and pFRN again if the configuration has other settings than the refused ones.
void forget_outdated_refusals(const ArConf& conf, Guid guid, ArHeld& held);

}  // namespace weft
