// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "jobs/job_fields.h"

#include <gtest/gtest.h>

#include "jobs/input/job_file.h"
#include "support/errors.h"
#include "unit/jobs/job_networks.h"

namespace weft::jobs {
namespace {

std::string error_of_spec(const std::string& spec) {
  const std::vector<std::string> arguments{spec};
  return error_of(read_workload(arguments));
}

TEST(JobSpec, ReadsWorkAlgorithmAndKeys) {
  const JobSpec job = job_of_spec(
      "allreduce:double_tree,ranks=64,bytes=1GiB,channels=4,chunk=64KiB,placement=random,"
      "start_up=2us,hop_latency=50ns,local_rate=450GB/s,name=a");
  EXPECT_EQ(job.work, Work::kAllReduce);
  EXPECT_EQ(job.algorithm, Algorithm::kDoubleTree);
  EXPECT_EQ(job.ranks, 64U);
  EXPECT_EQ(job.bytes, 1U << 30);
  EXPECT_EQ(job.channels, 4U);
  EXPECT_EQ(job.chunk, 65536U);
  EXPECT_EQ(job.placement.kind, PlacementKind::kRandom);
  EXPECT_EQ(job.start_up, 2'000'000);
  EXPECT_EQ(job.hop_latency, 50'000);
  EXPECT_EQ(job.local_rate, 450e9);
  EXPECT_EQ(job.name, "a");
}

TEST(JobSpec, FirstAlgorithmIsTheDefault) {
  EXPECT_EQ(job_of_spec("alltoall,bytes=1").algorithm, Algorithm::kPairwise);
  EXPECT_EQ(job_of_spec("allgather,bytes=1").algorithm, Algorithm::kRing);
}

TEST(JobSpec, KeepsCommasInsideBrackets) {
  const JobSpec job = job_of_spec("barrier,hosts=n[1-3,7],ranks=4");
  EXPECT_EQ(job.placement.hosts, "n[1-3,7]");
  EXPECT_EQ(job.ranks, 4U);
}

TEST(JobSpec, RefusesUnknownWorksAlgorithmsAndKeys) {
  EXPECT_EQ(error_of_spec("allreduse,bytes=1").substr(0, 60),
            "--job 'allreduse,bytes=1': found the work 'allreduse', expec");
  EXPECT_EQ(error_of_spec("allgather:tree,bytes=1"),
            "--job 'allgather:tree,bytes=1': found the algorithm 'tree' of allgather, expected "
            "ring, recursive_doubling");
  EXPECT_EQ(error_of_spec("pipeline:ring,bytes=1"),
            "--job 'pipeline:ring,bytes=1': found the algorithm 'ring' of pipeline, expected "
            "none");
  EXPECT_EQ(error_of_spec("allreduce,bytes=nan"),
            "--job 'allreduce,bytes=nan': bytes: found 'nan', expected a whole number of bytes "
            "such as 4096, 64kB or 1GiB");
  EXPECT_EQ(error_of_spec("allreduce"), "--job 'allreduce': the key \"bytes\" is missing");
  EXPECT_EQ(error_of_spec("goal"), "--job 'goal': the key \"file\" is missing");
  EXPECT_EQ(error_of_spec("barrier,64"), "--job 'barrier,64': found '64', expected KEY=VALUE");
  EXPECT_EQ(error_of_spec("barrier,seed=1,seed=2"),
            "--job 'barrier,seed=1,seed=2': found the key 'seed' twice");
  EXPECT_EQ(error_of_spec("barrier,rank=3").substr(0, 68),
            "--job 'barrier,rank=3': found the key 'rank', expected one of ranks,");
  EXPECT_EQ(error_of_spec("allgather,bytes=1,zipf=1"),
            "--job 'allgather,bytes=1,zipf=1': zipf: found with allgather, expected only with "
            "alltoall or training");
  EXPECT_EQ(error_of_spec("training,data=6,expert=4"),
            "--job 'training,data=6,expert=4': expert: found 4, expected a divisor of data, which "
            "is 6");
  EXPECT_EQ(error_of_spec("training,data=1048576,tensor=2"),
            "--job 'training,data=1048576,tensor=2': found 2097152 ranks, expected at most "
            "1048576");
  EXPECT_EQ(error_of_spec("barrier,hosts=n1,placement=random"),
            "--job 'barrier,hosts=n1,placement=random': found both \"hosts\" and \"placement\", "
            "expected one of them");
}

TEST(JobSpec, EveryKeyRefusesAWrongValue) {
  for (const char* key : {"name", "placement", "hosts", "fragment", "ranks_per_host",
                          "server_hosts", "seed", "repeat", "start", "start_up", "hop_latency",
                          "local_rate", "ranks", "bytes", "channels", "chunk", "zipf", "pxn"})
    EXPECT_NE(error_of_spec(fmt::format("alltoall,{}=", key)).find(fmt::format("{}: found", key)),
              std::string::npos)
        << key;
  for (const char* key :
       {"tensor", "pipeline", "data", "expert", "layers", "tensor_bytes", "expert_bytes",
        "pipeline_bytes", "gradient_bytes", "micro_batches", "forward", "backward"})
    EXPECT_NE(error_of_spec(fmt::format("training,{}=-1", key)).find(fmt::format("{}: found", key)),
              std::string::npos)
        << key;
  EXPECT_NE(error_of_spec("goal,file=").find("file: found"), std::string::npos);
}

TEST(JobSpec, HelpNamesEveryWork) {
  for (const WorkKind& kind : work_kinds())
    EXPECT_NE(jobs_help().find(std::string(kind.name)), std::string::npos);
}

}  // namespace
}  // namespace weft::jobs
