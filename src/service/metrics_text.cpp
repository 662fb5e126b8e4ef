#include "service/metrics_text.h"

#include <fmt/format.h>

#include <cmath>

namespace weft {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

/// Bytes of the UTF-8 character that a text begins with; 0: it begins with none.
std::size_t character_at(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < size) return 0;
  for (std::size_t i = 1; i < size; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  // Overlong forms, surrogates, and what lies beyond Unicode.
  if ((first == 0xE0 && byte(1) < 0xA0) || (first == 0xED && byte(1) > 0x9F) ||
      (first == 0xF0 && byte(1) < 0x90) || (first == 0xF4 && byte(1) > 0x8F))
    return 0;
  return size;
}

std::string number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  return fmt::format("{}", value);
}

std::string_view name(MetricText::Type type) {
  switch (type) {
    case MetricText::Type::kCounter:
      return "counter";
    case MetricText::Type::kGauge:
      return "gauge";
    case MetricText::Type::kHistogram:
      return "histogram";
  }
  return "untyped";
}

}  // namespace

std::string escaped_label(std::string_view value) {
  std::string text;
  text.reserve(value.size());
  while (!value.empty()) {
    const std::size_t size = character_at(value);
    if (size == 0) {
      text += kReplacement;
    } else if (value.front() == '\n') {
      text += "\\n";
    } else {
      if (value.front() == '\\' || value.front() == '"') text += '\\';
      text += value.substr(0, size);
    }
    value.remove_prefix(size == 0 ? 1 : size);
  }
  return text;
}

void MetricText::family(std::string_view family, Type type, std::string_view help) {
  name_ = family;
  text_ += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name_, help, name_, name(type));
}

void MetricText::line(std::string_view suffix, MetricLabels labels, std::string_view le,
                      std::string_view value) {
  text_.append(name_).append(suffix);
  char before = '{';
  const auto add = [&](std::string_view label, std::string_view what) {
    text_ += before;
    text_.append(label).append("=\"").append(escaped_label(what)).append("\"");
    before = ',';
  };
  for (const auto& [label, what] : labels) add(label, what);
  if (!le.empty()) add("le", le);
  if (before == ',') text_ += '}';
  text_.append(" ").append(value).append("\n");
}

void MetricText::sample(MetricLabels labels, std::uint64_t value) {
  line("", labels, "", fmt::format("{}", value));
}

void MetricText::sample(MetricLabels labels, double value) { line("", labels, "", number(value)); }

void MetricText::histogram(MetricLabels labels, std::span<const double> bounds,
                           std::span<const std::uint64_t> counts, double sum) {
  std::uint64_t below = 0;
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    below += counts[i];
    line("_bucket", labels, number(bounds[i]), fmt::format("{}", below));
  }
  below += counts[bounds.size()];
  line("_bucket", labels, "+Inf", fmt::format("{}", below));
  line("_sum", labels, "", number(sum));
  line("_count", labels, "", fmt::format("{}", below));
}

}  // namespace weft
