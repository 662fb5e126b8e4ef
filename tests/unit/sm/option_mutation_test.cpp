// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Damaged option files: after any change they are refused with file and line, or accepted, and
// never cause a loop.

#include <gtest/gtest.h>

#include "base/file.h"
#include "policy/routing_inputs.h"
#include "routes/dump/write.h"
#include "routing/engine.h"
#include "support/mutated.h"
#include "support/temp_dir.h"
#include "support/tiny.h"
#include "verify/verify.h"

namespace weft {
namespace {

//  A triangle of switches with a host each
Fabric triangle() {
  return Tiny(3).link(0, 1).link(1, 2).link(2, 0).hosts(0).hosts(1).hosts(2).build();
}

class DamagedOptions : public testing::Test {
 protected:
  /// Reads, resolves and routes with many mutations of a text. `read` gives inputs or an error.
  template <class Read>
  void damage(const std::string& text, const char* engine, const Read& read) {
    const std::string path = dir_ / "options";
    unsigned served = 0;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
      Rng rng(seed);
      const std::string content = seed == 0 ? text : mutated(text, rng);
      ASSERT_TRUE(write_file(path, content));
      RoutingInputs inputs;
      std::vector<std::string> warnings;
      const Status status = read(path, inputs, warnings);
      if (!status) {
        ASSERT_EQ(status.error().code, Code::kBadInput) << seed;
        ASSERT_TRUE(status.error().message.starts_with(path)) << status.error().message;
        continue;
      }
      ++served;
      const RoutingOptions options = resolve(inputs, fabric_, warnings);
      const auto routes = find_engine(engine)->run(fabric_, options);
      ASSERT_TRUE(routes) << seed;
      const Verdict verdict = verify(fabric_, *routes, {.threads = 1});
      if (inputs.lfts) continue;
      ASSERT_EQ(verdict.loops, 0u) << seed;
      ASSERT_TRUE(inputs.lid_matrix || verdict.ca_to_ca.all()) << seed;
    }
    EXPECT_GT(served, 0u);
  }
  /// One of the readers without warnings, into a member of the inputs.
  template <class Reader, class Member>
  static auto into(Reader reader, Member member) {
    return [reader, member](const std::string& path, RoutingInputs& inputs,
                            std::vector<std::string>&) -> Status {
      auto found = reader(path);
      if (!found) return forward(found);
      inputs.*member = std::move(*found);
      return {};
    };
  }
  std::string dump(void (*write)(const Fabric&, const Routes&, const Append&)) const {
    std::string text;
    write(fabric_, *find_engine("minhop")->run(fabric_, {}),
          [&](std::string_view part) { text += part; });
    return text;
  }
  const Fabric fabric_ = triangle();
  TempDir dir_;
};

TEST_F(DamagedOptions, IgnoredPorts) {
  damage("# hosts\n0x10001\n0x10010 1\n0x102 3\n", "minhop",
         into(&read_ignored_ports, &RoutingInputs::ignored));
}

TEST_F(DamagedOptions, HopWeights) {
  damage("0x100 1 7\n0x101 2 255 # slow\n0x102 1 1\n", "minhop",
         into(&read_hop_weights, &RoutingInputs::hop_weights));
  damage("0x100 1 7\n0x101 2 255 # slow\n0x102 1 1\n", "updn",
         into(&read_hop_weights, &RoutingInputs::hop_weights));
}

TEST_F(DamagedOptions, NodeWeights) {
  damage("0x10001 100\n0x10011 0 # quiet\n0x10021 7\n", "minhop",
         into(&read_node_weights, &RoutingInputs::node_weights));
}

TEST_F(DamagedOptions, PortOrders) {
  damage("0x100 2 1\n0x101 1 2 3\n", "minhop",
         into(&read_port_orders, &RoutingInputs::port_orders));
}

TEST_F(DamagedOptions, SwitchIds) {
  damage("0x100 3\n0x101 2\n0x102 0x1\n", "updn",
         into(&read_switch_ids, &RoutingInputs::switch_ids));
}

TEST_F(DamagedOptions, Tables) {
  for (const auto write : {&write_lfts, &write_fdbs})
    damage(dump(write), "file",
           [](const std::string& path, RoutingInputs& inputs, std::vector<std::string>& warnings) {
             auto found = read_filed_lfts(path, warnings);
             if (!found) return Status(forward(found));
             inputs.lfts = std::move(*found);
             return Status();
           });
}

TEST_F(DamagedOptions, LidMatrix) {
  damage(dump(&write_lid_matrix), "file",
         [](const std::string& path, RoutingInputs& inputs, std::vector<std::string>& warnings) {
           auto found = read_lid_matrix(path, warnings);
           if (!found) return Status(forward(found));
           inputs.lid_matrix = std::move(*found);
           return Status();
         });
}

}  // namespace
}  // namespace weft
