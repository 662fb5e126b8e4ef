// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Brings up an emulated fabric with slow agents that drop SMPs when their queue is full, with
// several limits of outstanding SMPs to one device. Prints a Markdown table with the virtual time,
// SMPs, drops, timeouts and nodes that were not found. Usage: device_windows [GENERATOR] [QUEUE]
#include <fmt/format.h>

#include <cstdlib>
#include <string>

#include "base/check.h"
#include "base/log.h"
#include "emulator/emulated_fabric.h"
#include "fabric/generators/spec.h"
#include "sm/subnet_manager.h"

namespace weft {
namespace {

struct Row {
  std::string name;
  unsigned total, device;
};

void bring_up(const Fabric& fabric, const Row& row, std::chrono::microseconds answer_time,
              unsigned queue) {
  EmulatedFabric emulated(fabric);
  for (std::uint32_t n = 0; n < fabric.node_count(); ++n)
    emulated.set_behavior(NodeId(n), {.queue_max = queue, .answer_time = answer_time});
  SmOptions options;
  options.cache_dir.clear();
  options.routing_engine = {{"updn"}, false};
  options.max_wire_smps = row.total;
  options.max_device_smps = row.device;
  SmpTransport& wire = emulated.attach(EndportId(fabric.switch_count()));
  SubnetManager manager(wire, emulated.clock(), options);
  const TimeNs begin = emulated.clock().now();
  while (!manager.settled()) manager.step();
  const SweepReport& report = manager.last_report();
  const auto ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(emulated.clock().now() - begin);
  const auto snapshot = manager.snapshot();
  const std::size_t found = snapshot ? snapshot->fabric.node_count() : 0;
  fmt::print("| {} | {} | {} | {} | {} | {} | {} | {} |\n", row.name, answer_time.count(), queue,
             ms.count(), report.smps.sent, emulated.counters().drops(Drop::kQueueFull),
             report.smps.timed_out, fabric.node_count() - found);
}

int run(int count, char** words) {
  spdlog::set_level(spdlog::level::off);
  const std::string spec = count > 1 ? words[1] : "fattree3:k=16";
  const auto queue = static_cast<unsigned>(count > 2 ? std::atoi(words[2]) : 16);
  const auto fabric = generate(spec);
  CHECK(fabric.has_value());
  fmt::print("{}: {} hosts, {} switches\n\n", spec, fabric->ca_count(), fabric->switch_count());
  fmt::print(
      "| SMPs to one device | time per answer, us | queue | bring-up, ms | SMPs sent | dropped by "
      "full queues | timed out | nodes not found |\n|---:|---:|---:|---:|---:|---:|---:|---:|\n");
  for (const int us : {10, 100})
    for (const Row& row :
         {Row{"4 (4 in all, as OpenSM)", 4, 0}, Row{"4", 64, 4}, Row{"8", 64, 8}, Row{"64", 64, 0}})
      bring_up(*fabric, row, std::chrono::microseconds(us), queue);
  return 0;
}

}  // namespace
}  // namespace weft

int main(int count, char** words) { return weft::run(count, words); }
