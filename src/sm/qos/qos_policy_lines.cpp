// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/qos/qos_policy_lines.h"

#include <algorithm>

#include "base/letters.h"
#include "base/text.h"
#include "sm/partitions/partition_file.h"

namespace weft {
namespace {

// Service IDs of RDMA IP connection management: a prefix, and the port number below it.
constexpr std::uint64_t kSdp = 0x10000;
constexpr std::uint64_t kRdsAndIser = 0x1060000;
constexpr std::uint64_t kRdsPort = 0x48CA;
constexpr std::uint64_t kIserPort = 0x0CBC;
constexpr std::uint64_t kPortMost = 0xFFFF;
constexpr std::uint64_t kSlMost = kSlCount - 1;

Result<NumberRanges> service_ids(const PolicyPlace& place, std::string_view ports,
                                 std::uint64_t prefix) {
  auto ranges = parse_ranges(place, ports, kPortMost);
  if (!ranges) return ranges;
  for (NumberRange& range : *ranges) range = {range.first + prefix, range.last + prefix};
  return ranges;
}

/// "port-num 900": the part after the first comma.
struct Qualifier {
  std::string word;
  std::string_view value;
};
Qualifier qualifier(std::string_view text) {
  text = trim(text);
  const std::size_t blank = text.find_first_of(" \t");
  if (blank == std::string_view::npos) return {lower(text), {}};
  return {lower(text.substr(0, blank)), trim(text.substr(blank))};
}

using Into = NumberRanges QosMatchRule::*;
Result<QosMatchRule> with(Into member, Result<NumberRanges> ranges) {
  if (!ranges) return forward(ranges);
  QosMatchRule rule;
  rule.*member = std::move(*ranges);
  return rule;
}

Result<QosMatchRule> ulp_rule(const PolicyPlace& place, const std::string& ulp,
                              const Qualifier& more) {
  const bool port_num = more.word == "port-num";
  const auto one = [](std::uint64_t number) { return NumberRanges{{number, number}}; };
  const auto by_service = [&](std::uint64_t prefix, const NumberRanges& plain) {
    return with(&QosMatchRule::service_ids,
                port_num ? service_ids(place, more.value, prefix) : plain);
  };
  const bool bare = more.word.empty();
  if (ulp == "sdp" && (bare || port_num))
    return by_service(kSdp, NumberRanges{{kSdp, kSdp + kPortMost}});
  if (ulp == "rds" && (bare || port_num))
    return by_service(kRdsAndIser, one(kRdsAndIser + kRdsPort));
  if (ulp == "iser" && (bare || port_num))
    return by_service(kRdsAndIser, one(kRdsAndIser + kIserPort));
  if (ulp == "ipoib" && bare) return with(&QosMatchRule::pkeys, one(kDefaultPkeyBase));
  const bool any = ulp == "any";
  if ((any || ulp == "ipoib") && more.word == "pkey")
    return with(&QosMatchRule::pkeys, parse_pkeys(place, more.value));
  if ((any || ulp == "srp") && more.word == "target-port-guid")
    return with(&QosMatchRule::destination_guids, parse_ranges(place, more.value, UINT64_MAX));
  if (any && more.word == "source-port-guid")
    return with(&QosMatchRule::source_guids, parse_ranges(place, more.value, UINT64_MAX));
  if (any && more.word == "service-id")
    return with(&QosMatchRule::service_ids, parse_ranges(place, more.value, UINT64_MAX));
  return place.wrong(
      place.line.text,
      "default; sdp, rds or iser, alone or with port-num; ipoib, alone or with pkey; "
      "srp with target-port-guid; or any with service-id, pkey, target-port-guid or "
      "source-port-guid");
}

}  // namespace

bool contains(const NumberRanges& ranges, std::uint64_t number) {
  return std::ranges::any_of(ranges, [&](const NumberRange& range) {
    return range.first <= number && number <= range.last;
  });
}

std::vector<PolicyLine> policy_lines(std::string_view text) {
  std::vector<PolicyLine> lines;
  std::uint32_t number = 0;
  for (const std::string_view whole : split(text, '\n')) {
    ++number;
    const std::string_view words = trim(whole.substr(0, whole.find('#')));
    if (words.empty()) continue;
    lines.push_back({words, number, static_cast<std::uint32_t>(words.data() - whole.data() + 1)});
  }
  return lines;
}

std::string PolicyPlace::at(std::string_view part) const {
  const bool inside =
      part.data() >= line.text.data() && part.data() <= line.text.data() + line.text.size();
  const auto offset = inside ? static_cast<std::uint32_t>(part.data() - line.text.data()) : 0;
  return fmt::format("{}:{}:{}", path, line.number, line.column + offset);
}

tl::unexpected<Error> PolicyPlace::wrong(std::string_view found, std::string_view want) const {
  return fail(Code::kBadInput, "{}: found {}, expected {}", at(found), weft::quoted(found), want);
}

Result<std::uint64_t> parse_number_of(const PolicyPlace& place, std::string_view text,
                                      std::uint64_t most) {
  const auto number = parse_c_number<std::uint64_t>(trim(text));
  if (!number || *number > most)
    return place.wrong(trim(text), most == UINT64_MAX ? std::string("a number")
                                                      : fmt::format("a number up to {:#x}", most));
  return *number;
}

Result<NumberRanges> parse_ranges(const PolicyPlace& place, std::string_view text,
                                  std::uint64_t most) {
  NumberRanges ranges;
  for (const std::string_view field : split(text, ',')) {
    const std::size_t dash = field.find('-');
    const auto first = parse_number_of(place, field.substr(0, dash), most);
    if (!first) return forward(first);
    const auto last = dash == std::string_view::npos
                          ? first
                          : parse_number_of(place, field.substr(dash + 1), most);
    if (!last) return forward(last);
    if (*last < *first)
      return place.wrong(trim(field), "a range FIRST-LAST with FIRST at most LAST");
    ranges.push_back({*first, *last});
  }
  return ranges;
}

Result<NumberRanges> parse_pkeys(const PolicyPlace& place, std::string_view text) {
  auto ranges = parse_ranges(place, text, 0xFFFF);
  if (!ranges) return ranges;
  for (NumberRange& range : *ranges) {
    if ((range.first ^ range.last) & kPkeyFullBit)
      return place.wrong(text, "P_Keys with the membership bit at both ends of a range or at none");
    range = {range.first & kPkeyBaseMask, range.last & kPkeyBaseMask};
  }
  return ranges;
}

Result<std::vector<std::string>> parse_names(const PolicyPlace& place, std::string_view text) {
  std::vector<std::string> names;
  for (const std::string_view field : split(text, ',')) {
    if (trim(field).empty()) return place.wrong(text, "names with commas between them");
    names.emplace_back(trim(field));
  }
  return names;
}

Result<UlpLine> parse_ulp(const PolicyPlace& place) {
  const std::string_view text = place.line.text;
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return place.wrong(text, "ULP[, QUALIFIER VALUE] : SL");
  const auto sl = parse_number_of(place, text.substr(colon + 1), kSlMost);
  if (!sl) return forward(sl);
  UlpLine line;
  line.sl = Sl(static_cast<std::uint8_t>(*sl));
  const std::string_view match = trim(text.substr(0, colon));
  const std::size_t comma = match.find(',');
  const std::string ulp = lower(trim(match.substr(0, comma)));
  line.is_default = ulp == "default" && comma == std::string_view::npos;
  if (line.is_default) return line;
  if (comma != std::string_view::npos && trim(match.substr(comma + 1)).empty())
    return place.wrong(match, "a qualifier after the comma");
  auto rule =
      ulp_rule(place, ulp,
               comma == std::string_view::npos ? Qualifier{} : qualifier(match.substr(comma + 1)));
  if (!rule) return forward(rule);
  line.rule = std::move(*rule);
  line.rule.line = place.line.number;
  return line;
}

}  // namespace weft
