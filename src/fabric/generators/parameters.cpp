#include "fabric/generators/parameters.h"

#include <algorithm>
#include <array>

#include "base/check.h"
#include "base/text.h"

namespace weft {
namespace {

constexpr std::array kCommon{
    Parameter{"fail", "cables between switches to cut", 0, 1'000'000, 0},
    Parameter{"dead", "switches to take away, with their hosts", 0, 1'000'000, 0},
    Parameter{"seed", "of everything random", 0, ~std::uint64_t{0}, 0},
    Parameter{"connected", "1: damage never separates hosts; 0: it may", 0, 1, 1},
    Parameter{"radix", "ports of every switch, if more than are needed", 0, 254, 0},
};
constexpr unsigned kDimensionMax = 65'535;

Result<std::vector<unsigned>> parse_list(std::string_view spec, std::size_t column,
                                         std::string_view text) {
  std::vector<unsigned> values;
  for (const std::string_view part : split(text, 'x')) {
    const auto value = parse_number<unsigned>(part);
    if (!value || *value == 0 || *value > kDimensionMax)
      return fail(Code::kUsage, "{}: column {}: found '{}', want sizes such as 6x6x6", spec,
                  column + 1, text);
    values.push_back(*value);
  }
  return values;
}

std::string known_keys(std::span<const Parameter> own) {
  std::string text;
  for (const auto& list : {own, std::span<const Parameter>(kCommon)})
    for (const Parameter& parameter : list)
      text += fmt::format("{}{}", text.empty() ? "" : ", ", parameter.key);
  return text + ", speed, width";
}

}  // namespace

std::span<const Parameter> common_parameters() { return kCommon; }

unsigned Parameters::get(std::string_view key) const { return static_cast<unsigned>(wide(key)); }

std::uint64_t Parameters::wide(std::string_view key) const {
  const auto found = values_.find(key);
  CHECK(found != values_.end());
  return found->second;
}

const std::vector<unsigned>& Parameters::list(std::string_view key) const {
  static const std::vector<unsigned> kEmpty;
  const auto found = lists_.find(key);
  return found == lists_.end() ? kEmpty : found->second;
}

Result<Parameters> parse_parameters(std::string_view spec, std::size_t begin,
                                    std::span<const Parameter> own) {
  Parameters result;
  for (const auto& list : {own, std::span<const Parameter>(kCommon)})
    for (const Parameter& parameter : list)
      result.values_.emplace(parameter.key, parameter.standard);
  const auto find = [&](std::string_view key) -> const Parameter* {
    for (const auto& list : {own, std::span<const Parameter>(kCommon)})
      for (const Parameter& parameter : list)
        if (parameter.key == key) return &parameter;
    return nullptr;
  };
  std::size_t column = begin;
  bool first = true;
  for (const std::string_view part : split(spec.substr(begin), ',')) {
    const std::size_t here = column;
    column += part.size() + 1;
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) {
      if (!first)
        return fail(Code::kUsage, "{}: column {}: found '{}', want KEY=VALUE", spec, here + 1,
                    part);
      first = false;
      if (part.empty() && spec.size() == begin) continue;
      auto dimensions = parse_list(spec, here, part);
      if (!dimensions) return forward(dimensions);
      result.dimensions_ = std::move(*dimensions);
      continue;
    }
    first = false;
    const std::string_view key = part.substr(0, equals);
    const std::string_view text = part.substr(equals + 1);
    if (key == "speed" || key == "width") {
      const bool known =
          key == "speed" ? parse_link_speed(text).has_value() : parse_link_width(text).has_value();
      if (!known)
        return fail(Code::kUsage, "{}: column {}: found {}={}, want {}", spec, here + 1, key, text,
                    key == "speed" ? "SDR, DDR, QDR, FDR10, FDR, EDR, HDR, NDR or XDR"
                                   : "1x, 2x, 4x, 8x or 12x");
      (key == "speed" ? result.speed_ : result.width_) = text;
      continue;
    }
    const Parameter* parameter = find(key);
    if (parameter == nullptr)
      return fail(Code::kUsage, "{}: column {}: found parameter '{}', want one of: {}", spec,
                  here + 1, key, known_keys(own));
    if (parameter->maximum == 0) {  // a list
      auto list = parse_list(spec, here, text);
      if (!list) return forward(list);
      result.lists_[std::string(key)] = std::move(*list);
    } else {
      const auto value = parse_number<std::uint64_t>(text);
      if (!value || *value < parameter->minimum || *value > parameter->maximum)
        return fail(Code::kUsage, "{}: column {}: found {}={}, want a number from {} to {}", spec,
                    here + 1, key, text, parameter->minimum, parameter->maximum);
      result.values_[std::string(key)] = *value;
    }
    result.given_[std::string(key)] = true;
  }
  return result;
}

}  // namespace weft
