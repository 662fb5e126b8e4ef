// Writes SVG: shapes and text in order, all text escaped. Colours of text and axes are
// currentColor, so that a picture within a page follows the page, dark or light.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft {

/// For text between tags and in quoted attributes of SVG and HTML: markup becomes entities; what is
/// no UTF-8, or no character of XML, becomes U+FFFD.
std::string escaped(std::string_view text);

/// At most two digits behind the point, none that are not needed.
std::string short_number(double value);
/// 12,345 or 1.2M: for axes and tables.
std::string short_count(double value);

struct TextStyle {
  std::string_view anchor = "start";  // or middle, end
  double size = 12;
  bool bold = false;
  double turn = 0;  // degrees
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
  /// A bow from one end to the other, `bend` times its length to the left.
  void bow(double x1, double y1, double x2, double y2, double bend, std::string_view stroke,
           double width, double opacity, std::string_view tip);
  void circle(double x, double y, double radius, std::string_view fill, std::string_view tip = {});
  void steps(const std::vector<std::pair<double, double>>& points, std::string_view stroke,
             double width, std::string_view tip = {});
  void text(double x, double y, std::string_view text, const TextStyle& style = {});

  /// For a page: a picture as wide as its place. Else a file of its own, on white.
  std::string finish(bool standalone) const;

 private:
  void element(std::string start, std::string_view tip);
  double width_, height_;
  std::string title_;
  std::string body_;
};

}  // namespace weft
