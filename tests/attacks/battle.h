// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// One subnet under random attacks, all drawn from a seed: fabric, options, attackers, kinds and
// rates of attacks, a cable that is cut meanwhile. Checked at all times: the manager stays master,
// ordinary hosts are answered, no secret is disclosed, sweeps, log lines and events per second
// are limited. Checked afterwards: nothing of the attacks remains under way, and the routes are
// those of a healthy subnet.
#pragma once

#include <cstdint>
#include <string>

namespace weft::attacks {

struct BattleOutcome {
  std::string failure;  // empty: passed
  std::string setting;  // fabric, options and attacks, for the report
  std::uint64_t mads = 0;
};

/// `verbose`: the manager's log on standard error.
BattleOutcome fight(std::uint64_t seed, bool verbose = false);

}  // namespace weft::attacks
