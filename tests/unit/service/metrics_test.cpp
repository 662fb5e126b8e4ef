// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The text of /metrics: the format, arbitrary node descriptions, metrics of a fabric, and the
// reason why a manager is not ready.
#include "service/metrics/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "base/text.h"
#include "service/metrics/exporter_metrics.h"
#include "service/metrics/metrics_text.h"
#include "unit/service/published.h"

namespace weft {
namespace {

using testing::HasSubstr;
using testing::Not;
using Type = MetricText::Type;

MetricsView metrics_of(const std::string& spec) {
  MetricsView view;
  view.version = "1.2.3";
  view.posted.settings = std::make_shared<const Settings>();
  view.posted.snapshot = std::make_shared<const Snapshot>(published(spec));
  view.posted.status.state = SmState::kMaster;
  return view;
}

/// Checks that each HELP line has a new family, that TYPE lines and samples belong to the family of
/// the last HELP line, that exactly the counters end with _total, and that no sample occurs twice.
void check_format(const std::string& text) {
  ASSERT_TRUE(text.ends_with('\n'));
  std::set<std::string> families, samples;
  std::string family;
  for (const std::string_view line :
       split(std::string_view(text).substr(0, text.size() - 1), '\n')) {
    ASSERT_FALSE(line.empty());
    if (line.starts_with("# HELP ")) {
      family = std::string(split_words(line)[2]);
      EXPECT_TRUE(families.insert(family).second) << line;
      continue;
    }
    if (line.starts_with("# TYPE ")) {
      EXPECT_EQ(split_words(line)[2], family);
      EXPECT_EQ(split_words(line)[3] == "counter", family.ends_with("_total")) << line;
      continue;
    }
    const std::size_t end = line.rfind(' ');
    ASSERT_NE(end, std::string_view::npos) << line;
    EXPECT_TRUE(samples.insert(std::string(line.substr(0, end))).second) << line;
    EXPECT_TRUE(line.starts_with(family)) << line;
  }
}

TEST(ExporterMetrics, HaveTheNamesLabelsAndUnitsOfDashboards) {
  const auto snapshot = std::make_shared<const Snapshot>(published("fattree2:k=4"));
  const Fabric& fabric = snapshot->fabric;
  std::vector<PortCounts> counts;
  for (std::uint32_t n = 0; n < fabric.node_count(); ++n)
    for (const Port& port : fabric.ports(NodeId(n))) {
      counts.push_back({fabric.node(NodeId(n)).node_guid, port.num, {}, 1'000});
      counts.back().total[index(Counter::kXmitData)] = 25;
    }
  const std::string text =
      exporter_metrics(snapshot.get(), std::make_shared<const std::vector<PortCounts>>(counts));
  check_format(text);
  const Port& leaf = fabric.port(fabric.port_id(NodeId(0), PortNum(1)));
  const Port& host =
      fabric.port(fabric.port(fabric.endport(EndportId(fabric.switch_count())).port).peer);
  const std::string guid = fmt::format("0x{:016x}", fabric.node(NodeId(0)).node_guid.value());
  EXPECT_THAT(text, HasSubstr("infiniband_switch_port_transmit_data_bytes_total{guid=\"" + guid +
                              "\",port=\"1\"} 100\n"));
  EXPECT_THAT(text, Not(HasSubstr("port=\"0\"")));
  EXPECT_THAT(text, HasSubstr("infiniband_switch_info{guid=\"" + guid + "\",switch=\"" +
                              fabric.node(NodeId(0)).description + "\",lid=\""));
  EXPECT_THAT(text, HasSubstr("infiniband_switch_port_rate_bytes_per_second{guid=\"" + guid +
                              "\",port=\"1\"} "));
  EXPECT_THAT(
      text, HasSubstr(",uplink=\"" + fabric.node(fabric.port(leaf.peer).node).description + "\""));
  const Port& ca = fabric.port(host.peer);
  EXPECT_THAT(text, HasSubstr(fmt::format("infiniband_hca_info{{guid=\"0x{:016x}\",hca=\"{}\"",
                                          ca.guid.value(), fabric.node(ca.node).description)));
  EXPECT_THAT(text, HasSubstr("uplink_type=\"SW\""));
  EXPECT_THAT(text, HasSubstr("infiniband_exporter_last_execution{collector=\"hca\"} 1000\n"));
  EXPECT_EQ(exporter_metrics(snapshot.get(), nullptr), "");
}

TEST(MetricText, EscapesNodeDescriptions) {
  EXPECT_EQ(escaped_label("leaf-1"), "leaf-1");
  EXPECT_EQ(escaped_label("a\"b\\c\nd"), "a\\\"b\\\\c\\nd");
  EXPECT_EQ(escaped_label("M\xC3\xBCnchen \xF0\x9F\x90\x8C"), "M\xC3\xBCnchen \xF0\x9F\x90\x8C");
  EXPECT_EQ(escaped_label("\xFF"), "\xEF\xBF\xBD");
  EXPECT_EQ(escaped_label("\xC3"), "\xEF\xBF\xBD");                  // truncated
  EXPECT_EQ(escaped_label("\xC0\xAF"), "\xEF\xBF\xBD\xEF\xBF\xBD");  // an overlong slash
  EXPECT_EQ(escaped_label("\xED\xA0\x80").size(), 9u);               // a surrogate
}

TEST(MetricText, EscapesQuotesAndNewlinesInAllPairsOfBytes) {
  for (int a = 0; a < 256; ++a)
    for (int b = 0; b < 256; ++b) {
      const std::string bytes{static_cast<char>(a), static_cast<char>(b)};
      const std::string text = escaped_label(bytes);
      for (std::size_t i = 0; i < text.size(); ++i) {
        EXPECT_NE(text[i], '\n');
        if (text[i] == '\\') {
          ++i;  // skip the escaped character
        } else {
          EXPECT_NE(text[i], '"');
        }
      }
    }
}

TEST(MetricText, HistogramsAreCumulative) {
  MetricText text;
  text.family("weft_x_seconds", Type::kHistogram, "Time.");
  const double bounds[] = {0.5, 1};
  const std::uint64_t counts[] = {2, 3, 4};
  text.histogram({{"kind", "a"}}, bounds, counts, 7.25);
  EXPECT_EQ(text.text(),
            "# HELP weft_x_seconds Time.\n# TYPE weft_x_seconds histogram\n"
            "weft_x_seconds_bucket{kind=\"a\",le=\"0.5\"} 2\n"
            "weft_x_seconds_bucket{kind=\"a\",le=\"1\"} 5\n"
            "weft_x_seconds_bucket{kind=\"a\",le=\"+Inf\"} 9\n"
            "weft_x_seconds_sum{kind=\"a\"} 7.25\nweft_x_seconds_count{kind=\"a\"} 9\n");
}

TEST(MetricText, WritesInfinityAndNan) {
  MetricText text;
  text.family("weft_x", Type::kGauge, "X.");
  text.sample({}, std::nan(""));
  text.sample({{"a", "b"}}, -std::numeric_limits<double>::infinity());
  EXPECT_THAT(text.text(), HasSubstr("weft_x NaN\nweft_x{a=\"b\"} -Inf\n"));
}

TEST(Histogram, CountsABoundInTheLowerBucket) {
  const double bounds[] = {1, 2};
  Histogram histogram(bounds);
  for (const double seconds : {0.5, 1.0, 1.5, 2.0, 3.0}) histogram.add(seconds);
  EXPECT_THAT(histogram.counts, testing::ElementsAre(2, 2, 1));
  EXPECT_DOUBLE_EQ(histogram.sum, 8);
}

TEST(Metrics, DescribeAFabric) {
  const std::string text = metrics_text(metrics_of("fattree2:k=4"));
  check_format(text);
  for (const char* line :
       {"weft_build_info{version=\"1.2.3\"} 1\n", "weft_fabric_switches 6\n",
        "weft_fabric_hosts 8\n", "weft_fabric_links 16\n", "weft_fabric_switch_links 8\n",
        "weft_routing_engine_info{engine=\"minhop\"} 1\n", "weft_verify_ok 1\n",
        "weft_fabric_link_ends{width=\"4x\",speed=\"EDR\"} 32\n",
        "weft_sm_sweeps_total{kind=\"heavy\"} 0\n", "weft_sm_state{state=\"MASTER\"} 1\n"})
    EXPECT_THAT(text, HasSubstr(line));
}

TEST(Metrics, CountTrialsAndChangesOfLoadAwareRouting) {
  MetricsView view = metrics_of("fattree2:k=4");
  view.posted.status.tally.load_aware = {.trials = 5, .changes = 2, .gain = 12.5};
  const std::string text = metrics_text(view);
  check_format(text);
  for (const char* line :
       {"\nweft_load_aware_trials_total 5\n", "\nweft_load_aware_changes_total 2\n",
        "\nweft_load_aware_gain_percent 12.5\n"})
    EXPECT_THAT(text, HasSubstr(line));
}

TEST(Metrics, ExistBeforeTheFirstSweep) {
  MetricsView view;
  view.posted.settings = std::make_shared<const Settings>();
  const std::string text = metrics_text(view);
  check_format(text);
  EXPECT_THAT(text, HasSubstr("weft_sm_ready 0\n"));
  EXPECT_THAT(text, Not(HasSubstr("weft_fabric_")));
}

TEST(Metrics, IncludePortsQueriesAndTheHistory) {
  MetricsView view = metrics_of("fattree2:k=4");
  auto counts = std::make_shared<std::vector<PortCounts>>();
  PortCounts port{Guid(0x7), PortNum(3), {}};  // of a node that is not in the fabric
  port.total[index(Counter::kXmitData)] = 25;
  port.total[index(Counter::kSymbolErrors)] = 9;
  counts->push_back(port);
  view.counters = counts;
  auto meter = std::make_shared<sa::Meter>();
  using namespace std::chrono_literals;
  meter->count(SaAttribute::kPathRecord, sa::Meter::outcome_of(0), 3us);
  meter->count(SaAttribute::kPathRecord, sa::Meter::kIgnored, 30s);
  meter->count(static_cast<SaAttribute>(0xFEED), sa::Meter::outcome_of(0x000C), 1us);
  view.sa = meter;
  auto history = std::make_shared<HistoryMeter>();
  history->written = 12;
  history->lost = 3;
  history->failing = true;
  view.history = history;
  const std::string text = metrics_text(view);
  check_format(text);
  for (const char* line :
       {"weft_port_transmit_bytes_total{guid=\"0x0000000000000007\",node=\"\",port=\"3\"} 100\n",
        "weft_port_symbol_errors_total{guid=\"0x0000000000000007\",node=\"\",port=\"3\"} 9\n",
        "\nweft_history_writable 0\n", "\nweft_history_events_written_total 12\n",
        "\nweft_history_events_lost_total 3\n",
        "weft_sa_requests_total{attribute=\"PathRecord\",status=\"good\"} 1\n",
        "weft_sa_requests_total{attribute=\"PathRecord\",status=\"ignored\"} 1\n",
        "weft_sa_requests_total{attribute=\"other\",status=\"unsupported\"} 1\n",
        "weft_sa_request_duration_seconds_bucket{attribute=\"PathRecord\",le=\"10\"} 1\n",
        "weft_sa_request_duration_seconds_count{attribute=\"PathRecord\"} 2\n"})
    EXPECT_THAT(text, HasSubstr(line));
}

TEST(Metrics, IncludeCongestionControl) {
  MetricsView view = metrics_of("fattree2:k=4");
  EXPECT_THAT(metrics_text(view), Not(HasSubstr("weft_congestion_")));
  auto meter = std::make_shared<CongestionMeter>();
  meter->answered = 7;
  meter->refused = 2;
  meter->silent = 1;
  meter->programmable_ports = 6;
  meter->programmable_failures = 3;
  meter->algorithms_enabled = 5;
  meter->programmable_changes = 11;
  meter->dcqcn_devices = 12;
  meter->dcqcn_failures = 4;
  meter->dcqcn_configured = 8;
  meter->dcqcn_changes = 13;
  view.congestion = meter;
  const std::string text = metrics_text(view);
  check_format(text);
  for (const char* line :
       {"\nweft_congestion_settings_total{status=\"good\"} 7\n",
        "\nweft_congestion_settings_total{status=\"refused\"} 2\n",
        "\nweft_congestion_settings_total{status=\"no_answer\"} 1\n",
        "\nweft_congestion_programmable_ports 6\n",
        "\nweft_congestion_programmable_failed_ports 3\n",
        "\nweft_congestion_algorithms_enabled 5\n",
        "\nweft_congestion_programmable_changes_total 11\n", "\nweft_congestion_dcqcn_devices 12\n",
        "\nweft_congestion_dcqcn_failed_devices 4\n", "\nweft_congestion_dcqcn_configured 8\n",
        "\nweft_congestion_dcqcn_changes_total 13\n"})
    EXPECT_THAT(text, HasSubstr(line));
}

TEST(Metrics, ReportReadiness) {
  SmBoard::Posted posted = metrics_of("fattree2:k=4").posted;
  EXPECT_EQ(reason_not_ready(posted), "");
  auto unproved = std::make_shared<Snapshot>(*posted.snapshot);
  unproved->verdict.loops = 1;
  posted.snapshot = unproved;
  EXPECT_THAT(reason_not_ready(posted), HasSubstr("not proved"));
  posted.snapshot = nullptr;
  posted.status.error = "no cable";
  EXPECT_THAT(reason_not_ready(posted), HasSubstr("no routes are programmed yet: no cable"));
  posted.status.state = SmState::kStandby;
  posted.status.managers = {{Guid(1), SmState::kStandby, 0, true}};
  EXPECT_THAT(reason_not_ready(posted), HasSubstr("no master is known"));
  posted.status.managers.push_back({Guid(2), SmState::kMaster, 0, false});
  EXPECT_EQ(reason_not_ready(posted), "");
  posted.status.state = SmState::kNotActive;
  EXPECT_EQ(reason_not_ready(posted), "not active");
}

}  // namespace
}  // namespace weft
