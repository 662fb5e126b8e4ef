// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Usage counts, packed tables, traffic and page of a report, compared with quality figures, with
// the routes and with values computed by hand.

#include "report/page.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "base/check.h"
#include "base/file.h"
#include "report/page_data.h"
#include "report/pictures.h"
#include "routes/path_sl.h"
#include "routing/dfsssp.h"
#include "routing/minhop.h"
#include "support/fabric_of.h"
#include "support/temp_dir.h"
#include "support/tiny.h"
#include "verify/verify.h"

namespace weft {
namespace {

Routes minhop(const Fabric& fabric) {
  auto routes = route_minhop(fabric, {});
  CHECK(routes.has_value());
  return std::move(*routes);
}

Report report_of(const Fabric& fabric, Routes routes, unsigned threads) {
  Report report;
  report.title = "title";
  report.input = "input";
  report.program = "weft";
  report.fabric = fabric;
  const Verdict verdict = verify(fabric, routes, {.threads = threads});
  TrafficSpec traffic;
  traffic.runs = 20;
  auto run = make_run(fabric, std::move(routes), verdict,
                      {.threads = threads, .seed = 0, .traffic = {traffic}});
  CHECK(run.has_value());
  report.runs.push_back(std::move(*run));
  return report;
}

/// The bytes of a packed table: decodes base64 and inflates up to `size` bytes.
std::vector<std::uint8_t> unpacked(const std::string& text, std::size_t size) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<std::uint8_t> bytes;
  std::uint32_t bits = 0;
  int held = 0;
  for (const char c : text) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<std::uint32_t>(digits.find(c));
    held += 6;
    if (held >= 8) bytes.push_back(static_cast<std::uint8_t>(bits >> (held -= 8)));
  }
  std::vector<std::uint8_t> plain(size + 1);
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, -MAX_WBITS), Z_OK);
  stream.next_in = bytes.data();
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = plain.data();
  stream.avail_out = static_cast<uInt>(plain.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  plain.resize(stream.total_out);
  inflateEnd(&stream);
  return plain;
}

// A line S0 - S1 - S2 with a host on each switch: each of the four channels carries two paths.
TEST(Usage, IsExactOnALine) {
  const Fabric fabric = Tiny(3).link(0, 1).link(1, 2).hosts(0).hosts(1).hosts(2).build();
  const Usage usage = count_usage(fabric, minhop(fabric), 1);
  EXPECT_EQ(usage.load, (std::vector<std::uint64_t>{2, 2, 2, 2}));
  EXPECT_EQ(usage.lanes[0].paths, 6u);
  EXPECT_EQ(usage.lanes[0].hops, 8u);
  EXPECT_EQ(usage.lanes[0].load_max, 2u);
  EXPECT_EQ(usage.lanes[1].hops, 0u);
}

TEST(Usage, LeavesOutAggregationNodes) {
  Tiny tiny(3);
  tiny.link(0, 1).link(1, 2).hosts(0).hosts(1).hosts(2, 2);
  for (const unsigned host : {1u, 2u}) tiny.builder().node(3 + host).device_id = 0xCF09;
  const Fabric fabric = tiny.build();
  const Routes routes = minhop(fabric);
  const Usage usage = count_usage(fabric, routes, 1);
  EXPECT_EQ(usage.load, (std::vector<std::uint64_t>{1, 1, 1, 1}));
  EXPECT_EQ(usage.lanes[0].paths, 2u);
  EXPECT_EQ(usage.lanes[0].hops, 4u);
  EXPECT_EQ(assess(fabric, routes, {}).link_load_max, 1u);
}

TEST(Usage, EqualsTheQualityFiguresForAnyNumberOfThreads) {
  for (const char* spec : {"fattree3:k=4", "torus:4x4,hosts=2", "dragonfly:a=4,h=2,p=2"}) {
    const Fabric fabric = fabric_of(spec);
    const auto routes = route_dfsssp(fabric, {});
    ASSERT_TRUE(routes) << spec;
    const Usage usage = count_usage(fabric, *routes, 1);
    const Quality quality = assess(fabric, *routes, {});
    EXPECT_EQ(*std::ranges::max_element(usage.load), quality.link_load_max) << spec;
    std::uint64_t sum = 0;
    std::uint64_t lanes = 0;
    for (const std::uint64_t load : usage.load) sum += load;
    for (const LaneUse& lane : usage.lanes) lanes += lane.hops;
    EXPECT_NEAR(static_cast<double>(sum) / fabric.channel_count(), quality.link_load_mean, 1e-9);
    EXPECT_EQ(lanes, sum) << spec;
    for (const unsigned threads : {2u, 16u}) {
      const Usage other = count_usage(fabric, *routes, threads);
      EXPECT_EQ(other.load, usage.load) << spec;
      for (std::size_t vl = 0; vl < 16; ++vl)
        EXPECT_EQ(other.lanes[vl].hops, usage.lanes[vl].hops) << spec;
    }
  }
}

