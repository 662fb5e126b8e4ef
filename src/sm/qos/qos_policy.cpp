// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/qos/qos_policy.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <span>

#include "base/file.h"
#include "base/letters.h"
#include "base/text.h"
#include "sm/qos/qos_policy_lines.h"

namespace weft {
namespace {

constexpr std::string_view kDefaultName = "DEFAULT";
constexpr std::uint64_t kMtuMost = 5, kRateMost = 63, kPacketLifeMost = 63, kClassMost = 0xFFF;

/// A parsed match rule. The names of its port groups and its level are resolved after the whole
/// file is parsed, because they may be defined below the rule.
struct WrittenRule {
  QosMatchRule rule;
  std::vector<std::string> sources, destinations;
  std::string level;
  PolicyLine line;
};

/// A line "keyword: value".
struct Pair {
  std::string keyword;
  std::string_view value;
};

class PolicyReader {
 public:
  PolicyReader(std::string_view text, const std::string& path, std::vector<std::string>& warnings)
      : path_(path), lines_(policy_lines(text)), warnings_(warnings) {
    policy_.path = path;
  }

  Result<QosPolicy> read() && {
    Status status;
    while (status && at_ < lines_.size()) status = read_section();
    if (status) status = finish();
    if (!status) return forward(status);
    return std::move(policy_);
  }

 private:
  PolicyPlace place() const { return {path_, lines_[at_]}; }
  PolicyPlace place(const PolicyLine& line) const { return {path_, line}; }

  Status read_section() {
    const std::string word = lower(lines_[at_].text);
    if (word == "port-groups") return read_parts("port-group", [&] { return read_group(); });
    if (word == "qos-levels") return read_parts("qos-level", [&] { return read_level(); });
    if (word == "qos-match-rules") return read_parts("qos-match-rule", [&] { return read_rule(); });
    if (word == "qos-ulps") return read_ulps();
    if (word == "qos-setup") return skip_setup();
    return place().wrong(lines_[at_].text,
                         "port-groups, qos-setup, qos-levels, qos-match-rules or qos-ulps");
  }

  Status not_ended(const PolicyLine& begin, std::string_view word) const {
    return fail(Code::kBadInput, "{}: found no end-{} until the end of the file, expected one",
                place(begin).at(begin.text), word);
  }

  /// Reads a section up to its end line. `part` reads one port group, level or rule of the section,
  /// from its first to its last line.
  template <class Part>
  Status read_parts(std::string_view word, const Part& part) {
    const PolicyLine begin = lines_[at_++];
    const std::string section = lower(begin.text);
    for (; at_ < lines_.size(); ++at_) {
      const std::string found = lower(lines_[at_].text);
      if (found == "end-" + section) {
        ++at_;
        return {};
      }
      if (found != word)
        return place().wrong(lines_[at_].text, fmt::format("{} or end-{}", word, section));
      if (Status status = part(); !status) return status;
    }
    return not_ended(begin, section);
  }

  /// Reads the lines of a port group, level or rule up to its end line; `take` returns false for an
  /// unknown keyword. Afterwards at_ is the index of the end line.
  template <class Take>
  Status read_pairs(std::string_view word, std::string_view keywords, const Take& take) {
    const PolicyLine begin = lines_[at_++];
    for (; at_ < lines_.size(); ++at_) {
      const std::string_view text = lines_[at_].text;
      if (lower(text) == fmt::format("end-{}", word)) return {};
      const std::size_t colon = text.find(':');
      const Pair pair{lower(trim(text.substr(0, colon))), colon == std::string_view::npos
                                                              ? std::string_view()
                                                              : trim(text.substr(colon + 1))};
      if (colon == std::string_view::npos)
        return place().wrong(text, fmt::format("{}, or end-{}", keywords, word));
      if (pair.value.empty())
        return place().wrong(text, fmt::format("a value after {}", pair.keyword));
      if (pair.keyword == "use") continue;
      const Result<bool> known = take(pair);
      if (!known) return forward(known);
      if (!*known) return place().wrong(text, fmt::format("{}, or end-{}", keywords, word));
    }
    return not_ended(begin, word);
  }

  template <class T>
  static Result<bool> into(Result<std::vector<T>> more, std::vector<T>& all) {
    if (!more) return forward(more);
    all.insert(all.end(), more->begin(), more->end());
    return true;
  }

  Result<bool> into_byte(std::string_view text, std::uint64_t most,
                         std::optional<std::uint8_t>& member) const {
    const auto number = parse_number_of(place(), text, most);
    if (!number) return forward(number);
    member = static_cast<std::uint8_t>(*number);
    return true;
  }

