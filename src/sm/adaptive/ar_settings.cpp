// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/adaptive/ar_settings.h"

#include <fmt/format.h>

#include "sm/adaptive/ar_blocks.h"

namespace weft {
namespace {

HbfConfig hash_setting(const ArHeld& held, const ArConf& conf, Guid guid) {
  HbfConfig config;
  config.hash = conf.hbf_hash;
  config.seed_type = conf.hbf_random_seed ? HbfConfig::kRandomSeed : HbfConfig::kConfiguredSeed;
  config.seed =
      conf.hbf_seed == kHbfSeedOfGuid ? static_cast<std::uint32_t>(guid.value()) : conf.hbf_seed;
  config.fields = hash_fields(held, conf);
  return config;
}

PfrnConfig pfrn_setting(const ArConf& conf, std::uint8_t policy) {
  return {.sl = conf.pfrn_sl,
          .policy = policy,
          .force_clear_s = conf.pfrn_force_clear_s,
          .clear_s = conf.pfrn_clear_s};
}

std::string fields_text(ArStep setting, const SmpData& data) {
  if (setting == ArStep::kHashing) {
    const HbfConfig hashing = decode_hbf_config(data);
    return fmt::format("hash {}, seed type {}, seed 0x{:x}, fields 0x{:x}", hashing.hash,
                       hashing.seed_type, hashing.seed, hashing.fields);
  }
  const PfrnConfig pfrn = decode_pfrn_config(data);
  return fmt::format("SL {}, policy {}, masks cleared after {} s and by force after {} s", pfrn.sl,
                     pfrn.policy, pfrn.clear_s, pfrn.force_clear_s);
}

}  // namespace

std::optional<std::uint8_t> pfrn_policy(const Routes& routes, SwitchId sw) {
  if (routes.engine == "ar_updn" || routes.engine == "ar_ftree")
    return routes.adaptive && !routes.adaptive->divisions(sw).empty() ? PfrnConfig::kDragonflyPlus
                                                                      : PfrnConfig::kTree;
  if (routes.engine == "ar_dfp") return PfrnConfig::kDragonflyPlus;
  return std::nullopt;
}

bool uses_pfrn(const ArHeld& held, const ArConf& conf, const Routes& routes, SwitchId sw) {
  return conf.pfrn && held.can_persist() && routes.adaptive &&
         is_numbered_by_leaf(*routes.adaptive, sw) && pfrn_policy(routes, sw).has_value();
}

std::optional<SmpData> ar_setting(ArStep setting, const ArHeld& held, const ArConf& conf, Guid guid,
                                  const Routes& routes, SwitchId sw) {
  if (setting == ArStep::kHashing) {
    if (hash_sls(held, conf, guid) == 0) return std::nullopt;
    return encode(hash_setting(held, conf, guid));
  }
  if (!uses_pfrn(held, conf, routes, sw)) return std::nullopt;
  return encode(pfrn_setting(conf, *pfrn_policy(routes, sw)));
}

bool confirms_setting(ArStep setting, const SmpData& sent, const SmpData& answered) {
  if (setting == ArStep::kHashing) return decode_hbf_config(sent) == decode_hbf_config(answered);
  PfrnConfig held = decode_pfrn_config(answered);
  const PfrnConfig wanted = decode_pfrn_config(sent);
  if (!held.selects_policy) held.policy = wanted.policy;
  held.selects_policy = wanted.selects_policy;
  return held == wanted;
}

std::string setting_difference(ArStep setting, const SmpData& sent, const SmpData& answered) {
  return fmt::format("found {}, expected {}", fields_text(setting, answered),
                     fields_text(setting, sent));
}

void refuse_setting(ArStep setting, const SmpData& sent, ArHeld& held) {
  if (setting == ArStep::kHashing)
    held.refused_hashing = decode_hbf_config(sent);
  else
    held.refused_pfrn = decode_pfrn_config(sent);
}

void forget_outdated_refusals(const ArConf& conf, Guid guid, ArHeld& held) {
  if (held.refused_hashing && *held.refused_hashing != hash_setting(held, conf, guid))
    held.refused_hashing.reset();
  if (held.refused_pfrn && *held.refused_pfrn != pfrn_setting(conf, held.refused_pfrn->policy))
    held.refused_pfrn.reset();
}

}  // namespace weft
