// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reports of simulated jobs as text, JSON, CSV and a plot.
#pragma once

#include <string>
#include <vector>

#include "cli/common.h"
#include "jobs/study.h"

namespace weft::cli {

struct JobReport {
  const RoutedNetwork& network;
  const jobs::Workload& workload;
  std::uint64_t seed = 0;
  std::vector<jobs::RunOutcome> runs;
  jobs::Details details;                       // details of run 0
  std::vector<jobs::NetworkChange> changes{};  // failures and repairs
};

Json jobs_json(const JobReport& report);
std::string jobs_text(const JobReport& report);
/// A row for each run and job.
std::string jobs_csv(const JobReport& report);
/// Utilisation of the busiest links over time, in run 0.
std::string links_csv(const JobReport& report);
std::string links_picture(const JobReport& report, const std::string& title);

}  // namespace weft::cli
