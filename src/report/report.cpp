// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "report/report.h"

namespace weft {

Result<ReportRun> make_run(const Fabric& fabric, Routes routes, std::optional<Verdict> verdict,
                           const RunOptions& options) {
  ReportRun run;
  run.name = routes.engine;
  run.vls = routes.vls;
  run.vls_needed = routes.vls_needed;
  run.notes = std::move(routes.notes);
  run.verified = verdict.has_value();
  if (verdict) run.verdict = std::move(*verdict);
  run.quality = assess(fabric, routes, {.threads = options.threads, .seed = options.seed});
  run.usage = count_usage(fabric, routes, options.threads);
  run.tables = pack_tables(fabric, routes, options.threads);
  for (const TrafficSpec& spec : options.traffic) {
    auto traffic = simulate_traffic(fabric, routes.lfts, spec, options.threads);
    if (!traffic) return forward(traffic);
    run.traffic.push_back(std::move(*traffic));
  }
  run.sl2vl = std::move(routes.sl2vl);
  return run;
}

}  // namespace weft
