// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// GOAL text and Chakra traces: the operations that are read, their time, and errors.
#include "jobs/traces/trace.h"

#include <gtest/gtest.h>

#include <protozero/pbf_writer.hpp>
#include <protozero/varint.hpp>

#include "base/file.h"
#include "support/errors.h"
#include "support/temp_dir.h"
#include "unit/jobs/job_networks.h"

namespace weft::jobs {
namespace {

class TraceTest : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    ASSERT_TRUE(write_file(dir_ / name, text).has_value());
  }
  /// Time of a trace in seconds, on one switch, without start-up time and latency.
  Result<double> time(const std::string& spec) {
    const auto fields = job_of_spec(spec + ",start_up=0,hop_latency=0");
    Workload workload;
    workload.jobs.push_back(fields);
    const auto built = build_workload(network_without_shared_links(), workload, 1);
    if (!built) return forward(built);
    const auto result =
        simulate_flows({.network = network_without_shared_links(), .schedule = built->schedule});
    if (!result) return forward(result);
    return seconds_of(result->jobs[0].time.end);
  }
  Result<double> goal(const std::string& text) {
    write("t.goal", text);
    return time("goal,file=" + path_);
  }

  TempDir dir_;
  std::string path_ = dir_ / "t.goal";
};

TEST_F(TraceTest, GoalTimeIncludesComputationsAndMessages) {
  const auto seconds = goal(R"(// two ranks
num_ranks 2
rank 0 { l1: calc 500000
l2: send 12500000b to 1 tag 7 cpu 0 nic 0
l2 requires l1 }
/* the other
   one */
rank 1 {
  l1: recv 12500000b from 0 tag 7
  l2: calc 250000
  l2 requires l1
})");
  ASSERT_TRUE(seconds.has_value()) << seconds.error().message;
  EXPECT_NEAR(*seconds, 0.5e-3 + 1e-3 + 0.25e-3, 1e-9);
}

TEST_F(TraceTest, GoalComputationsOfAProcessorRunOneAfterAnother) {
  EXPECT_NEAR(*goal("num_ranks 2\nrank 0 { calc 1000000\ncalc 1000000 }\nrank 1 { calc 1000000 }"),
              2e-3, 1e-9);
  EXPECT_NEAR(*goal("num_ranks 2\nrank 0 { calc 1000000\ncalc 1000000 cpu 1 }\nrank 1 { }"), 1e-3,
              1e-9);
}

TEST_F(TraceTest, GoalIrequiresWaitsForTheStart) {
  const std::string head =
      "num_ranks 2\nrank 1 { }\nrank 0 { a: calc 1000000\nb: calc 1000000 cpu 1\n";
  EXPECT_NEAR(*goal(head + "b irequires a }"), 1e-3, 1e-9);
  EXPECT_NEAR(*goal(head + "b requires a }"), 2e-3, 1e-9);
}

TEST_F(TraceTest, GoalLargeMessagesWaitForTheReceive) {
  const auto text = [](const std::string& size) {
    return "num_ranks 2\nrank 0 { send " + size + "b to 1 }\nrank 1 { a: calc 1000000\nb: recv " +
           size + "b from 0\nb requires a }";
  };
  EXPECT_NEAR(*goal(text("65535")), 1e-3, 1e-9);
  EXPECT_NEAR(*goal(text("65536")), 1e-3 + 65536 / kEdr, 1e-9);
}

TEST_F(TraceTest, GoalReceivesFromAnySourceMatchRemainingSends) {
  EXPECT_TRUE(goal("num_ranks 3\nrank 0 { recv 8b from -1 tag -1\nrecv 9b from 2 tag 4 }\n"
                   "rank 1 { send 8b to 0 tag 3 }\nrank 2 { send 9b to 0 tag 4 }")
                  .has_value());
}

