// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "jobs/job.h"

namespace weft::jobs {
namespace {

constexpr AlgorithmName kRing{Algorithm::kRing, "ring"};
constexpr AlgorithmName kTree{Algorithm::kTree, "tree"};
constexpr AlgorithmName kLinear{Algorithm::kLinear, "linear"};
constexpr AlgorithmName kRecursiveDoubling{Algorithm::kRecursiveDoubling, "recursive_doubling"};
constexpr AlgorithmName kNothing{Algorithm::kNone, ""};

constexpr std::array kWorkKinds{
    WorkKind{Work::kAllReduce,
             "allreduce",
             "every rank receives the sum of all vectors",
             {kRing, kTree, AlgorithmName{Algorithm::kDoubleTree, "double_tree"},
              AlgorithmName{Algorithm::kHalvingDoubling, "halving_doubling"}, kRecursiveDoubling}},
    WorkKind{Work::kAllGather,
             "allgather",
             "every rank receives the parts of all ranks",
             {kRing, kRecursiveDoubling, kNothing, kNothing, kNothing}},
    WorkKind{Work::kReduceScatter,
             "reducescatter",
             "every rank receives its part of the sum",
             {kRing, AlgorithmName{Algorithm::kRecursiveHalving, "recursive_halving"}, kNothing,
              kNothing, kNothing}},
    WorkKind{
        Work::kAllToAll,
        "alltoall",
        "every rank sends a part to each other rank",
        {AlgorithmName{Algorithm::kPairwise, "pairwise"}, kLinear, kNothing, kNothing, kNothing}},
    WorkKind{Work::kBroadcast,
             "broadcast",
             "rank 0 sends its vector to all ranks",
             {kTree, kNothing, kNothing, kNothing, kNothing}},
    WorkKind{Work::kReduce,
             "reduce",
             "rank 0 receives the sum of all vectors",
             {kTree, kNothing, kNothing, kNothing, kNothing}},
    WorkKind{Work::kGather,
             "gather",
             "rank 0 receives a part from each other rank",
             {kLinear, kNothing, kNothing, kNothing, kNothing}},
    WorkKind{Work::kScatter,
             "scatter",
             "rank 0 sends a part to each other rank",
             {kLinear, kNothing, kNothing, kNothing, kNothing}},
    WorkKind{Work::kBarrier,
             "barrier",
             "every rank waits for all ranks",
             {AlgorithmName{Algorithm::kDissemination, "dissemination"}, kNothing, kNothing,
              kNothing, kNothing}},
    WorkKind{Work::kPipeline,
             "pipeline",
             "stages pass micro-batches forward and back",
             {kNothing, kNothing, kNothing, kNothing, kNothing}},
    WorkKind{Work::kTraining,
             "training",
             "a step of training with several groups of ranks",
             {kRing, kTree, AlgorithmName{Algorithm::kDoubleTree, "double_tree"},
              AlgorithmName{Algorithm::kHalvingDoubling, "halving_doubling"}, kRecursiveDoubling}},
    WorkKind{Work::kGoal,
             "goal",
             "the trace of a GOAL file (LogGOPSim)",
             {kNothing, kNothing, kNothing, kNothing, kNothing}},
    WorkKind{Work::kChakra,
             "chakra",
             "Chakra execution traces, one file for each rank",
             {kNothing, kNothing, kNothing, kNothing, kNothing}},
};

}  // namespace

std::array<WorkKind, 13> work_kinds() { return kWorkKinds; }

Algorithm default_algorithm(Work work) {
  for (const WorkKind& kind : kWorkKinds)
    if (kind.work == work) return kind.algorithms[0].algorithm;
  return Algorithm::kNone;
}

std::string_view name_of(Work work) {
  for (const WorkKind& kind : kWorkKinds)
    if (kind.work == work) return kind.name;
  return {};
}

std::string_view name_of(Algorithm algorithm) {
  for (const WorkKind& kind : kWorkKinds)
    for (const AlgorithmName& name : kind.algorithms)
      if (name.algorithm == algorithm) return name.name;
  return {};
}

}  // namespace weft::jobs
