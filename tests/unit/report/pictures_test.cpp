// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// SVG, axes and plots: SVG is well-formed for any names, and elements are at the positions of their
// values.

#include <gtest/gtest.h>

#include <regex>

#include "report/drawing.h"
#include "report/palette.h"
#include "report/plots.h"
#include "support/tiny.h"

namespace weft {
namespace {

std::size_t count(const std::string& text, const std::string& word) {
  std::size_t found = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
    ++found;
  return found;
}

TEST(Escaped, ReplacesMarkup) {
  EXPECT_EQ(escaped("<b a=\"x\" c='y'>&amp;"), "&lt;b a=&quot;x&quot; c=&#39;y&#39;&gt;&amp;amp;");
  EXPECT_EQ(escaped("plain caf\xC3\xA9 \xF0\x9F\xA6\x80"), "plain caf\xC3\xA9 \xF0\x9F\xA6\x80");
}

TEST(Escaped, ReplacesInvalidXmlText) {
  const std::string bad = "\xEF\xBF\xBD";
  EXPECT_EQ(escaped(std::string("a\0b\x1F", 4)), "a" + bad + "b" + bad);
  EXPECT_EQ(escaped("\xC3"), bad);                      // truncated sequence
  EXPECT_EQ(escaped("\xC0\x80"), bad + bad);            // overlong encoding
  EXPECT_EQ(escaped("\xED\xA0\x80"), bad + bad + bad);  // a surrogate
  EXPECT_EQ(escaped("\xEF\xBF\xBF"), bad + bad + bad);  // U+FFFF
  EXPECT_EQ(escaped("\xF5\x80\x80\x80"), bad + bad + bad + bad);
}

TEST(Numbers, HaveFewDigits) {
  EXPECT_EQ(short_number(1), "1");
  EXPECT_EQ(short_number(0.5), "0.5");
  EXPECT_EQ(short_number(-0.001), "0");
  EXPECT_EQ(short_count(999), "999");
  EXPECT_EQ(short_count(1000), "1,000");
  EXPECT_EQ(short_count(123456), "123,456");
  EXPECT_EQ(short_count(1234567), "1,234,567");
  EXPECT_EQ(short_count(25'000'000), "25M");
}

TEST(Ticks, AreRoundAndReachTheMaximum) {
  EXPECT_EQ(ticks_to(10, 5), (std::vector<double>{0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(ticks_to(1016, 5), (std::vector<double>{0, 500, 1000, 1500}));
  EXPECT_EQ(ticks_to(0, 5), (std::vector<double>{0, 1}));
  for (const double most : {1.0, 3.0, 7.0, 99.0, 1e6, 12345678.0}) {
    const auto ticks = ticks_to(most, 5);
    EXPECT_GE(ticks.back(), most * 0.999) << most;
    EXPECT_LE(ticks.size(), 8u) << most;
  }
}

TEST(Axis, ContainsBothEndsInRoundSteps) {
  const Axis axis = axis_around("", 0.56, 0.65, 0.01);
  EXPECT_NEAR(axis.least, 0.56, 1e-9);
  EXPECT_NEAR(axis.most, 0.66, 1e-9);
  for (const auto& [least, most] : {std::pair{9.0, 16.0}, {3.0, 31.0}, {0.0, 1.0}, {17.0, 900.0}}) {
    const Axis found = axis_around("", least, most, 1);
    EXPECT_LE(found.least, least);
    EXPECT_GE(found.most, most);
  }
}

TEST(Histogram, HasABarForEachNonemptyBin) {
  const std::string svg =
      histogram("t", {"x", 0, 1}, "y", {{"a", "#111111", {0, 4, 2}}, {"b", "#222222", {1, 0, 0}}})
          .finish(true);
  EXPECT_EQ(count(svg, "fill=\"#111111\""), 3u);  // two bars and the legend
  EXPECT_EQ(count(svg, "fill=\"#222222\""), 2u);
}

TEST(Bars, BeginAtTheStartOfTheValue) {
  const std::string svg =
      bars("jobs", {{"a", "#111111", 4, "4 ms"}, {"b", "#222222", 4, "3 ms", 1}}).finish(true);
  std::smatch a, b;
  const std::regex first("<rect x=\"([0-9.]+)\"[^>]* width=\"([0-9.]+)\"[^>]*#111111");
  const std::regex second("<rect x=\"([0-9.]+)\"[^>]* width=\"([0-9.]+)\"[^>]*#222222");
  ASSERT_TRUE(std::regex_search(svg, a, first)) << svg;
  ASSERT_TRUE(std::regex_search(svg, b, second)) << svg;
  EXPECT_NEAR(std::stod(b[1]), std::stod(a[1]) + std::stod(a[2]) / 4, 0.02);
  EXPECT_NEAR(std::stod(b[2]), std::stod(a[2]) * 3 / 4, 0.02);
}

TEST(Histogram, BarHeightsAreProportionalToValues) {
  const std::string svg =
      histogram("t", {"x", 0, 1}, "y", {{"a", "#111111", {5, 10}}}).finish(true);
  const std::regex bar("height=\"([0-9.]+)\" fill=\"#111111\"");
  std::vector<double> heights;
  for (std::sregex_iterator at(svg.begin(), svg.end(), bar), end; at != end; ++at)
    heights.push_back(std::stod((*at)[1]));
  ASSERT_EQ(heights.size(), 2u);
  EXPECT_NEAR(heights[1], 2 * heights[0], 0.02);
}

TEST(LoadColour, IsDarkForHighLoad) {
  EXPECT_EQ(load_colour(1), kLoadColours.front());
  EXPECT_EQ(load_colour(2), load_colour(1));
  EXPECT_NE(load_colour(0), load_colour(0.5));
  const auto green = [](const std::string& colour) {
    return std::stoi(colour.substr(3, 2), nullptr, 16);
  };
  for (double part = 0; part < 0.95; part += 0.1)  // the green part decreases as the load increases
    EXPECT_GE(green(load_colour(part)), green(load_colour(part + 0.1))) << part;
}

// H0 - S0 - S1 - H1 with two cables between S0 and S1, and a cable S0 - S2 without load.
TEST(Drawing, HasALineForEachCabledPairAndADotForEachSwitch) {
  Tiny tiny(3);
  tiny.link(0, 1, 2).link(0, 2).hosts(0).hosts(1);
  tiny.builder().node(0).description = "<S&0>";
  const Fabric fabric = tiny.build();
  const Layout layout = lay_out(make_switch_graph(fabric));
  std::vector<std::uint64_t> load(fabric.channel_count(), 0);
  load[0] = 3;
  const std::string svg = draw_fabric("d", fabric, layout, {"paths", load}).finish(true);
  EXPECT_EQ(count(svg, "<circle"), 3u);
  EXPECT_EQ(count(svg, "<line"), 2u);
  EXPECT_EQ(count(svg, "2 cables, highest load 3"), 1u);
  EXPECT_EQ(count(svg, "<S&0>"), 0u);
  EXPECT_GE(count(svg, "&lt;S&amp;0&gt;"), 1u);
}

TEST(Drawing, NamesABoxWithoutALabelAsABox) {
  Tiny tiny(2);
  tiny.link(0, 1).hosts(0);
  const Fabric fabric = tiny.build();
  Layout layout = lay_out(make_switch_graph(fabric));
  layout.boxed = true;
  layout.boxes = {{0, 0, 1, 1, "", 1, 1}, {2, 0, 1, 1, "top", 1, 0}};
  layout.box = {0, 1};
  const std::vector<std::uint64_t> load(fabric.channel_count(), 0);
  const std::string svg = draw_fabric("d", fabric, layout, {"paths", load}).finish(true);
  EXPECT_GE(count(svg, "box: 1 switch, 1 host"), 1u);
  EXPECT_GE(count(svg, "top: 1 switch"), 1u);
}

}  // namespace
}  // namespace weft
