#include "report/report.h"

namespace weft {

ReportRun make_run(const Fabric& fabric, Routes routes, std::optional<Verdict> verdict,
                   const RunOptions& options) {
  ReportRun run;
  run.name = routes.engine;
  run.vls = routes.vls;
  run.vls_needed = routes.vls_needed;
  run.notes = std::move(routes.notes);
  run.judged = verdict.has_value();
  if (verdict) run.verdict = std::move(*verdict);
  run.quality = assess(fabric, routes, {.threads = options.threads, .seed = options.seed});
  run.usage = count_usage(fabric, routes, options.threads);
  run.tables = pack_tables(fabric, routes, options.threads);
  run.sl2vl = std::move(routes.sl2vl);
  return run;
}

}  // namespace weft
