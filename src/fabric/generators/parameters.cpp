// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fabric/generators/parameters.h"

#include <algorithm>
#include <array>

#include "base/check.h"
#include "base/text.h"

namespace weft {
namespace {

constexpr std::array kCommon{
    Parameter{"radix", "ports of every switch", 1, 254, "as many as the topology needs"},
    Parameter{"planes", "copies of the fabric; each port of a host becomes one port in each copy",
              1, 16, "1"},
    Parameter{"plane_down", "plane without switches; 0: none", 0, 16, "0"},
    Parameter{"fnm",
              "1: two fabric-management (FNM) ports of each switch connect its copies in a ring", 0,
              1, "0"},
    Parameter{"dead", "switches removed, with their hosts", 0, 4'096, "0"},
    Parameter{"fail", "cables removed between switches", 0, 1'000'000, "0"},
    Parameter{"connected", "1: the remaining switches stay connected; 0: they may be disconnected",
              0, 1, "1"},
    Parameter{"seed", "seed of all random choices", 0, ~std::uint64_t{0}, "0"},
    Parameter{"speed", "speed of every cable", 0, 0, "EDR", Parameter::Kind::kSpeed},
    Parameter{"width", "width of every cable", 0, 0, "4x", Parameter::Kind::kWidth},
    Parameter{"split", "1: every cage has two ports of width 2x", 0, 1, "0"},
};
constexpr unsigned kDimensionSizeMax = 49'151;
constexpr std::size_t kListMax = 16;
constexpr std::string_view kSpeeds = "SDR, DDR, QDR, FDR10, FDR, EDR, HDR, NDR or XDR";
constexpr std::string_view kWidths = "1x, 2x, 4x, 8x or 12x";

/// Nothing unless the text consists of numbers within the range, separated by x.
std::optional<std::vector<unsigned>> parse_sizes(std::string_view text, std::uint64_t minimum,
                                                 std::uint64_t maximum) {
  std::vector<unsigned> values;
  for (const std::string_view part : split(text, 'x')) {
    const auto value = parse_number<unsigned>(part);
    if (!value || *value < minimum || *value > maximum || values.size() == kListMax) return {};
    values.push_back(*value);
  }
  return values;
}

std::optional<Ratio> parse_ratio(std::string_view text, std::uint64_t minimum,
                                 std::uint64_t maximum) {
  const std::size_t colon = text.find(':');
  const auto above = parse_number<unsigned>(text.substr(0, colon));
  const auto below = colon == std::string_view::npos
                         ? std::optional<unsigned>(1)
                         : parse_number<unsigned>(text.substr(colon + 1));
  const auto good = [&](const std::optional<unsigned>& side) {
    return side && *side >= minimum && *side <= maximum;
  };
  if (!good(above) || !good(below)) return {};
  return Ratio{*above, *below};
}

std::string wanted(const Parameter& parameter) {
  const auto range = fmt::format("{} to {}", parameter.minimum, parameter.maximum);
  switch (parameter.kind) {
    case Parameter::Kind::kNumber:
      return "a number from " + range;
    case Parameter::Kind::kList:
      return fmt::format("up to {} numbers from {} with x between them, such as 4x4x4", kListMax,
                         range);
    case Parameter::Kind::kRatio:
      return "A or A:B, each from " + range;
    case Parameter::Kind::kSpeed:
      return std::string(kSpeeds);
    case Parameter::Kind::kWidth:
      return std::string(kWidths);
  }
  return {};
}

}  // namespace

std::span<const Parameter> common_parameters() { return kCommon; }

const Parameters::Value& Parameters::at(std::string_view key) const {
  const auto found = std::ranges::find_if(
      values_, [&](const Value& value) { return value.parameter->key == key; });
  CHECK(found != values_.end());
  return *found;
}

std::uint64_t Parameters::number64(std::string_view key) const {
  const Value& value = at(key);
  if (value.given) return value.number;
  const auto standard = parse_number<std::uint64_t>(value.parameter->standard);
  CHECK(standard.has_value());
  return *standard;
}

Ratio Parameters::ratio(std::string_view key) const { return at(key).ratio; }

tl::unexpected<Error> Parameters::refuse(std::string_view key, std::string_view found,
                                         std::string_view want) const {
  const Value& value = at(key);
  return fail(Code::kUsage, "{}: column {}: found {}, expected {}", spec_,
              value.given ? value.column : first_column_, found, want);
}

tl::unexpected<Error> Parameters::refuse(std::string_view found, std::string_view want) const {
  return fail(Code::kUsage, "{}: column {}: found {}, expected {}", spec_, first_column_, found,
              want);
}

/// Parses the parts of a spec, one member function for each kind of part.
class ParameterParser {
 public:
  ParameterParser(std::string_view spec, std::size_t begin, std::span<const Parameter> own)
      : spec_(spec), begin_(begin) {
    for (const auto& list : {own, std::span<const Parameter>(kCommon)})
      for (const Parameter& parameter : list)
        if (!is_declared(parameter.key)) result_.values_.emplace_back().parameter = &parameter;
    result_.spec_ = spec;
    result_.first_column_ = begin + 1;
  }