  Result<bool> take_node_types(std::string_view text, QosPortGroup& group) const {
    const auto names = parse_names(place(), text);
    if (!names) return forward(names);
    for (const std::string& name : *names) {
      const std::string type = lower(name);
      bool* member = type == "all"      ? &group.all
                     : type == "ca"     ? &group.cas
                     : type == "switch" ? &group.switches
                     : type == "router" ? &group.routers
                     : type == "self"   ? &group.self
                                        : nullptr;
      if (member == nullptr) return place().wrong(text, "ALL, CA, SWITCH, ROUTER or SELF");
      *member = true;
    }
    return true;
  }

  Status read_group() {
    const PolicyLine begin = lines_[at_];
    QosPortGroup group;
    group.line = begin.number;
    Status status = read_pairs(
        "port-group", "name:, use:, port-guid:, port-name:, partition:, pkey: or node-type:",
        [&](const Pair& pair) -> Result<bool> {
          if (pair.keyword == "name") {
            group.name = pair.value;
            return true;
          }
          if (pair.keyword == "port-guid")
            return into(parse_ranges(place(), pair.value, UINT64_MAX), group.port_guids);
          if (pair.keyword == "port-name") return take_port_names(pair.value, group);
          if (pair.keyword == "partition")
            return into(parse_names(place(), pair.value), group.partitions);
          if (pair.keyword == "pkey") return into(parse_pkeys(place(), pair.value), group.pkeys);
          if (pair.keyword == "node-type") return take_node_types(pair.value, group);
          return false;
        });
    if (!status) return status;
    if (group.name.empty()) return place(begin).wrong(begin.text, "a name: in each port-group");
    warn_of_second(policy_.groups, group.name, "port-group", begin);
    policy_.groups.push_back(std::move(group));
    return {};
  }

  Result<bool> take_port_names(std::string_view text, QosPortGroup& group) const {
    auto names = parse_names(place(), text);
    if (!names) return forward(names);
    for (const std::string& name : *names) {
      const std::size_t slash = name.rfind("/P");
      if (slash == std::string::npos || slash == 0 ||
          !parse_number<std::uint8_t>(std::string_view(name).substr(slash + 2)))
        return place().wrong(text, "NODE DESCRIPTION/P and a port number");
    }
    return into(std::move(names), group.port_names);
  }

  Status read_level() {
    const PolicyLine begin = lines_[at_];
    QosLevel level;
    level.line = begin.number;
    std::optional<std::uint8_t> sl;
    Status status =
        read_pairs("qos-level", "name:, use:, sl:, mtu-limit:, rate-limit:, packet-life: or pkey:",
                   [&](const Pair& pair) -> Result<bool> {
                     if (pair.keyword == "name") {
                       level.name = pair.value;
                       return true;
                     }
                     if (pair.keyword == "sl") return into_byte(pair.value, kSlCount - 1, sl);
                     if (pair.keyword == "mtu-limit")
                       return into_byte(pair.value, kMtuMost, level.mtu_limit);
                     if (pair.keyword == "rate-limit")
                       return into_byte(pair.value, kRateMost, level.rate_limit);
                     if (pair.keyword == "packet-life")
                       return into_byte(pair.value, kPacketLifeMost, level.packet_life);
                     if (pair.keyword == "pkey")
                       return into(parse_pkeys(place(), pair.value), level.pkeys);
                     return false;
                   });
    if (!status) return status;
    if (level.name.empty() || !sl)
      return place(begin).wrong(begin.text, "a name: and an sl: in each qos-level");
    level.sl = Sl(*sl);
    if (lower(level.name) == "default") level.name = kDefaultName;
    warn_of_second(policy_.levels, level.name, "qos-level", begin);
    policy_.levels.push_back(std::move(level));
    return {};
  }

  Status read_rule() {
    WrittenRule written;
    written.line = lines_[at_];
    QosMatchRule& rule = written.rule;
    rule.line = written.line.number;
    Status status =
        read_pairs("qos-match-rule",
                   "use:, source:, destination:, qos-class:, service-id:, pkey: or qos-level-name:",
                   [&](const Pair& pair) -> Result<bool> {
                     if (pair.keyword == "source")
                       return into(parse_names(place(), pair.value), written.sources);
                     if (pair.keyword == "destination")
                       return into(parse_names(place(), pair.value), written.destinations);
                     if (pair.keyword == "qos-class")
                       return into(parse_ranges(place(), pair.value, kClassMost), rule.qos_classes);
                     if (pair.keyword == "service-id")
                       return into(parse_ranges(place(), pair.value, UINT64_MAX), rule.service_ids);
                     if (pair.keyword == "pkey")
                       return into(parse_pkeys(place(), pair.value), rule.pkeys);
                     if (pair.keyword != "qos-level-name") return false;
                     written.level = pair.value;
                     return true;
                   });
    if (!status) return status;
    if (written.level.empty())
      return place(written.line)
          .wrong(written.line.text, "a qos-level-name: in each qos-match-rule");
    written_.push_back(std::move(written));
    return {};
  }

