// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reads any text as a job file, a SPEC, GOAL text or a rank of a Chakra trace. The first byte
// selects the reader. The text is rejected with a message, or the result is a workload or a trace.
// Each trace is converted to a schedule.
#include <cstdlib>
#include <string>

#include "fuzz_target.h"
#include "jobs/input/job_file.h"
#include "jobs/job_fields.h"
#include "jobs/traces/trace.h"

namespace {

template <class T>
void check(const weft::Result<T>& result) {
  if (!result && result.error().message.empty()) std::abort();
}

/// Builds the schedule of a trace with a host for each rank.
void schedule(const weft::jobs::Trace& trace) {
  constexpr std::size_t kRanksMax = 64;
  if (trace.ranks.empty() || trace.ranks.size() > kRanksMax) return;
  weft::jobs::ScheduleBuilder builder;
  builder.begin_job({});
  const weft::jobs::JobSpec job;
  weft::jobs::Servers servers;
  std::vector<weft::jobs::RankPlace> places;
  for (std::uint32_t r = 0; r < trace.ranks.size(); ++r) {
    servers.hosts.push_back({r});
    servers.of_host.push_back(r);
    places.push_back({r, r, 0});
  }
  weft::jobs::Ranks ranks(builder, job, servers, std::move(places));
  const auto added = weft::jobs::add_trace(ranks, trace);
  check(added);
  if (added) check(builder.finish());
}

}  // namespace

WEFT_FUZZ_TARGET(job_files, data, size) {
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0]) {
    case 'j':
      check(weft::jobs::parse_job_file(text, "jobs"));
      break;
    case 's': {
      const auto fields = weft::jobs::fields_of_spec(text);
      check(fields);
      if (fields) check(weft::jobs::job_of(*fields, "spec", {}));
      break;
    }
    case 'g': {
      auto lines = weft::LineReader::over(text, "goal");
      const auto trace = weft::jobs::parse_goal(lines);
      check(trace);
      if (trace) schedule(*trace);
      break;
    }
    case 'c':
    case 'd': {
      auto rank = weft::jobs::parse_chakra(text, "chakra", data[0] == 'd');
      check(rank);
      if (!rank) break;
      for (auto& op : rank->ops) op.peer = op.peer == 0 ? 0 : 1;
      schedule({{*rank, *rank}});
      break;
    }
    default:
      break;
  }
  return 0;
}
