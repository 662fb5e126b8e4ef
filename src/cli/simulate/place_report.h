// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The jobs of `weft place`, and a placement as a report and as files for weft simulate, mpirun and
// srun.
#pragma once

#include <string>
#include <string_view>

#include "cli/common.h"
#include "jobs/place/place.h"

namespace weft::cli {

/// Reads the job to place, then the running jobs; each is a file or a SPEC. Fails with kUsage if
/// `job` defines no job or several jobs, and as jobs::read_workload().
Result<jobs::Workload> read_place_jobs(const std::string& job,
                                       const std::vector<std::string>& running);

struct PlaceReport {
  const RoutedNetwork& network;
  const jobs::JobSpec& job;
  std::uint64_t seed = 0;
  jobs::PlaceResult result;
};

Json place_json(const PlaceReport& report);
std::string place_text(const PlaceReport& report);

/// A file with the order of the ranks: "hosts" (a host on each line, for hosts=file:PATH of a job),
/// "hostfile" and "rankfile" (Open MPI), "slurm" (a line for each rank, for SLURM_HOSTFILE). Except
/// for "hosts", fails with kBadInput if the name of a host is empty or contains a blank or '='.
Result<std::string> place_file(const PlaceReport& report, std::string_view format);

}  // namespace weft::cli
