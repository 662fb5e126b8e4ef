// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The description of a workload. Jobs: the work of the ranks, the placement of the ranks, and the
// costs of messages. Also background traffic, cables that fail, and the names of works and
// algorithms.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "jobs/units.h"

namespace weft::jobs {

enum class Work : std::uint8_t {
  kAllReduce,
  kAllGather,
  kReduceScatter,
  kAllToAll,
  kBroadcast,
  kReduce,
  kGather,
  kScatter,
  kBarrier,
  kPipeline,
  kTraining,
  kGoal,
  kChakra,
};

enum class Algorithm : std::uint8_t {
  kNone,
  kRing,
  kTree,
  kDoubleTree,
  kHalvingDoubling,
  kRecursiveDoubling,
  kRecursiveHalving,
  kPairwise,
  kLinear,
  kDissemination,
};

enum class PlacementKind : std::uint8_t { kPacked, kRandom, kFragmented, kRail, kListed, kChosen };

struct PlacementSpec {
  PlacementKind kind = PlacementKind::kPacked;
  std::string hosts;                  // for kListed: a hostlist, or file:PATH
  std::vector<std::uint32_t> chosen;  // for kChosen: hosts of the network
  std::uint32_t fragment = 4;         // for kFragmented: number of consecutive servers
  std::uint32_t ranks_per_host = 1;   // number of consecutive ranks on the same host
  std::uint32_t server_hosts = 0;     // hosts of a server; 0: derived from the names of the hosts
};

/// A training step: groups of ranks, and the messages of each group. Rank t + tensor * (d + data *
/// p) has place t in its tensor group, d in its data group and p in its pipeline; `expert`
/// consecutive places d form an expert group.
struct TrainingSpec {
  std::uint32_t tensor = 1;
  std::uint32_t pipeline = 1;
  std::uint32_t data = 1;
  std::uint32_t expert = 1;
  std::uint32_t micro_batches = 0;   // 0: as many as pipeline stages
  std::uint32_t layers = 1;          // layers of a stage
  std::uint64_t tensor_bytes = 0;    // bytes of an all-reduce; each layer has two in each direction
  std::uint64_t expert_bytes = 0;    // bytes of an all-to-all; each layer has two in each direction
  std::uint64_t pipeline_bytes = 0;  // bytes of a message to the next or previous stage
  std::uint64_t gradient_bytes = 0;  // bytes of the all-reduce in the data group
  Picoseconds forward = 0;           // computation of a micro-batch in a stage
  std::optional<Picoseconds> backward;  // default: twice `forward`
};

struct JobSpec {
  std::string text;  // as given in the SPEC: "allreduce:ring"
  std::string name;
  std::string where;  // for messages: file, line and object, or the SPEC
  Work work = Work::kAllReduce;
  Algorithm algorithm = Algorithm::kNone;
  std::uint32_t ranks = 0;  // 0: as many as its hosts have, or the number of the trace or training
  std::uint64_t bytes = 0;  // size of the larger buffer of a rank, as nccl-tests count
  std::uint32_t channels = 1;
  std::uint64_t chunk = 0;  // bytes of a chunk of trees, at most 4096 chunks; 0: 1 MiB, at most 64
  double zipf = 0;          // exponent of the sizes of an all-to-all; 0: balanced
  bool pxn = false;         // messages to another rail first cross the server of the source
  std::uint32_t repeat = 1;
  std::optional<std::uint64_t> seed;
  TrainingSpec training;
  std::string file;  // file of a trace
  PlacementSpec placement;
  Picoseconds start = 0;
  Picoseconds start_up = 1'000'000;   // start-up time of a message
  Picoseconds hop_latency = 100'000;  // latency of each channel of the static path
  double local_rate = 0;  // bytes per second inside a server, each rank and direction; 0: unlimited
};

struct BackgroundSpec {
  std::string where;
  double load = 0.1;        // part of the rate of each sending host
  std::uint32_t flows = 1;  // flows of each sending host, to random other hosts
  bool all_hosts = false;   // all hosts send, not only those without a rank
};

/// Cables that fail while jobs run.
struct FailureSpec {
  std::string where;
  Picoseconds time = 0;
  std::uint32_t cables = 1;           // random cables between switches
  std::optional<Picoseconds> repair;  // time from the failure to new routes; default: as simulated
};

struct Workload {
  std::vector<JobSpec> jobs;
  std::vector<BackgroundSpec> background;
  std::vector<FailureSpec> failures;
};

struct AlgorithmName {
  Algorithm algorithm;
  std::string_view name;
};
struct WorkKind {
  Work work;
  std::string_view name;
  std::string_view summary;
  std::array<AlgorithmName, 5> algorithms;  // the first is the default; unused ones are kNone
};

std::array<WorkKind, 13> work_kinds();
std::string_view name_of(Work work);
/// The name of an algorithm; empty for kNone.
std::string_view name_of(Algorithm algorithm);
Algorithm default_algorithm(Work work);

}  // namespace weft::jobs
