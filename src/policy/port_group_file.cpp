// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Parser for pgrp_policy_file.
#include <algorithm>
#include <array>

#include "base/regexp.h"
#include "base/text.h"
#include "policy/policy_paragraphs.h"
#include "policy/port_groups.h"

namespace weft {
namespace {

struct RuleForm {
  std::string_view name;
  PortGroup::Rule rule;
};
constexpr std::array kRules{RuleForm{"port-guid", PortGroup::Rule::kGuids},
                            RuleForm{"port-guid-range", PortGroup::Rule::kGuidRange},
                            RuleForm{"port-name", PortGroup::Rule::kHosts},
                            RuleForm{"port-regexp", PortGroup::Rule::kRegexp},
                            RuleForm{"union-rule", PortGroup::Rule::kUnion},
                            RuleForm{"subtract-rule", PortGroup::Rule::kSubtract}};
constexpr std::array<std::string_view, 8> kNames{
    "name",      "use",         "port-guid",  "port-guid-range",
    "port-name", "port-regexp", "union-rule", "subtract-rule"};
constexpr std::array<std::string_view, 1> kMandatory{"name"};
constexpr ParagraphForm kForm{"port-group", kNames, kMandatory, "port-regexp"};
constexpr std::string_view kNotInNames = " \t,;=\"'";

class PortGroupParser {
 public:
  PortGroupParser(PortGroups& groups, Problems& problems) : groups_(groups), problems_(problems) {}

  void take(const Paragraph& paragraph) {
    PortGroup group;
    const Qualifier& name = *paragraph.find("name");
    group.name = name.value;
    group.use = paragraph.value("use");
    if (group.name.find_first_of(kNotInNames) != std::string::npos)
      return wrong(name.place, group.name, "a name without blanks, quotes and any of , ; =");
    if (PortGroups{}.has(group.name))
      return wrong(name.place, group.name, "a name that no predefined group has");
    if (groups_.has(group.name)) return wrong(name.place, group.name, "a name that is not in use");
    const Qualifier* rule = nullptr;
    for (const RuleForm& form : kRules) {
      const Qualifier* found = paragraph.find(form.name);
      if (found == nullptr) continue;
      if (rule != nullptr)
        return wrong(found->place, found->name,
                     fmt::format("one rule only, and the group already has '{}'", rule->name));
      rule = found;
      group.rule = form.rule;
    }
    if (rule == nullptr)
      return problems_.push_back(
          fmt::format("{}: port-group {} has no rule, expected port-guid, port-guid-range, "
                      "port-name, port-regexp, "
                      "union-rule or subtract-rule",
                      paragraph.place, quoted(group.name)));
    group.place = rule->place;
    const std::size_t before = problems_.size();
    take_rule(*rule, group);
    if (problems_.size() == before) groups_.groups.push_back(std::move(group));
  }

  /// A group may refer to groups defined later, but not to itself, directly or indirectly.
  void check_references() {
    enum class Mark { kNew, kOpen, kDone };
    std::vector<Mark> marks(groups_.groups.size(), Mark::kNew);
    const auto index_of = [&](const std::string& name) {
      return static_cast<std::size_t>(std::ranges::find(groups_.groups, name, &PortGroup::name) -
                                      groups_.groups.begin());
    };
    const auto visit = [&](const auto& self, std::size_t i) -> void {
      const PortGroup& group = groups_.groups[i];
      marks[i] = Mark::kOpen;
      for (const std::string& name : {group.of.first, group.of.second}) {
        if (name.empty()) continue;
        if (!groups_.has(name)) {
          problems_.push_back(group.place + ": " + groups_.missing_text(name));
          continue;
        }
        const std::size_t other = index_of(name);
        if (other == groups_.groups.size()) continue;
        if (marks[other] == Mark::kOpen)
          wrong(group.place, name,
                "a group that does not contain this group: the definitions are cyclic");
        if (marks[other] == Mark::kNew) self(self, other);
      }
      marks[i] = Mark::kDone;
    };
    for (std::size_t i = 0; i < groups_.groups.size(); ++i)
      if (marks[i] == Mark::kNew) visit(visit, i);
  }

 private:
  void wrong(const std::string& place, std::string_view found, std::string_view want) {
    problems_.push_back(fmt::format("{}: found {}, expected {}", place, quoted(found), want));
  }

  std::optional<Guid> guid(const Qualifier& at, std::string_view text) {
    const auto value = parse_number<std::uint64_t>(text, 16);
    if (value && *value != 0) return Guid(*value);
    wrong(at.place, text, "a GUID in hex");
    return std::nullopt;
  }

  std::optional<unsigned> number(const Qualifier& at, std::string_view text, unsigned least,
                                 unsigned most, std::string_view want) {
    const auto value = parse_number<unsigned>(text);
    if (value && *value >= least && *value <= most) return *value;
    wrong(at.place, text, want);
    return std::nullopt;
  }
  std::optional<unsigned> port(const Qualifier& at, std::string_view text) {
    return number(at, text, 1, kPortMax, "a port from 1 to 254");
  }