  Result<Parameters> parse(unsigned dimensions_max) {
    std::size_t offset = begin_;
    const std::string_view text = spec_.substr(begin_);
    const std::vector<std::string_view> parts =
        text.empty() ? std::vector<std::string_view>{} : split(text, ',');
    if (dimensions_max > 0)
      if (auto status = read_dimensions(parts.empty() ? "" : parts[0], dimensions_max); !status)
        return forward(status);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const bool is_dimensions = i == 0 && dimensions_max > 0;
      if (!is_dimensions)
        if (auto status = read_pair(parts[i], offset + 1); !status) return forward(status);
      offset += parts[i].size() + 1;
    }
    return std::move(result_);
  }

 private:
  tl::unexpected<Error> refuse(std::size_t column, std::string_view found,
                               std::string_view want) const {
    return fail(Code::kUsage, "{}: column {}: found {}, expected {}", spec_, column, found, want);
  }

  /// A generator's own parameter replaces a common one.
  bool is_declared(std::string_view key) const {
    return std::ranges::any_of(result_.values_, [&](const Parameters::Value& known) {
      return known.parameter->key == key;
    });
  }

  Status read_dimensions(std::string_view part, unsigned dimensions_max) {
    const auto sizes = parse_sizes(part, 1, kDimensionSizeMax);
    if (!sizes || sizes->size() > dimensions_max)
      return refuse(begin_ + 1, fmt::format("'{}'", part),
                    fmt::format("1 to {} sizes from 1 to {}, such as 6x6x6", dimensions_max,
                                kDimensionSizeMax));
    result_.dimensions_ = *sizes;
    return {};
  }

  Status read_pair(std::string_view part, std::size_t column) {
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos)
      return refuse(column, fmt::format("'{}'", part),
                    fmt::format("KEY=VALUE with a KEY of: {}", known_keys()));
    const std::string_view key = part.substr(0, equals);
    const auto value = std::ranges::find_if(result_.values_, [&](const Parameters::Value& known) {
      return known.parameter->key == key;
    });
    if (value == result_.values_.end())
      return refuse(column, fmt::format("parameter '{}'", key), "one of: " + known_keys());
    if (value->given) return refuse(column, fmt::format("{} a second time", key), "it once");
    value->given = true;
    value->column = column;
    if (!read_value(*value, part.substr(equals + 1)))
      return refuse(column, part, wanted(*value->parameter));
    return {};
  }

  bool read_value(Parameters::Value& value, std::string_view text) {
    const Parameter& parameter = *value.parameter;
    const auto store = [](const auto& parsed, auto& place) {
      if (parsed) place = *parsed;
      return parsed.has_value();
    };
    switch (parameter.kind) {
      case Parameter::Kind::kNumber:
        return store(parse_number<std::uint64_t>(text), value.number) &&
               value.number >= parameter.minimum && value.number <= parameter.maximum;
      case Parameter::Kind::kList:
        return store(parse_sizes(text, parameter.minimum, parameter.maximum), value.list);
      case Parameter::Kind::kRatio:
        return store(parse_ratio(text, parameter.minimum, parameter.maximum), value.ratio);
      case Parameter::Kind::kSpeed:
        return store(parse_link_speed(text), result_.speed_);
      case Parameter::Kind::kWidth:
        return store(parse_link_width(text), result_.width_);
    }
    return false;
  }

  std::string known_keys() const {
    std::string text;
    for (const Parameters::Value& value : result_.values_)
      text += fmt::format("{}{}", text.empty() ? "" : ", ", value.parameter->key);
    return text;
  }

  std::string_view spec_;
  std::size_t begin_;
  Parameters result_;
};

Result<Parameters> parse_parameters(std::string_view spec, std::size_t begin,
                                    std::span<const Parameter> own, unsigned dimensions_max) {
  return ParameterParser(spec, begin, own).parse(dimensions_max);
}

std::string help_line(const Parameter& parameter) {
  std::string range;
  switch (parameter.kind) {
    case Parameter::Kind::kNumber:
      range = parameter.maximum == ~std::uint64_t{0}
                  ? fmt::format("from {} on", parameter.minimum)
                  : fmt::format("{} to {}", parameter.minimum, parameter.maximum);
      break;
    case Parameter::Kind::kList:
      range = fmt::format("each {} to {}", parameter.minimum, parameter.maximum);
      break;
    case Parameter::Kind::kRatio:
      range = fmt::format("A or A:B, each {} to {}", parameter.minimum, parameter.maximum);
      break;
    case Parameter::Kind::kSpeed:
      range = kSpeeds;
      break;
    case Parameter::Kind::kWidth:
      range = kWidths;
      break;
  }
  constexpr std::array kPlaceholders{"N", "AxB", "A:B", "S", "W"};
  const std::string left = fmt::format("{}={}", parameter.key,
                                       kPlaceholders.at(static_cast<std::size_t>(parameter.kind)));
  return fmt::format("{:<14} {} ({}; default {})", left, parameter.summary, range,
                     parameter.standard);
}

}  // namespace weft
