// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// One subnet under random attacks. Fabric, options, attackers, kinds and rates of attacks, and a
// cable that is cut during the attacks are drawn from a seed. During the attacks the manager stays
// master, path queries of an ordinary host are answered, no secret is disclosed, and sweeps, log
// lines, events and the growth of memory are limited. At the end no transfer or request is pending,
// the routes pass the verifier, and every host has a path, except hosts that the manager may
// disable.
#pragma once

#include <cstdint>
#include <string>

namespace weft::attacks {

struct AttackOutcome {
  std::string failure;  // empty: passed
  std::string setting;  // fabric, options and attacks, for the report
  std::uint64_t mads = 0;
};

/// `verbose`: writes the manager's log to standard error.
AttackOutcome run_attacks(std::uint64_t seed, bool verbose = false);

}  // namespace weft::attacks
