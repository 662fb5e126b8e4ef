// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/adaptive/ar_settings.h"

namespace weft {
namespace {

HbfConfig hash_setting(const ArConf& conf, Guid guid) {
  HbfConfig config;
  config.hash = conf.hbf_hash;
  config.seed_type = conf.hbf_random_seed ? HbfConfig::kRandomSeed : HbfConfig::kConfiguredSeed;
  config.seed =
      conf.hbf_seed == kHbfSeedOfGuid ? static_cast<std::uint32_t>(guid.value()) : conf.hbf_seed;
  config.fields = conf.hbf_fields;
  return config;
}

}  // namespace

std::optional<std::uint8_t> pfrn_policy(const Routes& routes, SwitchId sw) {
  if (routes.engine == "ar_updn" || routes.engine == "ar_ftree")
    return routes.adaptive && !routes.adaptive->divisions(sw).empty() ? PfrnConfig::kDragonflyPlus
                                                                      : PfrnConfig::kTree;
  if (routes.engine == "ar_dfp" || routes.engine == "dfp2") return PfrnConfig::kDragonflyPlus;
  return std::nullopt;
}

bool uses_pfrn(const ArHeld& held, const ArConf& conf, const Routes& routes, SwitchId sw) {
  return conf.pfrn && held.can_persist() && pfrn_policy(routes, sw).has_value();
}

std::optional<SmpData> ar_setting(ArStep setting, const ArHeld& held, const ArConf& conf, Guid guid,
                                  const Routes& routes, SwitchId sw) {
  if (setting == ArStep::kHashing) {
    if (!held.can_hash() || hash_sls(conf, guid) == 0) return std::nullopt;
    return encode(hash_setting(conf, guid));
  }
  if (!uses_pfrn(held, conf, routes, sw)) return std::nullopt;
  return encode(PfrnConfig{.sl = conf.pfrn_sl,
                           .policy = *pfrn_policy(routes, sw),
                           .force_clear_s = conf.pfrn_force_clear_s,
                           .clear_s = conf.pfrn_clear_s});
}

bool confirms_setting(ArStep setting, const SmpData& sent, const SmpData& answered) {
  if (setting == ArStep::kHashing) return decode_hbf_config(sent) == decode_hbf_config(answered);
  PfrnConfig held = decode_pfrn_config(answered);
  const PfrnConfig wanted = decode_pfrn_config(sent);
  if (!held.selects_policy) held.policy = wanted.policy;
  held.selects_policy = wanted.selects_policy;
  return held == wanted;
}

}  // namespace weft