  Status read_ulps() {
    const PolicyLine begin = lines_[at_++];
    for (; at_ < lines_.size(); ++at_) {
      if (lower(lines_[at_].text) == "end-qos-ulps") {
        ++at_;
        return {};
      }
      auto line = parse_ulp(place());
      if (!line) return forward(line);
      if (line->is_default && ulp_default_)
        warnings_.push_back(fmt::format("{}: second default: ignored, the first applies",
                                        place().at(lines_[at_].text)));
      QosLevel level;
      level.sl = line->sl;
      level.line = lines_[at_].number;
      if (line->is_default) {
        if (!ulp_default_) ulp_default_ = level;
      } else {
        ulps_.emplace_back(std::move(line->rule), level);
      }
    }
    return not_ended(begin, "qos-ulps");
  }

  Status skip_setup() {
    const PolicyLine begin = lines_[at_++];
    warnings_.push_back(
        fmt::format("{}: the section qos-setup has no effect, as in OpenSM: SL2VL and VL "
                    "arbitration are set by "
                    "qos_* of the configuration file",
                    place(begin).at(begin.text)));
    for (; at_ < lines_.size(); ++at_)
      if (lower(lines_[at_].text) == "end-qos-setup") {
        ++at_;
        return {};
      }
    return not_ended(begin, "qos-setup");
  }

  template <class Named>
  void warn_of_second(const std::vector<Named>& all, const std::string& name, std::string_view what,
                      const PolicyLine& line) {
    const auto first = std::ranges::find(all, name, &Named::name);
    if (first == all.end()) return;
    warnings_.push_back(
        fmt::format("{}: {} {} is already defined in line {}: this definition is ignored",
                    place(line).at(line.text), what, weft::quoted(name), first->line));
  }

  template <class Named>
  static std::optional<std::uint32_t> find(const std::vector<Named>& all, std::string_view name) {
    const auto found = std::ranges::find(all, name, &Named::name);
    if (found == all.end()) return std::nullopt;
    return static_cast<std::uint32_t>(found - all.begin());
  }

  Status look_up_groups(const WrittenRule& written, std::span<const std::string> names,
                        std::vector<std::uint32_t>& groups) const {
    for (const std::string& name : names) {
      const auto group = find(policy_.groups, name);
      if (!group)
        return fail(Code::kBadInput, "{}: found {}, expected the name of a port-group",
                    place(written.line).at(written.line.text), weft::quoted(name));
      groups.push_back(*group);
    }
    return {};
  }

  /// Resolves names to numbers; rules of qos-ulps come last.
  Status finish() {
    const std::size_t named = policy_.levels.size();
    for (WrittenRule& written : written_) {
      QosMatchRule& rule = written.rule;
      Status status = look_up_groups(written, written.sources, rule.sources);
      if (status) status = look_up_groups(written, written.destinations, rule.destinations);
      if (!status) return status;
      const auto level =
          find(policy_.levels,
               lower(written.level) == "default" ? kDefaultName : std::string_view(written.level));
      if (!level)
        return fail(Code::kBadInput, "{}: found {}, expected the name of a qos-level",
                    place(written.line).at(written.line.text), weft::quoted(written.level));
      rule.level = *level;
      policy_.rules.push_back(std::move(rule));
    }
    auto by_default = find(policy_.levels, kDefaultName);
    for (auto& [rule, level] : ulps_) {
      rule.level = static_cast<std::uint32_t>(policy_.levels.size());
      policy_.levels.push_back(std::move(level));
      policy_.rules.push_back(std::move(rule));
    }
    if (!by_default && ulp_default_) {
      by_default = static_cast<std::uint32_t>(policy_.levels.size());
      policy_.levels.push_back(*ulp_default_);
    }
    if (!by_default)
      return fail(
          Code::kBadInput,
          "{}:1:1: found {} levels and no default among them, expected a qos-level of the name "
          "DEFAULT, or a default in qos-ulps",
          path_, named);
    policy_.default_level = *by_default;
    return {};
  }

  const std::string& path_;
  const std::vector<PolicyLine> lines_;
  std::vector<std::string>& warnings_;
  std::size_t at_ = 0;  // in lines_
  QosPolicy policy_;
  std::vector<WrittenRule> written_;
  std::vector<std::pair<QosMatchRule, QosLevel>> ulps_;
  std::optional<QosLevel> ulp_default_;
};

}  // namespace

Result<QosPolicy> parse_qos_policy(std::string_view text, const std::string& path,
                                   std::vector<std::string>& warnings) {
  return PolicyReader(text, path, warnings).read();
}

Result<QosPolicy> read_qos_policy(const std::string& path, std::vector<std::string>& warnings) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    warnings.push_back(fmt::format("{}: no such file: no QoS policy is applied", path));
    return QosPolicy{};
  }
  const auto text = read_file(path);
  if (!text) return forward(text);
  return parse_qos_policy(*text, path, warnings);
}

}  // namespace weft