  void take_rule(const Qualifier& rule, PortGroup& group) {
    switch (group.rule) {
      case PortGroup::Rule::kGuids:
        for (const std::string_view one : split(rule.value, ','))
          if (!take_guid(rule, trim(one), group)) return;
        return;
      case PortGroup::Rule::kGuidRange: {
        const auto ends = split(rule.value, '-');
        if (ends.size() != 2) return wrong(rule.place, rule.value, "one range GUID-GUID");
        const auto first = guid(rule, trim(ends[0]));
        const auto last = first ? guid(rule, trim(ends[1])) : std::nullopt;
        if (!last) return;
        if (*last < *first)
          return wrong(rule.place, rule.value, "a range with a second GUID not below the first");
        group.range = {*first, *last};
        return;
      }
      case PortGroup::Rule::kHosts:
        for (const std::string_view one : split(rule.value, ','))
          if (!take_host(rule, one, group)) return;
        return;
      case PortGroup::Rule::kRegexp:
        return take_regexp(rule, group);
      case PortGroup::Rule::kUnion:
      case PortGroup::Rule::kSubtract: {
        const auto names = split(rule.value, ',');
        if (names.size() != 2 || trim(names[0]).empty() || trim(names[1]).empty())
          return wrong(rule.place, rule.value, "two groups with a comma between them");
        group.of = {std::string(trim(names[0])), std::string(trim(names[1]))};
        return;
      }
    }
  }

  /// Parses a GUID with ports, such as 0x289@2-5/7.
  bool take_guid(const Qualifier& rule, std::string_view text, PortGroup& group) {
    const std::size_t at = text.find('@');
    const auto found = guid(rule, text.substr(0, at));
    if (!found) return false;
    GroupGuid filed{*found};
    if (at != std::string_view::npos)
      for (const std::string_view range : split(text.substr(at + 1), '/')) {
        const std::size_t dash = range.find('-');
        const auto first = port(rule, range.substr(0, dash));
        const auto last =
            dash == std::string_view::npos || !first ? first : port(rule, range.substr(dash + 1));
        if (!last) return false;
        if (*last < *first) {
          wrong(rule.place, range, "a range of ports with the second not below the first");
          return false;
        }
        filed.ports.emplace_back(static_cast<std::uint8_t>(*first),
                                 static_cast<std::uint8_t>(*last));
      }
    group.guids.push_back(std::move(filed));
    return true;
  }

  /// Parses a host, such as hostname=kuku; port=2; hca_idx=1.
  bool take_host(const Qualifier& rule, std::string_view text, PortGroup& group) {
    GroupHost host;
    for (const std::string_view part : split(text, ';')) {
      const std::size_t equals = part.find('=');
      const std::string_view key = trim(part.substr(0, equals));
      const std::string_view value =
          equals == std::string_view::npos ? std::string_view() : trim(part.substr(equals + 1));
      if (key == "hostname" && !value.empty()) {
        host.hostname = value;
      } else if (key == "port") {
        host.port = port(rule, value);
        if (!host.port) return false;
      } else if (key == "hca_idx") {
        host.hca = number(rule, value, 0, 0xFFFF, "a number from 0 to 65535");
        if (!host.hca) return false;
      } else {
        wrong(rule.place, trim(part), "hostname=NAME, port=N or hca_idx=N");
        return false;
      }
    }
    if (host.hostname.empty()) {
      wrong(rule.place, trim(text), "a list with hostname=NAME");
      return false;
    }
    group.hosts.push_back(std::move(host));
    return true;
  }

  /// Parses a regular expression. A colon is allowed only before a port number at the end.
  void take_regexp(const Qualifier& rule, PortGroup& group) {
    std::string_view text = rule.value;
    if (const std::size_t colon = text.find(':'); colon != std::string_view::npos) {
      group.regexp_port = port(rule, trim(text.substr(colon + 1)));
      if (!group.regexp_port) return;
      text = trim(text.substr(0, colon));
    }
    group.regexp = text;
    const auto compiled = Regexp::compile(group.regexp);
    if (text.empty() || !compiled)
      wrong(rule.place, text,
            compiled ? "a regular expression"
                     : fmt::format("a regular expression ({})", compiled.error().message));
  }

  PortGroups& groups_;
  Problems& problems_;
};

}  // namespace

Result<PortGroups> read_port_groups(const std::string& path) {
  Problems problems;
  const auto paragraphs = read_paragraphs(path, kForm, problems);
  if (!paragraphs) return forward(paragraphs);
  PortGroups groups;
  groups.path = path;
  PortGroupParser parser(groups, problems);
  for (const Paragraph& paragraph : *paragraphs) parser.take(paragraph);
  if (problems.empty()) parser.check_references();
  if (const auto status = as_status(problems); !status) return forward(status);
  return groups;
}

}  // namespace weft