TEST(PackedTables, HoldThePortsAndSlsOfEachDestination) {
  const Fabric fabric = fabric_of("torus:4x4,hosts=5");  // 80 hosts are in two chunks of 64
  const auto routes = route_dfsssp(fabric, {});
  ASSERT_TRUE(routes);
  const PackedTables tables = pack_tables(fabric, *routes, 2);
  const auto lids = host_lids(fabric);
  ASSERT_EQ(lids.size(), 80u);
  ASSERT_EQ(tables.chunks.size(), 2u);
  ASSERT_TRUE(tables.with_sl);
  for (std::size_t i = 0; i < lids.size(); ++i) {
    const std::size_t in_chunk = i < 64 ? 64 : 16;
    const auto bytes = unpacked(tables.chunks[i / 64], in_chunk * 32);
    ASSERT_EQ(bytes.size(), in_chunk * 32);
    const SwitchId to = fabric.endport(fabric.endport_of(lids[i])).sw;
    for (std::uint32_t s = 0; s < 16; ++s) {
      EXPECT_EQ(bytes[i % 64 * 32 + s], routes->lfts.port(SwitchId(s), lids[i]).value());
      EXPECT_EQ(bytes[i % 64 * 32 + 16 + s], routes->path_sl.sl(SwitchId(s), to, lids[i]).value());
    }
  }
}

TEST(PackedTables, AreEmptyWithAFlagIfTooLarge) {
  const Fabric fabric = fabric_of("torus:4x4,hosts=5");
  const PackedTables tables = pack_tables(fabric, minhop(fabric), 2, 100);
  EXPECT_TRUE(tables.too_large);
  EXPECT_TRUE(tables.chunks.empty());
}

TEST(Traffic, HasABandwidthAndADelayOfEachRun) {
  const Fabric fabric = fabric_of("fattree2:k=4");
  const Routes routes = minhop(fabric);
  TrafficSpec spec;
  spec.pattern = *parse_traffic("tree+bisect");
  spec.pattern.first_ranks = 4;
  spec.runs = 30;
  const auto traffic = simulate_traffic(fabric, routes.lfts, spec, 2);
  ASSERT_TRUE(traffic);
  EXPECT_EQ(traffic->bandwidths.size(), 30u);
  EXPECT_EQ(traffic->delays.size(), 30u);
  EXPECT_EQ(traffic->beside, "bisect");
  EXPECT_EQ(traffic->flows.size(), fabric.channel_count());
  EXPECT_GT(*std::ranges::max_element(traffic->flows), 0u);
  EXPECT_EQ(parse_traffic("tree+nonsense").error().code, Code::kUsage);
  EXPECT_EQ(parse_traffic("").error().code, Code::kUsage);
}

TEST(Page, IsEqualForAnyNumberOfThreads) {
  const Fabric fabric = fabric_of("torus:4x4,hosts=2");
  const Layout layout = lay_out(make_switch_graph(fabric));
  const auto page = [&](unsigned threads) {
    auto routes = route_dfsssp(fabric, {});
    return html_page(report_of(fabric, std::move(*routes), threads), layout);
  };
  const std::string one = page(1);
  EXPECT_EQ(page(2), one);
  EXPECT_EQ(page(16), one);
}

std::string data_block(const std::string& page) {
  const std::string open = "<script type=\"application/json\" id=\"data\">";
  const std::size_t begin = page.find(open) + open.size();
  return page.substr(begin, page.find("</script>", begin) - begin);
}

TEST(Page, EmbedsDataAsJsonForAnyNames) {
  Tiny tiny(2);
  tiny.link(0, 1).hosts(0, 2).hosts(1);
  tiny.builder().node(0).description = "</script><script>alert(1)</script><!--";
  tiny.builder().node(1).description = "\xFF{{data}}\"\\";
  const Fabric fabric = tiny.build();
  const Layout layout = lay_out(make_switch_graph(fabric));
  const Report report = report_of(fabric, minhop(fabric), 1);
  const std::string page = html_page(report, layout);
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
  EXPECT_EQ(page.find("<!--"), std::string::npos);
  const auto data = nlohmann::ordered_json::parse(data_block(page));
  EXPECT_EQ(data, nlohmann::ordered_json::parse(to_text(page_data(report, layout))));
  EXPECT_EQ(data["switches"]["name"][0], fabric.node(SwitchId(0)).description);
  EXPECT_EQ(data["runs"][0]["load"].size(), 2u);  // both directions of one cable
  EXPECT_EQ(data["what_if"]["rows"].size(), 0u);
}

