// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The M_Key that this manager sets in a port: the same for all ports, or one for each port, derived
// from a secret seed. A port with its own key does not disclose the keys of other ports; and any
// manager with the seed can compute the key without the files of the manager that set it.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "sm/options.h"

namespace weft {

/// The first 8 bytes of HMAC-SHA-256 with the key `seed` over "weft M_Key", the GUID (8 bytes,
/// big-endian) and a counter (1 byte). The counter starts at 0 and skips values that result in key
/// 0, which means no key.
Mkey derive_mkey(std::string_view seed, Guid port);

/// As derive_mkey(), over another label and any numbers before the counter. Never 0.
std::uint64_t derive_key(std::string_view seed, std::string_view label,
                         std::initializer_list<std::uint64_t> numbers);

inline Mkey port_key(const SmOptions& options, Guid port) {
  return options.m_key_per_port ? derive_mkey(options.key_mgr_seed.view(), port) : options.m_key;
}

/// Decodes a seed of 16 to 64 bytes from hex, with or without 0x; an empty text is an empty seed.
/// Fails with kBadInput, without quoting the seed.
Result<Secret> parse_key_seed(std::string_view text);

}  // namespace weft
