// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "report/drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "fabric/aggregation.h"
#include "report/palette.h"

namespace weft {
namespace {

constexpr double kDrawingWidth = 1200;
constexpr double kHeightMost = 900;
constexpr double kPictureMargin = 20;
constexpr double kHead = 44;

/// A drawn element: a switch, or a box of switches in a large fabric.
struct Spot {
  double x = 0, y = 0, width = 0, height = 0;
  std::string name;
  std::string text;
};

/// All cables between two spots.
struct Strand {
  std::uint64_t most = 0;  // highest load of a channel
  std::uint32_t cables = 0;
  bool bow = false;  // drawn as a curve
};

std::string counts(const LayoutBox& box) {
  std::string text = fmt::format("{} switch{}", box.switches, box.switches == 1 ? "" : "es");
  if (box.hosts > 0) text += fmt::format(", {} host{}", box.hosts, box.hosts == 1 ? "" : "s");
  return text;
}

std::vector<Spot> spots_of(const Fabric& fabric, const Layout& layout) {
  std::vector<Spot> spots;
  if (layout.boxed) {
    for (const LayoutBox& box : layout.boxes)
      spots.push_back({box.x + box.width / 2, box.y + box.height / 2, box.width, box.height,
                       (box.label.empty() ? "box" : box.label) + ": " + counts(box),
                       std::to_string(box.switches)});
    return spots;
  }
  const std::vector<std::uint32_t> hosts_at = traffic_ports_by_switch(fabric);
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    const std::uint32_t hosts = hosts_at[s];
    spots.push_back({layout.x[s],
                     layout.y[s],
                     0,
                     0,
                     fmt::format("{}, {} host{}", describe(fabric.node(SwitchId(s))), hosts,
                                 hosts == 1 ? "" : "s"),
                     {}});
  }
  return spots;
}

using Strands = std::map<std::pair<std::uint32_t, std::uint32_t>, Strand>;

Strands strands_of(const Fabric& fabric, const Layout& layout, const DrawnLoad& load) {
  Strands strands;
  for (std::uint32_t c = 0; c < fabric.channel_count(); ++c) {
    const Channel& channel = fabric.channel(ChannelId(c));
    const bool boxed = layout.boxed;
    const std::uint32_t from = channel.from.value();
    const std::uint32_t to = channel.to.value();
    const std::uint32_t a = boxed ? layout.box[from] : from;
    const std::uint32_t b = boxed ? layout.box[to] : to;
    if (a == b) continue;
    Strand& strand = strands[{std::min(a, b), std::max(a, b)}];
    strand.most = std::max(strand.most, load.values[c]);
    strand.cables += a < b ? 1 : 0;
    strand.bow |= closes_ring(layout, from, to);
  }
  return strands;
}

/// Draws the colour scale from low to high, with the numbers at its ends.
void legend(Svg& svg, std::uint64_t most, std::string_view name) {
  constexpr double kLength = 180;
  constexpr int kParts = 36;
  const double left = kDrawingWidth - kPictureMargin - kLength - 60;
  for (int i = 0; i < kParts; ++i)
    svg.rect(left + kLength / kParts * i, 14, kLength / kParts + 0.5, 10,
             load_colour(static_cast<double>(i) / (kParts - 1)));
  svg.text(left - 6, 23, "0", {.anchor = "end", .size = 11});
  svg.text(left + kLength + 6, 23, short_count(static_cast<double>(most)), {.size = 11});
  svg.text(left + kLength / 2, 38, name, {.anchor = "middle", .size = 11});
}

}  // namespace

Svg draw_fabric(std::string_view title, const Fabric& fabric, const Layout& layout,
                const DrawnLoad& load) {
  const double names = layout.labels.empty() ? 0 : 80;
  const double wide = std::max(layout.width, 1.0);
  const double high = std::max(layout.height, 1.0);
  const double scale = std::min({(kDrawingWidth - 2 * kPictureMargin - names) / wide,
                                 (kHeightMost - kHead - kPictureMargin) / high, 60.0});
  const double left = names + (kDrawingWidth - names - wide * scale) / 2;
  Svg svg(kDrawingWidth, kHead + high * scale + kPictureMargin, title);
  svg.text(kPictureMargin, 20, title, {.size = 14, .bold = true});
  svg.text(kPictureMargin, 37, layout.about, {.size = 12, .opacity = 0.75});
  const auto at_x = [&](double x) { return left + x * scale; };
  const auto at_y = [&](double y) { return kHead + y * scale; };

  const Strands strands = strands_of(fabric, layout, load);
  const auto spots = spots_of(fabric, layout);
  std::uint64_t most = 0;
  for (const auto& [ends, strand] : strands) most = std::max(most, strand.most);
  legend(svg, most, load.name);
  std::vector<Strands::const_iterator> order;
  for (auto at = strands.begin(); at != strands.end(); ++at) order.push_back(at);
  std::ranges::stable_sort(order, {}, [](const auto& at) { return at->second.most; });
  const double opacity = order.size() > 3000 ? 0.35 : order.size() > 600 ? 0.6 : 0.85;
  for (const auto& at : order) {
    const auto& [ends, strand] = *at;
    const Spot& a = spots[ends.first];
    const Spot& b = spots[ends.second];
    const double part =
        most == 0 ? 0 : static_cast<double>(strand.most) / static_cast<double>(most);
    const std::string colour = strand.most == 0 ? "#b8b8b8" : load_colour(part);
    const double width = std::min(0.6 + 0.4 * strand.cables, 4.0);
    const std::string tip = fmt::format("{} - {}: {} cable{}, highest load {}", a.name, b.name,
                                        strand.cables, strand.cables == 1 ? "" : "s", strand.most);
    if (strand.bow)
      svg.bow(at_x(a.x), at_y(a.y), at_x(b.x), at_y(b.y), 0.12, colour, width, opacity * 0.7, tip);
    else
      svg.line(at_x(a.x), at_y(a.y), at_x(b.x), at_y(b.y), colour, width, opacity, tip);
  }
  const std::vector<std::uint32_t> hosts_at = traffic_ports_by_switch(fabric);
  const double radius = std::clamp(scale * 0.3, 1.5, 9.0);
  for (std::uint32_t i = 0; i < spots.size(); ++i) {
    const Spot& spot = spots[i];
    if (spot.width == 0) {
      svg.circle(at_x(spot.x), at_y(spot.y), radius, hosts_at[i] > 0 ? "#333333" : "#8a8a8a",
                 spot.name);
      continue;
    }
    svg.rect(at_x(spot.x - spot.width / 2), at_y(spot.y - spot.height / 2), spot.width * scale,
             spot.height * scale, "#e8e8e8", spot.name);
    svg.text(at_x(spot.x), at_y(spot.y) + 4, spot.text, {.anchor = "middle", .size = 11});
  }
  for (const LayoutLabel& label : layout.labels)
    svg.text(at_x(label.x) - 6, at_y(label.y) + 4, label.text, {.anchor = "end", .size = 11});
  return svg;
}

}  // namespace weft