TEST(Page, ReportsCutPairsAndCreditLoops) {
  const Fabric fabric = fabric_of("ring:n=6,hosts=2");
  Report report = report_of(fabric, minhop(fabric), 1);
  WhatIfRow row;
  row.name = "both directions of one cable";
  row.channels = {fabric.channel(ChannelId(0)).reverse};
  row.pairs_cut = 5;
  report.what_if = {row};
  report.what_if_of = "minhop";
  const auto data = page_data(report, lay_out(make_switch_graph(fabric)));
  EXPECT_EQ(data["what_if"]["rows"][0]["cables"], nlohmann::ordered_json::array({0}));
  EXPECT_EQ(data["what_if"]["rows"][0]["pairs_cut"], 5);
  const auto& loop = data["runs"][0]["verify"]["credit_loop"];
  ASSERT_EQ(loop.size(), 6u);
  for (std::size_t i = 0; i < loop.size();
       ++i) {  // each channel ends where the next channel begins
    const auto end = [&](std::size_t hop, bool head) {
      const auto cable = loop[hop]["cable"].get<std::size_t>();
      const bool back = loop[hop]["back"].get<bool>();
      return data["cables"][head == back ? "a" : "b"][cable].get<int>();
    };
    EXPECT_EQ(end(i, true), end((i + 1) % 6, false));
  }
}

// An axis with one value in each band has no label at its end.
TEST(Plots, DelaysBeyondTheNumberOfBandsHaveLabelsAtTheStartOfBands) {
  const Fabric fabric = fabric_of("ring:n=4,hosts=1");
  Report report = report_of(fabric, minhop(fabric), 1);
  const auto plot_of = [&](double delay) {
    report.runs[0].traffic[0].delays = {0, delay};
    for (Picture& picture : plots_of(report))
      if (picture.file.starts_with("delay")) return picture.svg.finish(false);
    return std::string();
  };
  const auto has_label = [](const std::string& svg, const char* number) {
    return svg.find(fmt::format(">{}</text>", number)) != std::string::npos;
  };
  const std::string few = plot_of(40);
  EXPECT_TRUE(has_label(few, "45")) << few;
  EXPECT_FALSE(has_label(few, "50")) << few;
  const std::string many = plot_of(90);
  EXPECT_TRUE(has_label(many, "100")) << many;
}

TEST(Page, ReportsTheReasonOfAFailedRun) {
  const Fabric fabric = fabric_of("ring:n=4,hosts=1");
  Report report;
  report.fabric = fabric;
  ReportRun failed;
  failed.name = "ftree";
  failed.reason = "not a <tree>";
  report.runs.push_back(failed);
  const auto data = page_data(report, lay_out(make_switch_graph(fabric)));
  EXPECT_FALSE(data["runs"][0]["served"].get<bool>());
  EXPECT_EQ(data["runs"][0]["reason"], "not a <tree>");
}

TEST(Page, FailsIfTheStatusOfTheConversionToPngIsUnknown) {
  const Fabric fabric = fabric_of("ring:n=4,hosts=1");
  const TempDir dir;
  const std::string program = dir / "rsvg-convert";
  ASSERT_TRUE(write_file(program, "#!/bin/sh\nexit 0\n"));
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const std::string path = ::getenv("PATH");
  ::setenv("PATH", (dir.path() + ":" + path).c_str(), 1);
  const auto write = [&] {
    return write_report(report_of(fabric, minhop(fabric), 1), lay_out(make_switch_graph(fabric)),
                        dir / "report", {.png = true});
  };
  EXPECT_TRUE(write());
  const auto old = std::signal(SIGCHLD, SIG_IGN);  // the kernel then keeps no status of a child
  const Status status = write();
  std::signal(SIGCHLD, old);
  ::setenv("PATH", path.c_str(), 1);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "cannot wait for rsvg-convert: No child processes");
}

TEST(Page, SupportsFabricsWithoutHosts) {
  for (const Fabric& fabric : {Tiny(1).build(), Tiny(2).link(0, 1).build()}) {
    Report report;
    report.fabric = fabric;
    const Layout layout = lay_out(make_switch_graph(fabric));
    EXPECT_NE(html_page(report, layout).find("</html>"), std::string::npos);
  }
}

}  // namespace
}  // namespace weft