TEST_F(TraceTest, GoalErrorsNameTheFile) {
  const auto expect = [&](const std::string& text, unsigned line, const std::string& what) {
    EXPECT_THAT(goal(text), HasError(path_, line, what)) << text;
  };
  expect("num_ranks 2\nrank 0 { send 8b to 1 }\nrank 1 { }", 2,
         "rank 0: the send to 1 with tag 0 has no receive");
  expect("num_ranks 2\nrank 0 { }\nrank 1 {\nrecv 8b from 0 tag 3 }", 4,
         "rank 1: the receive from 0 with tag 3 has no send");
  expect("num_ranks 2\nrank 0 { send 8b to 1 }\nrank 1 { recv 9b from 0 }", 3,
         "found a receive of 9 bytes, expected 8");
  expect("num_ranks 2\nrank 0 { calc NaN }", 2, "found 'NaN', expected a number of nanoseconds");
  expect("num_ranks 2\nrank 0 { send 8 to 1 }", 2, "found '8', expected a size such as 4096b");
  expect("num_ranks 2\nrank 0 { send 8b to 2 }", 2, "found '2', expected a rank below 2");
  expect("num_ranks 2\nrank 0 { send 8b to -1 }", 2, "found '-1', expected a rank below 2");
  expect("num_ranks 2\nrank 2 { }", 2, "found '2', expected a rank below 2");
  expect("num_ranks 2\nrank 0 { }\nrank 0 { }", 3,
         "found '0', expected a rank that no earlier line begins");
  expect("num_ranks 2\nrank 0 { a: calc 1\na: calc 1 }", 3,
         "found 'a', expected a label that no earlier op of the rank has");
  expect("num_ranks 2\nrank 0 { a: calc 1\na requires b }", 3,
         "found 'b', expected a label of the rank");
  expect("num_ranks 2\nrank 0 { a: calc 1\na needs b }", 3,
         "found 'needs', expected a colon, requires or irequires");
  expect("num_ranks 2\nrank 0 { calc 1", 2, "found the end of the file, expected }");
  expect("num_ranks 2\nrank 0 { calc 1 cpu -1 }", 2,
         "found '-1', expected a number from 0 to 4294967295");
  expect("num_ranks 0", 1, "found '0', expected 1 to 1048576 ranks");
  EXPECT_EQ(error_of(goal("num_ranks 2\nrank 1 { }")),
            path_ + ": rank 0 is missing, expected 2 ranks");
  EXPECT_EQ(error_of(goal("num_ranks 2\nrank 1 { }\nrank 0 { a: calc 1\nb: calc 1\na requires b\nb "
                          "requires a }")),
            path_ + ":3: rank 0: the op depends on itself, through " + path_ + ":4");
  EXPECT_EQ(
      error_of(goal("num_ranks 2\nrank 0 { a: send 8b to 1\nb: recv 8b from 1\na requires b }\n"
                    "rank 1 { a: send 8b to 0\nb: recv 8b from 0\na requires b\nc: calc 1\n"
                    "c requires b }")),
      path_ + ":2: rank 0: the op depends on itself, through " + path_ + ":5");
}

/// A node of a Chakra trace as protobuf.
struct ChakraNode {
  std::uint64_t id = 0;
  int type = 0;
  std::vector<std::uint64_t> after;
  std::uint64_t micros = 0;
  std::vector<std::pair<std::string, std::int64_t>> numbers;
  std::string group;

  std::string bytes(bool packed) const {
    std::string text;
    protozero::pbf_writer node(text);
    node.add_uint64(1, id);
    node.add_string(2, "a name");
    node.add_int32(3, type);
    if (packed)
      node.add_packed_uint64(5, after.begin(), after.end());
    else
      for (const std::uint64_t id_before : after) node.add_uint64(5, id_before);
    node.add_uint64(7, micros);
    for (const auto& [name, value] : numbers) {
      protozero::pbf_writer attribute(node, 10);
      attribute.add_string(1, name);
      attribute.add_int64(9, value);
    }
    if (!group.empty()) {
      protozero::pbf_writer attribute(node, 10);
      attribute.add_string(1, "pg_name");
      attribute.add_string(29, group);
    }
    return text;
  }
};

std::string chakra_file(const std::vector<ChakraNode>& nodes, bool packed = true) {
  std::string file;
  const auto add = [&](const std::string& message) {
    protozero::add_varint_to_buffer(&file, message.size());
    file += message;
  };
  std::string metadata;
  protozero::pbf_writer(metadata).add_string(1, "0.0.4");
  add(metadata);
  for (const ChakraNode& node : nodes) add(node.bytes(packed));
  return file;
}

