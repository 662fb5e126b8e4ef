// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/team.h"

namespace weft::cli {
namespace {

Team alone;
Team* current = &alone;

}  // namespace

bool Team::share(std::uint64_t n, const Work& work, const Collect& collect,
                 const std::atomic<bool>& stop) {
  return collect(work(0, n)) && !stop;
}

Team& team() { return *current; }
void set_team(Team& team) { current = &team; }

}  // namespace weft::cli
