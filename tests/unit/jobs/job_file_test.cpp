// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "jobs/input/job_file.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "jobs/input/lined_json.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace weft::jobs {
namespace {

class JobFileTest : public testing::Test {
 protected:
  Result<Workload> read(const std::string& text) {
    EXPECT_TRUE(write_file(path_, text).has_value());
    const std::vector<std::string> arguments{path_};
    return read_workload(arguments);
  }
  TempDir dir_;
  std::string path_ = dir_ / "jobs.json";
};

TEST_F(JobFileTest, ReadsJobsDefaultsBackgroundAndFailures) {
  const auto workload = read(R"({
    "start_up": "3us",
    "jobs": [
      {"work": "allreduce:ring", "ranks": 8, "bytes": "1MiB"},
      {"work": "alltoall", "ranks": 4, "bytes": 4096, "start_up": "1us", "pxn": true}
    ],
    "background": [{"load": 0.25, "flows": 2, "hosts": "all"}],
    "failures": [{"time": "1ms", "cables": 2, "repair": "5ms"}],
    "hop_latency": "70ns"
  })");
  ASSERT_TRUE(workload.has_value()) << workload.error().message;
  ASSERT_EQ(workload->jobs.size(), 2U);
  EXPECT_EQ(workload->jobs[0].start_up, 3'000'000);
  EXPECT_EQ(workload->jobs[1].start_up, 1'000'000);
  EXPECT_EQ(workload->jobs[0].hop_latency, 70'000);
  EXPECT_TRUE(workload->jobs[1].pxn);
  ASSERT_EQ(workload->background.size(), 1U);
  EXPECT_EQ(workload->background[0].load, 0.25);
  EXPECT_EQ(workload->background[0].flows, 2U);
  EXPECT_TRUE(workload->background[0].all_hosts);
  ASSERT_EQ(workload->failures.size(), 1U);
  EXPECT_EQ(workload->failures[0].time, 1'000'000'000);
  EXPECT_EQ(workload->failures[0].cables, 2U);
  EXPECT_EQ(workload->failures[0].repair, 5'000'000'000);
}

TEST_F(JobFileTest, NamesFileLineAndObjectOfAnError) {
  EXPECT_THAT(
      read("{\"jobs\": [\n{\"work\": \"barrier\"},\n{\"work\": \"barrier\",\n\"rank\": 8}]}"),
      HasError(path_, 4, "jobs[1]: found the key 'rank', expected one of"));
  EXPECT_THAT(read("{\"jobs\": [\n{\"work\": \"allreduce\",\n \"bytes\": \"NaN\"}]}"),
              HasError(path_, 3, "jobs[0]: bytes: found 'NaN', expected"));
  EXPECT_THAT(read("{\"jobs\": [\n{\"work\": \"allreduce\",\n \"bytes\": NaN}]}"),
              HasError(path_, 3, "expected JSON"));
  EXPECT_THAT(read("{\"jobs\": [\n{\"ranks\": 2}]}"),
              HasError(path_, 2, "jobs[0]: the key \"work\" is missing"));
  EXPECT_THAT(read("{\"jobs\": [\n{\"work\": [1]}]}"),
              HasError(path_, 2, "jobs[0]: work: found an object or array"));
  EXPECT_THAT(read("{\n\"job\": 3}"), HasError(path_, 2, "found the key 'job', expected one of"));
  EXPECT_THAT(read("{\n\"jobs\": []}"), HasError(path_, 2, "jobs: found none"));
  EXPECT_THAT(read("{\n\"jobs\": {}}"), HasError(path_, 2, "jobs: found no array"));
  EXPECT_THAT(read("{\"jobs\": [\n3]}"), HasError(path_, 2, "jobs[0]: found no object"));
  EXPECT_THAT(read("{\"background\": [\n{\"load\": 0}], \"jobs\": [{\"work\": \"barrier\"}]}"),
              HasError(path_, 2, "background[0]: load: found '0', expected a number above 0"));
  EXPECT_THAT(read("{\"failures\": [\n{\"cable\": 1}], \"jobs\": [{\"work\": \"barrier\"}]}"),
              HasError(path_, 2, "failures[0]: found the key 'cable'"));
  EXPECT_THAT(read("{\n}"), HasError(path_, 1, "the key \"jobs\" is missing"));
  EXPECT_THAT(read("[]"), HasError(path_, 1, "found no object"));
  EXPECT_THAT(read("{\"jobs\": [\n"), HasError(path_, 1, "found the end of the file"));
}

TEST(LinedJson, StoresTheLineOnWhichAValueBegins) {
  const auto json = parse_lined_json("{\n\"a\": 1\n,\n\"b\": [\n2,\n\"x\"]\n}", "f");
  ASSERT_TRUE(json.has_value()) << json.error().message;
  EXPECT_EQ(json->line, 1U);
  EXPECT_EQ(json->members[0].value.line, 2U);
  EXPECT_EQ(json->members[1].value.line, 4U);
  EXPECT_EQ(json->members[1].value.items[0].line, 5U);
  EXPECT_EQ(json->members[1].value.items[1].line, 6U);
}

TEST(LinedJson, ReadsSeveralValues) {
  const auto values = parse_lined_json_sequence(" {\"a\": 1}\n{}\n\n[2]\n", "f");
  ASSERT_TRUE(values.has_value()) << values.error().message;
  ASSERT_EQ(values->size(), 3U);
  EXPECT_EQ((*values)[1].line, 2U);
  EXPECT_EQ((*values)[2].items[0].line, 4U);
  EXPECT_EQ(error_of(parse_lined_json_sequence("{}\n{]", "f")), "f:2: found '{]', expected JSON");
}

TEST(LinedJson, RefusesDeepNesting) {
  const auto json = parse_lined_json(std::string(10000, '['), "f");
  EXPECT_EQ(error_of(json), "f:1: found 65 levels of brackets, expected at most 64");
}

}  // namespace
}  // namespace weft::jobs