std::vector<ChakraNode> sender() {
  return {{.id = 4, .type = 4, .after = {}, .micros = 500, .numbers = {}, .group = {}},
          {.id = 9,
           .type = 5,
           .after = {4},
           .micros = 0,
           .numbers = {{"comm_size", 12500000}, {"comm_dst", 1}, {"comm_tag", 3}},
           .group = {}},
          {.id = 10,
           .type = 7,
           .after = {9},
           .micros = 0,
           .numbers = {{"comm_size", 12500000}, {"comm_type", 0}},
           .group = "7"}};
}
std::vector<ChakraNode> receiver() {
  auto nodes = sender();
  nodes[0].micros = 100;
  nodes[1].type = 6;
  nodes[1].numbers[1] = {"comm_src", 0};
  return nodes;
}

TEST_F(TraceTest, ChakraProtobufHasComputationsMessagesAndCollectives) {
  for (const bool packed : {true, false}) {
    write("a.0.et", chakra_file(sender(), packed));
    write("a.1.et", chakra_file(receiver(), packed));
    const auto seconds = time("chakra,file=" + (dir_ / "a"));
    ASSERT_TRUE(seconds.has_value()) << seconds.error().message;
    // The time of a computation, a message, and a ring all-reduce of two ranks.
    EXPECT_NEAR(*seconds, 0.5e-3 + 1e-3 + 1e-3, 1e-9);
  }
}

TEST_F(TraceTest, ChakraJsonHasComputationsAndMessages) {
  const auto node = [](const char* type, const char* peer) {
    return std::string(R"({"version": "0.0.4"}
{"id": "4", "type": "COMP_NODE", "durationMicros": "500"}
{"id": "9", "type": ")") +
           type + R"(", "data_deps": ["4"], "attr": [{"name": "comm_size", "int64Val": "12500000"},
 {"name": ")" +
           peer + R"(", "int64Val": "0"}]}
)";
  };
  std::string receive = node("COMM_RECV_NODE", "comm_src");
  std::string send = node("COMM_SEND_NODE", "comm_dst");
  send.replace(send.rfind("\"0\"}"), 3, "\"1\"");
  write("j.0.json", send);
  write("j.1.json", receive);
  const auto seconds = time("chakra,file=" + (dir_ / "j"));
  ASSERT_TRUE(seconds.has_value()) << seconds.error().message;
  EXPECT_NEAR(*seconds, 1.5e-3, 1e-9);
}

TEST_F(TraceTest, ChakraErrorsNameTheFile) {
  const std::string prefix = dir_ / "e";
  const auto error = [&](const std::string& first, const std::string& second) {
    write("e.0.et", first);
    write("e.1.et", second);
    return error_of(time("chakra,file=" + prefix));
  };
  const std::string good = chakra_file(receiver());
  EXPECT_EQ(error(chakra_file(sender()).substr(0, 60), good).substr(0, prefix.size() + 47),
            prefix + ".0.et: after 1 nodes: found 35 bytes, expected ");
  auto nodes = sender();
  nodes[1].after = {5};
  EXPECT_EQ(error(chakra_file(nodes), good),
            prefix + ".0.et:2: node 9: data_deps: found node 5, expected a node of the file");
  nodes = sender();
  nodes[1].numbers.erase(nodes[1].numbers.begin());
  EXPECT_EQ(error(chakra_file(nodes), good),
            prefix + ".0.et:2: node 9: the attribute comm_size is missing");
  nodes = sender();
  nodes[2].numbers[1].second = 77;
  EXPECT_EQ(error(chakra_file(nodes), good),
            prefix + ".0.et:3: node 10: comm_type: found 77, expected 0 to 9");
  nodes = sender();
  nodes[2].numbers[0].second = 5;
  EXPECT_EQ(error(chakra_file(nodes), good),
            prefix +
                ".1.et:3: rank 1: found allreduce of 12500000 bytes, expected allreduce of 5 "
                "bytes as in rank 0");
  EXPECT_EQ(error(good, chakra_file(sender())),
            prefix + ".0.et:2: rank 0: the receive from 0 with tag 3 has no send");
  nodes = sender();
  nodes[1].numbers[1].second = 2;
  EXPECT_EQ(error(chakra_file(nodes), good),
            prefix + ".0.et:2: found rank 2 in a message, expected one below 2");
  EXPECT_EQ(error_of(time("chakra,file=" + (dir_ / "none"))),
            "found neither " + (dir_ / "none") + ".0.et nor " + (dir_ / "none") + ".0.json");
}

}  // namespace
}  // namespace weft::jobs
