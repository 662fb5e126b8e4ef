// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/metrics/metrics.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <vector>

#include "service/metrics/metrics_text.h"
#include "sm/planes/aggregated_ports.h"
#include "verify/planes/plane_verdicts.h"

namespace weft {
namespace {

using Type = MetricText::Type;

std::uint64_t flag(bool on) { return on ? 1 : 0; }

void add_one(MetricText& text, std::string_view name, Type type, std::string_view help,
             std::uint64_t value) {
  text.family(name, type, help);
  text.sample({}, value);
}

void add_manager(MetricText& text, const MetricsView& view) {
  const SmStatus& status = view.posted.status;
  text.family("weft_build_info", Type::kGauge, "Version of the program; always 1.");
  text.sample({{"version", view.version}}, std::uint64_t{1});
  text.family("weft_sm_state", Type::kGauge,
              "State of this subnet manager: 1 for the current state, otherwise 0.");
  for (const SmState state :
       {SmState::kNotActive, SmState::kDiscovering, SmState::kStandby, SmState::kMaster})
    text.sample({{"state", name(state)}}, flag(state == status.state));
  add_one(text, "weft_sm_priority", Type::kGauge, "Priority of this subnet manager.",
          status.priority);
  add_one(text, "weft_sm_managers", Type::kGauge,
          "Known subnet managers on the fabric, including this one.", status.managers.size());
  add_one(text, "weft_sm_ready", Type::kGauge, "1 if /readyz reports ready.",
          flag(reason_not_ready(view.posted).empty()));
  add_one(text, "weft_sm_up", Type::kGauge, "1 if the subnet was up after the last sweep.",
          flag(status.up));
  add_one(text, "weft_sm_sweeping_enabled", Type::kGauge, "0 if sweeps are disabled.",
          flag(status.sweeping));
  add_one(text, "weft_events_total", Type::kCounter, "Events since the start of the program.",
          view.events);
}

void add_sweeps(MetricText& text, const SmTally& tally) {
  text.family("weft_sm_sweeps_total", Type::kCounter,
              "Completed sweeps: heavy (full discovery), local (incremental discovery around a "
              "change), multicast (multicast trees, partitions, alias GUIDs, virtual ports, names, "
              "capabilities or planes only); begun sweeps: light (change detection).");
  for (std::size_t kind = 0; kind < tally.sweeps.size(); ++kind)
    text.sample({{"kind", SmTally::kKindNames[kind]}}, tally.sweeps[kind]);
  text.sample({{"kind", "light"}}, tally.light);
  add_one(text, "weft_sm_sweeps_failed_total", Type::kCounter,
          "Sweeps, except light sweeps, after which the subnet was not up.", tally.failed);
  text.family("weft_sm_sweep_duration_seconds", Type::kHistogram, "Duration of sweeps.");
  for (std::size_t kind = 0; kind < tally.seconds.size(); ++kind) {
    const Histogram& seconds = tally.seconds[kind];
    text.histogram({{"kind", SmTally::kKindNames[kind]}}, seconds.bounds, seconds.counts,
                   seconds.sum);
  }
}

void add_smp_metrics(MetricText& text, const SmpCounts& smps, const SmTally& tally) {
  const auto add = [&](std::string_view name, std::string_view help, std::uint64_t value) {
    add_one(text, name, Type::kCounter, help, value);
  };
  add("weft_smps_sent_total", "SMPs sent, including retries.", smps.sent);
  add("weft_smps_answered_total", "SMPs with a response.", smps.answered);
  add("weft_smps_retried_total", "SMPs sent again after a timeout.", smps.retried);
  add("weft_smp_timeouts_total", "SMPs that failed: no response to any try, or not sent.",
      smps.timed_out);
  add("weft_smp_bad_status_total", "Responses to SMPs with a bad status.", smps.bad_status);
  add("weft_smps_stray_total", "Responses received too late or without a request.", smps.stray);
  add("weft_smps_unsolicited_total", "Traps and requests received.", smps.unsolicited);
  add("weft_smps_refused_total", "Tries of SMPs that the device failed to send.", smps.refused);
  add("weft_lft_blocks_written_total", "Blocks of 64 forwarding entries written to switches.",
      tally.table_blocks_written);
}

void add_routing(MetricText& text, const SmTally& tally) {
  add_one(text, "weft_routing_runs_total", Type::kCounter, "Sweeps that recalculated routes.",
          tally.route_runs);
  text.family("weft_routing_fallbacks_total", Type::kCounter,
              "Failures of an engine in sweeps that recalculated routes.");
  for (const auto& [engine, count] : tally.fallbacks) text.sample({{"engine", engine}}, count);
  add_one(text, "weft_load_aware_trials_total", Type::kCounter,
          "Trials of routes for the measured traffic.", tally.load_aware.trials);
  add_one(text, "weft_load_aware_changes_total", Type::kCounter,
          "Changes of the routes by load-aware routing.", tally.load_aware.changes);
  text.family("weft_load_aware_gain_percent", Type::kGauge,
              "Simulated gain of the last trial: percent by which the largest link load falls.");
  text.sample(MetricLabels{}, tally.load_aware.gain);
}

void add_routes(MetricText& text, const Snapshot& snapshot) {
  text.family("weft_routing_engine_info", Type::kGauge,
              "The engine of the active routes; always 1.");
  text.sample({{"engine", snapshot.routes.engine}}, std::uint64_t{1});
  add_one(text, "weft_vls_used", Type::kGauge, "Data VLs that the routes use.",
          snapshot.routes.vls);
  add_one(text, "weft_vls_needed", Type::kGauge,
          "Data VLs that the routes need to be free of deadlock.", snapshot.routes.vls_needed);
  const ArReport& adaptive = snapshot.report.adaptive;
  add_one(text, "weft_adaptive_switches", Type::kGauge, "Switches with adaptive routing enabled.",
          adaptive.on);
  add_one(text, "weft_adaptive_notifying_switches", Type::kGauge,
          "Switches with routing notifications (FRN) enabled.", adaptive.notifying);
  add_one(text, "weft_adaptive_errors", Type::kGauge,
          "Settings of adaptive routing that failed in the sweep that published the routes.",
          adaptive.errors);
  const Verdict& verdict = snapshot.verdict;
  add_one(text, "weft_verify_ok", Type::kGauge,
          "1 if the routes are proved: all endports reachable, no loops, no VLs that links lack, "
          "deadlock-free.",
          flag(verdict.ok()));
  add_one(text, "weft_verify_unreachable_pairs", Type::kGauge,
          "Ordered pairs of hosts without a route, including pairs that no cables connect.",
          verdict.ca_to_ca.pairs - verdict.ca_to_ca.arrived);
  add_one(text, "weft_verify_unreachable_switch_pairs", Type::kGauge,
          "Connected pairs of a host and a switch without a route, in either direction.",
          verdict.ca_to_switch.missing() + verdict.switch_to_ca.missing());
  add_one(text, "weft_verify_lanes_missing", Type::kGauge,
          "Ports with routes on VLs that their links do not have.", verdict.lanes_missing);
  add_one(text, "weft_verify_loops", Type::kGauge, "Forwarding loops.", verdict.loops);
  text.family("weft_sm_last_sweep_stage_seconds", Type::kGauge,
              "Duration of each stage of the sweep that published the routes.");
  const auto& seconds = snapshot.report.seconds;
  const std::pair<std::string_view, double> stages[] = {
      {"observe", seconds.observe}, {"read_tables", seconds.read_tables}, {"lids", seconds.lids},
      {"route", seconds.route},     {"verify", seconds.verify},           {"diff", seconds.diff},
      {"apply", seconds.apply}};
  for (const auto& [stage, time] : stages) text.sample({{"stage", stage}}, time);
}

std::string_view port_state_name(PortState state) {
  switch (state) {
    case PortState::kDown:
      return "down";
    case PortState::kInit:
      return "init";
    case PortState::kArmed:
      return "armed";
    case PortState::kActive:
      return "active";
    default:
      return "unknown";
  }
}

void add_links(MetricText& text, const Snapshot& snapshot) {
  const Fabric& fabric = snapshot.fabric;
  std::map<std::pair<LinkWidth, LinkSpeed>, std::uint64_t> kinds;
  std::array<std::uint64_t, 5> states{};
  for (std::uint32_t n = 0; n < fabric.node_count(); ++n) {
    const auto ports = fabric.ports(NodeId(n));
    for (std::size_t p = 1; p < ports.size(); ++p) {
      const Port& port = ports[p];
      if (port.peer != kNoPort) ++kinds[{port.width, port.speed}];
      if (n >= snapshot.nodes.size()) continue;
      const ObservedNode& seen = snapshot.nodes[n];
      if (p < seen.ports.size() && seen.answered[p])
        ++states[std::min<std::size_t>(static_cast<std::size_t>(seen.ports[p].state),
                                       states.size() - 1)];
    }
  }
  text.family("weft_fabric_link_ends", Type::kGauge,
              "Connected ports by width and speed; two per link.");
  for (const auto& [kind, count] : kinds)
    text.sample({{"width", name(kind.first)}, {"speed", name(kind.second)}}, count);
  text.family("weft_fabric_ports", Type::kGauge, "External ports by logical state, as last read.");
  for (std::size_t state = 0; state < states.size(); ++state)
    text.sample({{"state", port_state_name(static_cast<PortState>(state))}}, states[state]);
}

void add_fabric(MetricText& text, const Snapshot& snapshot) {
  const Fabric& fabric = snapshot.fabric;
  add_one(text, "weft_fabric_switches", Type::kGauge, "Switches.", fabric.switch_count());
  add_one(text, "weft_fabric_hosts", Type::kGauge, "Channel adapters and routers.",
          fabric.ca_count());
  add_one(text, "weft_fabric_links", Type::kGauge, "Links.", fabric.link_count());
  add_one(text, "weft_fabric_switch_links", Type::kGauge, "Links between switches.",
          fabric.switch_link_count());
  add_one(text, "weft_fabric_slow_links", Type::kGauge,
          "Degraded links: below the width or speed that both ends have enabled.",
          snapshot.report.degraded_links.size());
  add_links(text, snapshot);
}

void add_vports(MetricText& text, const Snapshot& snapshot) {
  add_one(text, "weft_vport_hosts", Type::kGauge, "CA ports with virtualization.",
          snapshot.vports.hosts().size());
  add_one(text, "weft_vports", Type::kGauge, "Virtual ports in use.", snapshot.vports.count());
  add_one(text, "weft_vports_absent", Type::kGauge,
          "Virtual ports that went down and keep their multicast groups for a while.",
          snapshot.vports.absent().size());
}

void add_planes(MetricText& text, const Snapshot& snapshot) {
  const auto planes =
      plane_verdicts(snapshot.fabric, snapshot.verdict, snapshot.report.planes.stated);
  text.family("weft_plane_usable", Type::kGauge,
              "1: the routes of the plane are verified; 0: hosts cannot use it.");
  for (const PlaneVerdict& plane : planes)
    text.sample({{"plane", std::to_string(plane.number)}}, flag(plane.is_usable()));
  text.family("weft_plane_hosts", Type::kGauge, "Hosts with a link in the plane.");
  for (const PlaneVerdict& plane : planes)
    text.sample({{"plane", std::to_string(plane.number)}}, std::uint64_t{plane.size.hosts});
  const auto aports = aggregated_ports(snapshot.fabric, *snapshot.planar);
  auto without_link = count_without_link(aports);
  text.family("weft_plane_aports_without_link", Type::kGauge,
              "Aggregated ports without a link in the plane.");
  for (const PlaneVerdict& plane : planes)
    text.sample({{"plane", std::to_string(plane.number)}},
                without_link[static_cast<std::uint8_t>(plane.number)]);
  add_one(text, "weft_aports", Type::kGauge, "Aggregated ports of planarized devices.",
          aports.size());
  add_one(text, "weft_plane_contradictions", Type::kGauge,
          "Links between different planes, and planes with switches that report different planes.",
          snapshot.report.planes.contradictions);
  const PlaneReport& report = snapshot.report.planes;
  if (report.fnm_ports == 0) return;
  add_one(text, "weft_fnm_links", Type::kGauge, "Links of fabric-management ports.",
          report.fnm_links);
  add_one(text, "weft_fnm_ring_findings", Type::kGauge,
          "Switches of systems with fabric-management links that do not form one ring.",
          report.fnm_ring_findings.size());
}

/// No metric if the fabric is not compared.
void add_topology_findings(MetricText& text, const SweepReport& report) {
  if (report.topology_findings)
    add_one(text, "weft_topology_findings", Type::kGauge,
            "Differences between the fabric and topo_config_file.",
            report.topology_findings->size());
}

void add_unhealthy_ports(MetricText& text, const PortHealth::Ports& ports) {
  constexpr std::array kShown{HealthAction::kReport, HealthAction::kIsolate,
                              HealthAction::kNoDiscover, HealthAction::kDisable};
  text.family("weft_unhealthy_ports", Type::kGauge, "Unhealthy ports, by the action on them.");
  for (const HealthAction action : kShown)
    text.sample({{"action", name(action)}},
                static_cast<std::uint64_t>(std::ranges::count_if(
                    ports, [&](const auto& port) { return port.second.action == action; })));
}

void add_vport_changes(MetricText& text, const SmTally& tally) {
  text.family("weft_vport_changes_total", Type::kCounter,
              "GUIDs of virtual ports that appeared, went down, or moved to another virtual port.");
  text.sample({{"kind", "appeared"}}, tally.vports_appeared);
  text.sample({{"kind", "gone"}}, tally.vports_gone);
  text.sample({{"kind", "moved"}}, tally.vports_moved);
  add_one(text, "weft_vport_sets_failed_total", Type::kCounter,
          "Settings of virtual ports that failed.", tally.vport_failures);
}

std::string_view attribute_name(std::size_t index) {
  return index < sa::attributes().size() ? sa::attributes()[index].name : "other";
}

void add_queries(MetricText& text, const sa::Meter& meter) {
  const std::size_t kinds = sa::attributes().size() + 1;
  text.family("weft_sa_requests_total", Type::kCounter,
              "Requests to the subnet administration by attribute and status.");
  for (std::size_t a = 0; a < kinds; ++a)
    for (std::size_t o = 0; o < sa::Meter::kOutcomes.size(); ++o)
      if (const std::uint64_t count = meter.of(a).outcomes[o].value(); count > 0)
        text.sample({{"attribute", attribute_name(a)}, {"status", sa::Meter::kOutcomes[o]}}, count);
  text.family("weft_sa_request_duration_seconds", Type::kHistogram,
              "Time from the arrival of a request to its response; for RMPP responses, to the "
              "first segment.");
  for (std::size_t a = 0; a < kinds; ++a) {
    const auto& requests = meter.of(a);
    std::vector<std::uint64_t> counts;
    std::uint64_t all = 0;
    for (const sa::Gauge& count : requests.times) all += counts.emplace_back(count.value());
    if (all > 0)
      text.histogram({{"attribute", attribute_name(a)}}, sa::Meter::kBounds, counts,
                     static_cast<double>(requests.nanoseconds.value()) * 1e-9);
  }
  text.family("weft_sa_refusals_total", Type::kCounter,
              "Requests to the subnet administration refused by a limit or an access rule.");
  for (std::size_t kind = 0; kind < sa::kRefusalKinds; ++kind)
    text.sample({{"reason", sa::name(static_cast<sa::Refusal>(kind))}},
                meter.refusals[kind].value());
  add_one(text, "weft_sa_malformed_total", Type::kCounter, "Invalid MADs.",
          meter.malformed.value());
  add_one(text, "weft_sa_reports_total", Type::kCounter, "Notices forwarded to subscribers.",
          meter.reports_sent.value());
  add_one(text, "weft_sa_rmpp_transfers", Type::kGauge, "RMPP transfers in progress.",
          meter.transfers_under_way.value());
  add_one(text, "weft_sa_rmpp_bytes", Type::kGauge, "Memory of the RMPP transfers in bytes.",
          meter.bytes_under_way.value());
  add_one(text, "weft_sa_subscriptions", Type::kGauge, "Subscriptions to notices.",
          meter.subscriptions.value());
  add_one(text, "weft_sa_services", Type::kGauge, "Service records.", meter.services.value());
  add_one(text, "weft_multicast_groups", Type::kGauge, "Multicast groups.", meter.groups.value());
}

void add_history(MetricText& text, const HistoryMeter& meter) {
  add_one(text, "weft_history_writable", Type::kGauge, "0 if the last write to the history failed.",
          flag(!meter.failing));
  add_one(text, "weft_history_events_written_total", Type::kCounter,
          "Events written to the history.", meter.written);
  add_one(text, "weft_history_events_lost_total", Type::kCounter,
          "Events missing in the history, because the queue was full.", meter.lost);
}

void add_congestion(MetricText& text, const CongestionMeter& meter) {
  text.family("weft_congestion_settings_total", Type::kCounter,
              "MADs with settings of congestion control (annex A10), without repetitions.");
  text.sample({{"status", "good"}}, meter.answered);
  text.sample({{"status", "refused"}}, meter.refused);
  text.sample({{"status", "no_answer"}}, meter.silent);
  add_one(text, "weft_congestion_programmable_ports", Type::kGauge,
          "CA ports that announce programmable congestion control.", meter.programmable_ports);
  add_one(text, "weft_congestion_programmable_failed_ports", Type::kGauge,
          "CA ports where settings of programmable congestion control failed in the last "
          "round.",
          meter.programmable_failures);
  add_one(text, "weft_congestion_algorithms_enabled", Type::kGauge,
          "Algorithms of programmable congestion control that are enabled, summed over the ports.",
          meter.algorithms_enabled);
  add_one(text, "weft_congestion_programmable_changes_total", Type::kCounter,
          "Changed settings of programmable congestion control.", meter.programmable_changes);
  add_one(text, "weft_congestion_dcqcn_devices", Type::kGauge,
          "CA ports and switches that announce DCQCN and that the policy configures.",
          meter.dcqcn_devices);
  add_one(text, "weft_congestion_dcqcn_failed_devices", Type::kGauge,
          "CA ports and switches where settings of DCQCN failed in the last round.",
          meter.dcqcn_failures);
  add_one(text, "weft_congestion_dcqcn_configured", Type::kGauge,
          "CA ports and switches with DCQCN as in the policy.", meter.dcqcn_configured);
  add_one(text, "weft_congestion_dcqcn_changes_total", Type::kCounter,
          "Changed attributes of DCQCN.", meter.dcqcn_changes);
}

void add_alarms(MetricText& text, const MetricsView& view) {
  const AlarmBook::Counts counts = view.alarms->counts();
  const auto by_rule = [&](const auto& numbers) {
    for (std::size_t i = 0; i < kAlarmRuleCount; ++i)
      text.sample({{"rule", alarm_rules()[i].name}}, numbers[i]);
  };
  text.family("weft_alarms", Type::kGauge, "Active alarms of ports by rule.");
  by_rule(counts.active);
  text.family("weft_alarms_acknowledged", Type::kGauge, "Active alarms that are acknowledged.");
  by_rule(counts.acknowledged);
  const auto by_receiver = [&](std::string_view name, std::string_view help, auto member) {
    text.family(name, Type::kCounter, help);
    for (const auto& meter : view.alarm_receivers)
      text.sample({{"receiver", meter->receiver}}, (meter.get()->*member).load());
  };
  if (view.alarm_receivers.empty()) return;
  by_receiver("weft_alarm_deliveries_total", "Requests with alarms that succeeded.",
              &DeliveryMeter::sent);
  by_receiver("weft_alarm_deliveries_failed_total", "Requests with alarms that failed.",
              &DeliveryMeter::failed);
  by_receiver(
      "weft_alarm_changes_lost_total",
      "Changes of alarms that were dropped: refused by the receiver, or the queue was full.",
      &DeliveryMeter::lost);
}

void add_replication(MetricText& text, const replication::ReplicationStatus& status) {
  const bool follows = status.role == replication::Role::kFollower;
  constexpr double kMsPerSecond = 1000;
  text.family("weft_replication_in_step", Type::kGauge,
              "1 if this standby has the whole state of the master, or if all standbys of this "
              "master have it.");
  const bool all_in_step =
      !status.standbys.empty() && std::ranges::all_of(status.standbys, [](const auto& one) {
        return one.in_step && one.missing == 0;
      });
  text.sample(MetricLabels{}, flag(follows ? status.in_step : all_in_step));
  add_one(text, "weft_replication_standbys", Type::kGauge,
          "Standbys that copy the state of this master.", status.standbys.size());
  std::uint64_t missing = status.missing;
  for (const auto& standby : status.standbys) missing = std::max(missing, standby.missing);
  add_one(text, "weft_replication_missing_changes", Type::kGauge,
          "Changes of the master that this standby does not have; at a master, the largest number "
          "of its standbys.",
          missing);
  if (follows && status.lag) {
    text.family("weft_replication_lag_seconds", Type::kGauge,
                "Time since this standby had the whole state.");
    text.sample(MetricLabels{}, static_cast<double>(status.lag->count()) / kMsPerSecond);
  }
  add_one(text, "weft_replication_checksum_mismatches_total", Type::kCounter,
          "Copies that were dropped because their checksums differed.", status.mismatches);
}

struct PortMetric {
  Counter counter;
  std::string_view name;
  std::string_view help;
  std::uint64_t unit = 1;
};
constexpr std::uint64_t kBytesAWord = 4;
constexpr PortMetric kPortMetrics[] = {
    {Counter::kSymbolErrors, "weft_port_symbol_errors_total", "Minor link errors."},
    {Counter::kLinkErrorRecovery, "weft_port_link_error_recoveries_total",
     "Successful link error recoveries."},
    {Counter::kLinkDowned, "weft_port_link_downed_total",
     "Times that link error recovery failed and the link went down."},
    {Counter::kRcvErrors, "weft_port_receive_errors_total", "Packets received with an error."},
    {Counter::kRcvRemotePhysicalErrors, "weft_port_receive_remote_physical_errors_total",
     "Packets received with the EBP delimiter (marked bad by another port)."},
    {Counter::kRcvSwitchRelayErrors, "weft_port_receive_switch_relay_errors_total",
     "Packets that the switch could not forward."},
    {Counter::kXmitDiscards, "weft_port_transmit_discards_total", "Packets dropped at the output."},
    {Counter::kXmitConstraintErrors, "weft_port_transmit_constraint_errors_total",
     "Packets not sent because of their P_Key or version."},
    {Counter::kRcvConstraintErrors, "weft_port_receive_constraint_errors_total",
     "Packets discarded on receipt because of their P_Key or version."},
    {Counter::kLocalLinkIntegrityErrors, "weft_port_local_link_integrity_errors_total",
     "Times that local physical errors exceeded LocalPhyErrors."},
    {Counter::kBufferOverrunErrors, "weft_port_buffer_overrun_errors_total",
     "Times that consecutive buffer overruns exceeded OverrunErrors."},
    {Counter::kVl15Dropped, "weft_port_vl15_dropped_total", "VL15 packets dropped."},
    {Counter::kXmitWait, "weft_port_transmit_wait_ticks_total",
     "Ticks in which data to send waited for credits or for other traffic."},
    {Counter::kXmitData, "weft_port_transmit_bytes_total", "Bytes sent.", kBytesAWord},
    {Counter::kRcvData, "weft_port_receive_bytes_total", "Bytes received.", kBytesAWord},
    {Counter::kXmitPkts, "weft_port_transmit_packets_total", "Packets sent."},
    {Counter::kRcvPkts, "weft_port_receive_packets_total", "Packets received."},
    {Counter::kUnicastXmitPkts, "weft_port_unicast_transmit_packets_total",
     "Unicast packets sent."},
    {Counter::kUnicastRcvPkts, "weft_port_unicast_receive_packets_total",
     "Unicast packets received."},
    {Counter::kMulticastXmitPkts, "weft_port_multicast_transmit_packets_total",
     "Multicast packets sent."},
    {Counter::kMulticastRcvPkts, "weft_port_multicast_receive_packets_total",
     "Multicast packets received."},
};
static_assert(std::size(kPortMetrics) == kCounterCount);

void add_counters(MetricText& text, const std::vector<PortCounts>& ports,
                  const Snapshot* snapshot) {
  std::vector<std::string> labels;
  labels.reserve(ports.size());
  for (const PortCounts& port : ports) {
    const auto node = snapshot ? snapshot->fabric.find_node(port.node) : std::nullopt;
    const std::string guid = fmt::format("0x{:016x}", port.node.value());
    const std::string num = fmt::format("{}", port.port.value());
    labels.push_back(MetricText::render_labels(
        {{"guid", guid},
         {"node", node ? std::string_view(snapshot->fabric.node(*node).description) : ""},
         {"port", num}}));
  }
  for (const PortMetric& metric : kPortMetrics) {
    text.family(metric.name, Type::kCounter, metric.help);
    for (std::size_t i = 0; i < ports.size(); ++i)
      text.sample(labels[i], ports[i].total[index(metric.counter)] * metric.unit);
  }
}

}  // namespace

std::string reason_not_ready(const SmBoard::Posted& posted) {
  const SmStatus& status = posted.status;
  const auto with_error = [&](std::string_view what) {
    return fmt::format("{}{}{}", what, status.error.empty() ? "" : ": ", status.error);
  };
  switch (status.state) {
    case SmState::kMaster:
      if (!posted.snapshot) return with_error("master, but no routes are programmed yet");
      if (!posted.snapshot->verdict.ok()) return "master, but the active routes are not proved";
      return "";
    case SmState::kStandby:
      for (const ManagerStatus& manager : status.managers)
        if (!manager.self && manager.state == SmState::kMaster) return "";
      return "standby, but no master is known";
    case SmState::kDiscovering:
      return with_error("discovering");
    default:
      return "not active";
  }
}

std::string snapshot_metrics(const Snapshot& snapshot) {
  MetricText text;
  add_routes(text, snapshot);
  add_fabric(text, snapshot);
  add_vports(text, snapshot);
  add_planes(text, snapshot);
  add_topology_findings(text, snapshot.report);
  return text.take();
}

std::string metrics_text(const MetricsView& view) {
  MetricText text;
  const Snapshot* snapshot = view.posted.snapshot.get();
  const SmTally& tally = view.posted.status.tally;
  add_manager(text, view);
  add_sweeps(text, tally);
  add_smp_metrics(text, view.posted.status.smps, tally);
  add_routing(text, tally);
  add_vport_changes(text, tally);
  add_unhealthy_ports(text, *view.posted.status.unhealthy_ports);
  if (view.of_snapshot)
    text.add(*view.of_snapshot);
  else if (snapshot)
    text.add(snapshot_metrics(*snapshot));
  if (view.sa) add_queries(text, *view.sa);
  if (view.history) add_history(text, *view.history);
  if (view.congestion) add_congestion(text, *view.congestion);
  if (view.alarms) add_alarms(text, view);
  if (view.replication) add_replication(text, *view.replication);
  if (view.counters) add_counters(text, *view.counters, snapshot);
  return text.take();
}

}  // namespace weft
