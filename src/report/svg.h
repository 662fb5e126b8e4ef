// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Writes SVG. Shapes and text are drawn in the order of the calls; all text is escaped. Text and
// axes use currentColor, so that pictures in a page follow its dark or light theme.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft {

/// Escapes text for SVG and HTML content and quoted attributes: markup becomes entities; invalid
/// UTF-8 and characters that XML does not allow become U+FFFD.
std::string escaped(std::string_view text);

/// The number with at most two decimals, without trailing zeros.
std::string short_number(double value);
/// The number for axes and tables, such as 12,345; from 10 million on, such as 12.5M.
std::string short_count(double value);

struct TextStyle {
  std::string_view anchor = "start";  // start, middle or end
  double size = 12;
  bool bold = false;
  double rotation = 0;  // rotation in degrees
  double opacity = 1;
};

class Svg {
 public:
  Svg(double width, double height, std::string_view title);

  void rect(double x, double y, double width, double height, std::string_view fill,
            std::string_view tip = {}, double opacity = 1);
  void frame(double x, double y, double width, double height, double radius);
  void line(double x1, double y1, double x2, double y2, std::string_view stroke, double width = 1,
            double opacity = 1, std::string_view tip = {});
  /// A curve from one end to the other; its control point is displaced to the right by `bend` times
  /// the distance of the ends.
  void bow(double x1, double y1, double x2, double y2, double bend, std::string_view stroke,
           double width, double opacity, std::string_view tip);
  void circle(double x, double y, double radius, std::string_view fill, std::string_view tip = {});
  void steps(const std::vector<std::pair<double, double>>& points, std::string_view stroke,
             double width, std::string_view tip = {});
  void text(double x, double y, std::string_view text, const TextStyle& style = {});

  /// Returns the SVG: with the width of its container for a page, or, if `standalone`, with a white
  /// background for a separate file.
  std::string finish(bool standalone) const;

 private:
  void element(std::string start, std::string_view tip);
  double width_, height_;
  std::string title_;
  std::string body_;
};

}  // namespace weft
