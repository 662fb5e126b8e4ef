// The text format of Prometheus (version 0.0.4), written straight from what a snapshot says. A
// client library (prometheus-cpp) keeps registries of live objects that somebody must set; our
// figures are published values already, and the format is lines.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace weft {

using MetricLabel = std::pair<std::string_view, std::string_view>;
using MetricLabels = std::initializer_list<MetricLabel>;

class MetricText {
 public:
  enum class Type { kCounter, kGauge, kHistogram };

  /// HELP and TYPE; the samples of the family follow.
  void family(std::string_view name, Type type, std::string_view help);
  /// Of the family that was named last.
  void sample(MetricLabels labels, std::uint64_t value);
  void sample(MetricLabels labels, double value);
  /// With labels as rendered() made them: who has many samples of the same labels makes those once.
  void sample(const std::string& labels, std::uint64_t value);
  static std::string rendered(MetricLabels labels);
  /// `counts` up to each bound, beyond the one before, and beyond all.
  void histogram(MetricLabels labels, std::span<const double> bounds,
                 std::span<const std::uint64_t> counts, double sum);

  /// Whole families that were made before.
  void add(std::string_view families) { text_ += families; }

  const std::string& text() const { return text_; }
  std::string take() { return std::move(text_); }

 private:
  template <class Value>
  void line(std::string_view suffix, MetricLabels labels, std::string_view le, Value value);
  std::string name_;
  std::string text_;
};

/// What stands between the quotes of a label's value: names come from nodes and may hold any bytes.
/// What is no UTF-8 is replaced.
std::string escaped_label(std::string_view value);

}  // namespace weft
