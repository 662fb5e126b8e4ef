// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/metrics/exporter_metrics.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "service/error_sum.h"
#include "service/metrics/metrics_text.h"

namespace weft {
namespace {

using Kind = MetricText::Type;

struct ExporterMetric {
  Counter counter;
  /// The part between "infiniband_switch_port_" or "infiniband_hca_port_" and "_total".
  std::string_view name;
  std::uint64_t unit = 1;
};
constexpr ExporterMetric kExporterMetrics[] = {
    {Counter::kXmitData, "transmit_data_bytes", kBytesOfData},
    {Counter::kRcvData, "receive_data_bytes", kBytesOfData},
    {Counter::kXmitPkts, "transmit_packets"},
    {Counter::kRcvPkts, "receive_packets"},
    {Counter::kUnicastXmitPkts, "unicast_transmit_packets"},
    {Counter::kUnicastRcvPkts, "unicast_receive_packets"},
    {Counter::kMulticastXmitPkts, "multicast_transmit_packets"},
    {Counter::kMulticastRcvPkts, "multicast_receive_packets"},
    {Counter::kSymbolErrors, "symbol_error"},
    {Counter::kLinkErrorRecovery, "link_error_recovery"},
    {Counter::kLinkDowned, "link_downed"},
    {Counter::kRcvErrors, "receive_errors"},
    {Counter::kRcvRemotePhysicalErrors, "receive_remote_physical_errors"},
    {Counter::kRcvSwitchRelayErrors, "receive_switch_relay_errors"},
    {Counter::kXmitDiscards, "transmit_discards"},
    {Counter::kXmitConstraintErrors, "transmit_constraint_errors"},
    {Counter::kRcvConstraintErrors, "receive_constraint_errors"},
    {Counter::kLocalLinkIntegrityErrors, "local_link_integrity_errors"},
    {Counter::kBufferOverrunErrors, "excessive_buffer_overrun_errors"},
    {Counter::kVl15Dropped, "vl15_dropped"},
    {Counter::kXmitWait, "transmit_wait"},
};
static_assert(std::size(kExporterMetrics) == kCounterCount);

/// Rates of a lane in bytes/s: without line coding (effective), and with line coding (raw).
struct LaneRate {
  double effective = 0, raw = 0;
};

/// The rates of a lane as the exporter computes them from Gbit/s; for XDR, as specified.
LaneRate lane_rate(LinkSpeed speed) {
  constexpr double kBytesOfGbit = 1e9 / 8;
  const auto rate = [](double effective, double raw) {
    return LaneRate{effective * kBytesOfGbit, raw * kBytesOfGbit};
  };
  switch (speed) {
    case LinkSpeed::kSdr:
      return rate(2, 2.5);
    case LinkSpeed::kDdr:
      return rate(4, 5);
    case LinkSpeed::kQdr:
      return rate(8, 10);
    case LinkSpeed::kFdr10:
      return rate(10, 10.3125);
    case LinkSpeed::kFdr:
      return rate(13.64, 14.0625);
    case LinkSpeed::kEdr:
      return rate(25, 25.78125);
    case LinkSpeed::kHdr:
      return rate(50, 50);
    case LinkSpeed::kNdr:
      return rate(100, 100);
    default:
      return rate(200, 200);
  }
}

std::string exporter_guid(Guid guid) { return fmt::format("0x{:016x}", guid.value()); }

/// The GUID that identifies the device of a port in the exporter: the port GUID for a CA, the node
/// GUID for a switch.
Guid device_guid(const Fabric& fabric, const Port& port) {
  return fabric.is_switch(port.node) ? fabric.node(port.node).node_guid : port.guid;
}

std::string lid_text(const Fabric& fabric, const Port& port) {
  const PortId at = fabric.is_switch(port.node) ? fabric.port_id(port.node, PortNum(0))
                                                : fabric.port_id(port.node, port.num);
  const EndportId endport = at == kNoPort ? kNoEndport : fabric.endport_at(at);
  return endport == kNoEndport ? "0" : fmt::format("{}", fabric.endport(endport).lid.value());
}

/// A port with its counters and the labels of its samples.
struct ExportedPort {
  const Port* port;
  const PortCounts* counts;
  std::string labels;
};

/// The connected ports of switches, or of all other nodes, in the order of the counters.
std::vector<ExportedPort> exported_ports(const Fabric& fabric,
                                         const std::vector<PortCounts>& counters,
                                         bool of_switches) {
  std::vector<ExportedPort> ports;
  for (const PortCounts& counts : counters) {
    const auto node = fabric.find_node(counts.node);
    if (!node || fabric.is_switch(*node) != of_switches || counts.port == PortNum(0)) continue;
    const PortId id = fabric.port_id(*node, counts.port);
    if (id == kNoPort || fabric.port(id).peer == kNoPort) continue;
    const Port& port = fabric.port(id);
    const std::string guid = exporter_guid(device_guid(fabric, port));
    const std::string num = fmt::format("{}", port.num.value());
    ports.push_back({&port, &counts, MetricText::render_labels({{"guid", guid}, {"port", num}})});
  }
  return ports;
}

void add_port_counters(MetricText& text, const std::vector<ExportedPort>& ports,
                       std::string_view prefix) {
  for (const ExporterMetric& metric : kExporterMetrics) {
    text.family(fmt::format("infiniband_{}_port_{}_total", prefix, metric.name), Kind::kCounter,
                name(metric.counter));
    for (const ExportedPort& exported : ports)
      text.sample(exported.labels, exported.counts->total[index(metric.counter)] * metric.unit);
  }
}

/// Adds the rates of the ports. The rates of CA ports have no label `port`, because the exporter
/// treats each CA port as an HCA.
void add_port_rates(MetricText& text, const Fabric& fabric, const std::vector<ExportedPort>& ports,
                    bool of_switches) {
  for (const bool raw : {false, true}) {
    text.family(fmt::format("infiniband_{}{}rate_bytes_per_second",
                            of_switches ? "switch_port_" : "hca_", raw ? "raw_" : ""),
                Kind::kGauge, raw ? "Signaling rate of the link." : "Data rate of the link.");
    for (const ExportedPort& exported : ports) {
      const LaneRate lane = lane_rate(exported.port->speed);
      const double rate = lanes(exported.port->width) * (raw ? lane.raw : lane.effective);
      const std::string guid = exporter_guid(device_guid(fabric, *exported.port));
      const std::string num = fmt::format("{}", exported.port->num.value());
      if (of_switches)
        text.sample({{"guid", guid}, {"port", num}}, rate);
      else
        text.sample({{"guid", guid}}, rate);
    }
  }
}

void add_port_infos(MetricText& text, const Fabric& fabric, const std::vector<ExportedPort>& ports,
                    std::string_view prefix) {
  text.family(fmt::format("infiniband_{}_info", prefix), Kind::kGauge,
              "Names of devices; always 1.");
  std::string last;
  for (const ExportedPort& exported : ports) {
    const std::string guid = exporter_guid(device_guid(fabric, *exported.port));
    if (std::exchange(last, guid) == guid) continue;
    text.sample({{"guid", guid},
                 {prefix, fabric.node(exported.port->node).description},
                 {"lid", lid_text(fabric, *exported.port)}},
                std::uint64_t{1});
  }
  text.family(fmt::format("infiniband_{}_uplink_info", prefix), Kind::kGauge,
              "The other end of each port's cable; always 1.");
  for (const ExportedPort& exported : ports) {
    const Port& peer = fabric.port(exported.port->peer);
    text.sample({{"guid", exporter_guid(device_guid(fabric, *exported.port))},
                 {prefix, fabric.node(exported.port->node).description},
                 {"port", fmt::format("{}", exported.port->num.value())},
                 {"uplink", fabric.node(peer.node).description},
                 {"uplink_guid", exporter_guid(device_guid(fabric, peer))},
                 {"uplink_lid", lid_text(fabric, peer)},
                 {"uplink_port", fmt::format("{}", peer.num.value())},
                 {"uplink_type", fabric.is_switch(peer.node) ? "SW" : "CA"}},
                std::uint64_t{1});
  }
}

}  // namespace

std::string exporter_metrics(const Snapshot* snapshot, const PortCountsTable& counters) {
  if (snapshot == nullptr || !counters) return "";
  const Fabric& fabric = snapshot->fabric;
  MetricText text;
  for (const bool of_switches : {true, false}) {
    const std::string_view prefix = of_switches ? "switch" : "hca";
    const auto ports = exported_ports(fabric, *counters, of_switches);
    add_port_counters(text, ports, prefix);
    add_port_rates(text, fabric, ports, of_switches);
    add_port_infos(text, fabric, ports, prefix);
  }
  std::int64_t read_at = 0;
  for (const PortCounts& counts : *counters) read_at = std::max(read_at, counts.read_at);
  text.family("infiniband_exporter_last_execution", Kind::kGauge,
              "Time of the last reading of counters, in seconds since 1970.");
  for (const std::string_view collector : {"switch", "hca"})
    text.sample({{"collector", collector}},
                static_cast<std::uint64_t>(std::max<std::int64_t>(read_at, 0)));
  return text.take();
}

}  // namespace weft
