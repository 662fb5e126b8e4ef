// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/context.h"

#include <utility>

#include "base/log.h"
#include "sm/election/election.h"

namespace weft {
namespace {

SmpClientOptions client_options(const SmOptions& options) {
  return {options.max_wire_smps, options.max_device_smps, options.max_device_vendor_smps,
          options.transaction_timeout, options.transaction_retries};
}

}  // namespace

SmContext::SmContext(SmpTransport& transport, const Clock& the_clock, SmOptions the_options)
    : clock(the_clock),
      options(std::move(the_options)),
      key_store(keys),
      client(transport, clock, client_options(options), &keys) {
  configure_keys();
  key_store.recall(options.cache_dir, options.m_key_lookup);
}

void SmContext::configure_keys() {
  keys.set_own_port(options.own_port_guid);
  if (options.m_key_per_port) {
    keys.configure_per_port(options.key_mgr_seed, options.m_key);
  } else {
    keys.configure(options.m_key);
  }
}

void SmContext::request_heavy_sweep(std::string why) {
  if (schedule.heavy_reason || stopped) return;
  if (state == SmState::kStandby || state == SmState::kNotActive)
    return log::info("No sweep as {}: {}", name(state), why);
  log::info("Heavy sweep: {}", why);
  schedule.heavy_reason = std::move(why);
}

}  // namespace weft
