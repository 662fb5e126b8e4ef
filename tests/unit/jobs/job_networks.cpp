// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "unit/jobs/job_networks.h"

#include "base/check.h"
#include "fabric/without.h"
#include "jobs/input/job_file.h"
#include "routing/minhop.h"
#include "support/routed_by.h"

namespace weft::jobs {

RoutedNetwork network_of_spec(const std::string& spec, const std::string& engine) {
  const Fabric fabric = fabric_of(spec);
  auto network = network_of(fabric, routed_by(engine, fabric));
  CHECK(network.has_value());
  return std::move(*network);
}

RoutedNetwork network_of_tiny(const Fabric& fabric) {
  const auto routes = route_minhop(fabric, {});
  CHECK(routes.has_value());
  auto network = network_of(fabric, routes->lfts);
  CHECK(network.has_value());
  return std::move(*network);
}

const RoutedNetwork& network_without_shared_links() {
  static const RoutedNetwork network = network_of_spec("full:n=2,hosts=32", "minhop");
  return network;
}

RoutedNetwork repaired_network(const Fabric& fabric, const std::vector<PortId>& cut) {
  const auto routes = route_minhop(without(fabric, {}, cut), {});
  CHECK(routes.has_value());
  auto network = network_of(fabric, routes->lfts);
  CHECK(network.has_value());
  return std::move(*network);
}

RoutedNetwork rail_network(unsigned servers, unsigned rails) {
  FabricBuilder builder;
  std::vector<FabricBuilder::NodeIndex> switches;
  const auto cable = [&](FabricBuilder::NodeIndex a, unsigned a_port, FabricBuilder::NodeIndex b,
                         unsigned b_port) {
    CHECK(builder
              .connect(a, PortNum(static_cast<std::uint8_t>(a_port)), b,
                       PortNum(static_cast<std::uint8_t>(b_port)))
              .has_value());
  };
  for (unsigned rail = 0; rail < rails; ++rail) {
    Node node;
    node.type = NodeType::kSwitch;
    node.node_guid = node.system_guid = Guid(0x100 + rail);
    node.port_count = static_cast<std::uint8_t>(servers + 2);
    node.description = "rail" + std::to_string(rail);
    switches.push_back(builder.add_node(node));
    if (rail > 0) cable(switches[rail - 1], servers + 1, switches[rail], servers + 2);
  }
  for (unsigned server = 0; server < servers; ++server)
    for (unsigned rail = 0; rail < rails; ++rail) {
      Node node;
      node.node_guid = node.system_guid = Guid(0x10000 + 16 * (server * rails + rail));
      node.port_count = 1;
      node.description = "n" + std::to_string(server) + " HCA-" + std::to_string(rail + 1);
      cable(builder.add_node(node), 1, switches[rail], server + 1);
    }
  const auto fabric = builder.build();
  CHECK(fabric.has_value());
  return network_of_tiny(with_lids(*fabric));
}

JobSpec job_of_spec(const std::string& spec) {
  const std::vector<std::string> arguments{spec};
  const auto workload = read_workload(arguments);
  EXPECT_TRUE(workload.has_value()) << workload.error().message;
  return workload->jobs.front();
}

RunOutcome run_of(const RoutedNetwork& network, const std::string& spec, std::uint64_t seed) {
  Workload workload;
  workload.jobs.push_back(job_of_spec(spec));
  JobSpec& job = workload.jobs.front();
  if (spec.find("start_up") == std::string::npos) job.start_up = 0;
  if (spec.find("hop_latency") == std::string::npos) job.hop_latency = 0;
  const JobStudy study{.network = network, .workload = workload, .changes = {}, .seed = seed};
  const auto outcome = simulate_run(study, 0, 1, nullptr);
  EXPECT_TRUE(outcome.has_value()) << outcome.error().message;
  return *outcome;
}

}  // namespace weft::jobs
