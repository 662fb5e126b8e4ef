// Goes through all LIDs of a fabric, block by block on several threads.
#pragma once

#include "base/parallel.h"
#include "verify/choices.h"
#include "verify/lid_judge.h"

namespace weft {

/// Calls body(judge, lid, block) for every LID, where judge is a LidJudge or a ChoiceJudge and
/// block the number of the LID's block; calls with different blocks may run at once.
template <class Body>
void for_each_lid(const Fabric& fabric, const Routes& routes, const Common& common,
                  const PathSls& sls, unsigned threads, Dependencies& dependencies,
                  const Body& body) {
  const PortMap map(fabric);
  parallel_blocks(lid_blocks(fabric), 1, threads, [&](std::size_t block, std::size_t) {
    const auto all = [&](auto& judge) {
      for (std::size_t lid = block * kLftBlock; lid < (block + 1) * kLftBlock; ++lid)
        body(judge, Lid(static_cast<std::uint16_t>(lid)), block);
    };
    if (routes.adaptive) {
      ChoiceJudge judge(fabric, routes, common, sls, dependencies);
      return all(judge);
    }
    NextHops hops(map);
    hops.load(routes.lfts, block);
    LidJudge judge(fabric, routes, common, sls, hops, dependencies);
    all(judge);
  });
}

}  // namespace weft
