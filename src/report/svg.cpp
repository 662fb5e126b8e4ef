// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "report/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/palette.h"

namespace weft {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

/// Length of the UTF-8 sequence of the first character of `text`; 0 if it is no valid XML
/// character.
std::size_t character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return first >= 0x20 || first == '\t' || first == '\n' || first == '\r' ? 1 : 0;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  std::uint32_t code = first & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3F);
  }
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code < 0xE000;
  if (code < kLeast[length] || code > 0x10FFFF || surrogate || code == 0xFFFE || code == 0xFFFF)
    return 0;
  return length;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string safe;
  safe.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = character(text);
    switch (text[0]) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      case '\'':
        safe += "&#39;";
        break;
      default:
        safe += length == 0 ? kReplacement : text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return safe;
}

std::string short_number(double value) {
  std::string text = fmt::format("{:.2f}", value);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string short_count(double value) {
  if (value >= 1e7) return short_number(value / 1e6) + "M";
  if (std::abs(value) < 1000) return short_number(value);
  std::string text = fmt::format("{:.0f}", value);
  for (std::size_t i = text.size() - 3; i > 0 && i < text.size(); i -= std::min<std::size_t>(3, i))
    text.insert(i, ",");
  return text;
}

std::string load_colour(double part) {
  const double at = (1 - std::clamp(part, 0.0, 1.0)) * 0.92 * (kLoadColours.size() - 1);
  const auto low = std::min(static_cast<std::size_t>(at), kLoadColours.size() - 2);
  std::string colour = "#";
  for (const std::size_t channel : {1u, 3u, 5u}) {
    const auto value = [&](std::size_t stop) {
      return std::stoi(std::string(kLoadColours[stop].substr(channel, 2)), nullptr, 16);
    };
    const double mixed =
        value(low) + (value(low + 1) - value(low)) * (at - static_cast<double>(low));
    colour += fmt::format("{:02x}", std::lround(mixed));
  }
  return colour;
}

Svg::Svg(double width, double height, std::string_view title)
    : width_(width), height_(height), title_(escaped(title)) {}

void Svg::element(std::string start, std::string_view tip) {
  if (tip.empty()) {
    body_ += start + "/>\n";
  } else {
    const std::string name = start.substr(1, start.find(' ') - 1);
    body_ += fmt::format("{}><title>{}</title></{}>\n", start, escaped(tip), name);
  }
}

void Svg::rect(double x, double y, double width, double height, std::string_view fill,
               std::string_view tip, double opacity) {
  element(fmt::format(R"(<rect x="{}" y="{}" width="{}" height="{}" fill="{}"{})", short_number(x),
                      short_number(y), short_number(width), short_number(height), fill,
                      opacity < 1 ? fmt::format(R"( fill-opacity="{}")", opacity) : ""),
          tip);
}

void Svg::frame(double x, double y, double width, double height, double radius) {
  element(fmt::format(R"(<rect x="{}" y="{}" width="{}" height="{}" rx="{}" fill="currentColor" )"
                      R"(fill-opacity="0.05" stroke="currentColor" stroke-opacity="0.3")",
                      short_number(x), short_number(y), short_number(width), short_number(height),
                      short_number(radius)),
          {});
}

void Svg::line(double x1, double y1, double x2, double y2, std::string_view stroke, double width,
               double opacity, std::string_view tip) {
  element(fmt::format(R"(<line x1="{}" y1="{}" x2="{}" y2="{}" stroke="{}" stroke-width="{}"{})",
                      short_number(x1), short_number(y1), short_number(x2), short_number(y2),
                      stroke, short_number(width),
                      opacity < 1 ? fmt::format(R"( stroke-opacity="{}")", opacity) : ""),
          tip);
}

void Svg::bow(double x1, double y1, double x2, double y2, double bend, std::string_view stroke,
              double width, double opacity, std::string_view tip) {
  const double x = (x1 + x2) / 2 - (y2 - y1) * bend;
  const double y = (y1 + y2) / 2 + (x2 - x1) * bend;
  element(fmt::format(R"(<path d="M{} {}Q{} {} {} {}" fill="none" stroke="{}" stroke-width="{}" )"
                      R"(stroke-opacity="{}")",
                      short_number(x1), short_number(y1), short_number(x), short_number(y),
                      short_number(x2), short_number(y2), stroke, short_number(width), opacity),
          tip);
}

void Svg::circle(double x, double y, double radius, std::string_view fill, std::string_view tip) {
  element(fmt::format(R"(<circle cx="{}" cy="{}" r="{}" fill="{}")", short_number(x),
                      short_number(y), short_number(radius), fill),
          tip);
}

void Svg::steps(const std::vector<std::pair<double, double>>& points, std::string_view stroke,
                double width, std::string_view tip) {
  std::string list;
  for (const auto& [x, y] : points)
    list += fmt::format("{}{},{}", list.empty() ? "" : " ", short_number(x), short_number(y));
  element(fmt::format(R"(<polyline points="{}" fill="none" stroke="{}" stroke-width="{}" )"
                      R"(stroke-linejoin="round")",
                      list, stroke, short_number(width)),
          tip);
}

void Svg::text(double x, double y, std::string_view text, const TextStyle& style) {
  std::string rotation;
  if (style.rotation != 0)
    rotation = fmt::format(R"x( transform="rotate({} {} {})")x", short_number(style.rotation),
                           short_number(x), short_number(y));
  body_ += fmt::format(
      R"(<text x="{}" y="{}" text-anchor="{}" font-size="{}" fill="currentColor"{}{}{}>{}</text>)",
      short_number(x), short_number(y), style.anchor, short_number(style.size),
      style.bold ? R"( font-weight="600")" : "",
      style.opacity < 1 ? fmt::format(R"( fill-opacity="{}")", style.opacity) : "", rotation,
      escaped(text));
  body_ += '\n';
}

std::string Svg::finish(bool standalone) const {
  std::string svg;
  if (standalone) svg += "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  const std::string width = short_number(width_);
  const std::string height = short_number(height_);
  svg += fmt::format(R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {} {}" {} )", width,
                     height,
                     standalone ? fmt::format(R"(width="{}" height="{}")", width, height)
                                : std::string(R"(class="plot")"));
  svg += fmt::format(
      "font-family=\"system-ui, 'DejaVu Sans', sans-serif\" role=\"img\">\n"
      "<title>{}</title>\n",
      title_);
  if (standalone)
    svg += fmt::format("<rect width=\"{}\" height=\"{}\" fill=\"#ffffff\"/>\n", width, height);
  return svg + body_ + "</svg>\n";
}

}  // namespace weft
