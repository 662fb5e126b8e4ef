// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fabric/formats/slurm_topology.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "base/letters.h"
#include "base/text.h"
#include "fabric/formats/guid_generator.h"
#include "fabric/formats/ibnetdiscover/ibnetdiscover_line.h"
#include "fabric/formats/ibnetdiscover/ibnetdiscover_records.h"

namespace weft {
namespace {

constexpr std::size_t kNamesMax = 200'000;  // names in all lists of a file
constexpr std::size_t kCablesMax = 254;     // cables of one switch

/// The GUID in a name: "S-..." and "H-..." are node ids of ibnetdiscover, and sharp_cmd names hosts
/// by port GUID.
std::optional<Guid> guid_in_name(std::string_view name) {
  if (name.starts_with("0x")) {
    const auto value = parse_number<std::uint64_t>(name, 16);
    return value && *value != 0 ? std::optional(Guid(*value)) : std::nullopt;
  }
  return guid_in_net_id(name);
}

/// The letters before the first digit or bracket.
std::string_view stem_of(std::string_view item) {
  return item.substr(0, item.find_first_of("[0123456789"));
}

class Topology {
 public:
  Topology(const LineReader& lines, FabricBuilder& builder, Warnings& warnings)
      : lines_(lines), builder_(builder), warnings_(warnings) {}

  /// Reads a logical line, which is a line with its continuations; `at` is the number of its first
  /// line.
  Status take(std::string_view line, std::size_t at) {
    line = line.substr(0, line.find('#'));
    std::string_view rest = line;
    SwitchLine found;
    found.line = at;
    while (true) {
      rest.remove_prefix(std::min(rest.size(), rest.find_first_not_of(" \t\r")));
      if (rest.empty()) break;
      const std::string_view word = rest.substr(0, rest.find_first_of(" \t\r"));
      const auto column = static_cast<std::size_t>(word.data() - line.data()) + 1;
      if (auto status = take_word(word, column, found); !status) return status;
      rest.remove_prefix(word.size());
    }
    if (trim(line).empty()) return {};
    if (found.name.empty())
      return wrong(at, 1, fmt::format("found {}, expected SwitchName=NAME", quote_net_text(line)));
    return add(std::move(found));
  }

  Status finish() {
    if (switches_.empty())
      return fail(Code::kBadInput, "{}: found no SwitchName= line", lines_.path());
    warn_of_missing_prefixes();
    gather_hosts();
    gather_trunks();
    warn_of_assumed_links();
    return build();
  }

 private:
  struct Mention {
    std::string name;
    std::size_t line = 0;
  };
  struct SwitchLine {
    std::string name;
    std::size_t line = 0;
    std::vector<Mention> hosts;
    std::vector<Mention> neighbors;
    bool has_list = false;
  };
  struct Cable {  // of a switch to a host or to another switch
    std::uint32_t sw = 0;
    std::uint32_t peer = 0;
    bool to_host = false;
  };
  struct Stem {
    std::set<std::size_t> lines;
    std::string item;  // first item of a list with the stem
  };

  tl::unexpected<Error> wrong(std::size_t line, std::size_t column, std::string_view what) const {
    return fail(Code::kBadInput, "{}:{}:{}: {}", lines_.path(), line, column, what);
  }
  void warn(std::size_t line, const std::string& what) {
    warnings_.add(fmt::format("{}:{}: {}", lines_.path(), line, what));
  }

  Status take_word(std::string_view word, std::size_t column, SwitchLine& found) {
    const std::size_t equals = word.find('=');
    const std::string_view key = word.substr(0, equals);
    std::string_view value = equals == std::string_view::npos ? "" : word.substr(equals + 1);
    const std::size_t value_column = column + key.size() + 1;
    if (equal_words(key, "linkspeed")) return {};
    const bool names_switch = equal_words(key, "switchname");
    const bool is_hosts = equal_words(key, "nodes");
    if (!names_switch && !is_hosts && !equal_words(key, "switches"))
      return wrong(found.line, column,
                   fmt::format("found {}, expected SwitchName=, Nodes=, Switches= or LinkSpeed=",
                               quote_net_text(word)));
    if (names_switch) {
      if (value.empty() || value.size() > 256 || value.find_first_of("[],") != value.npos)
        return wrong(
            found.line, value_column,
            fmt::format("found {}, expected the name of one switch", quote_net_text(value)));
      found.name = value;
      return {};
    }
    const auto items = expand_hostlist(value, names_left_);
    if (!items)
      return wrong(found.line, value_column + items.error().column - 1, items.error().message);
    found.has_list = true;
    for (const HostlistItem& item : *items) {
      if (is_hosts) {
        Stem& stem = stems_[std::string(stem_of(item.text))];
        if (stem.lines.empty()) stem.item = item.text;
        stem.lines.insert(found.line);
      }
      for (const std::string& name : item.names)
        (is_hosts ? found.hosts : found.neighbors).push_back({name, found.line});
    }
    return {};
  }

  Status add(SwitchLine found) {
    const auto [known, fresh] =
        switch_of_.try_emplace(found.name, static_cast<std::uint32_t>(switches_.size()));
    if (!fresh)
      return wrong(found.line, 1,
                   fmt::format("switch '{}' is described twice, first in line {}", found.name,
                               switches_[known->second].line));
    if (!found.has_list)
      warn(found.line, fmt::format("switch '{}' has neither Nodes= nor Switches=", found.name));
    switches_.push_back(std::move(found));
    return {};
  }

  /// Warns of hosts like "n[019-020]" in a list with "circe-n[001-016]" and in no other list: their
  /// prefix seems to be missing.
  void warn_of_missing_prefixes() {
    for (const auto& [name, stem] : stems_) {
      if (name.empty() || stem.lines.size() != 1) continue;
      for (const auto& [other, others] : stems_)
        if (other.size() > name.size() && other.ends_with(name) && others.lines.size() > 1 &&
            others.lines.contains(*stem.lines.begin())) {
          warn(*stem.lines.begin(),
               fmt::format("hosts '{}': other hosts of this line begin with '{}': possible typo",
                           stem.item, other));
          break;
        }
    }
  }

  void gather_hosts() {
    std::unordered_map<std::string, std::pair<std::uint32_t, std::size_t>> on;  // switch and line
    for (std::uint32_t s = 0; s < switches_.size(); ++s)
      for (const Mention& host : switches_[s].hosts) {
        if (switch_of_.contains(host.name)) {
          warn(host.line, fmt::format("'{}' is a switch and is listed in Nodes= of '{}': left out",
                                      host.name, switches_[s].name));
          continue;
        }
        const auto [known, fresh] = on.try_emplace(host.name, s, host.line);
        if (!fresh) {
          warn(host.line, fmt::format("host '{}' is on switch '{}' here and on '{}' in line {}: "
                                      "left out here",
                                      host.name, switches_[s].name,
                                      switches_[known->second.first].name, known->second.second));
          continue;
        }
        cables_.push_back({s, static_cast<std::uint32_t>(hosts_.size()), true});
        hosts_.push_back(host);
      }
  }

  /// Collects the cables between switches: one per pair, whether one switch or both name the other.
  void gather_trunks() {
    std::set<std::pair<std::uint32_t, std::uint32_t>> named;  // naming and named switch
    const auto described = static_cast<std::uint32_t>(switches_.size());
    for (std::uint32_t s = 0; s < described; ++s) {
      const std::vector<Mention> neighbors = std::move(switches_[s].neighbors);
      for (const Mention& mention : neighbors) {
        const auto [known, fresh] =
            switch_of_.try_emplace(mention.name, static_cast<std::uint32_t>(switches_.size()));
        const std::uint32_t peer = known->second;
        if (fresh) {
          warn(mention.line, fmt::format("switch '{}', named by '{}', has no SwitchName= line",
                                         mention.name, switches_[s].name));
          switches_.push_back({mention.name, mention.line, {}, {}, false});
        }
        if (peer == s || !named.emplace(s, peer).second) {
          warn(mention.line,
               peer == s ? fmt::format("switch '{}' is in its own list of switches: left out",
                                       mention.name)
                         : fmt::format("switch '{}' names '{}' twice: taken as one cable",
                                       switches_[s].name, mention.name));
          continue;
        }
        if (!named.contains({peer, s})) cables_.push_back({s, peer, false});
      }
    }
  }

  /// Warns because the format does not state the number of links: two switches may have several,
  /// and routes are balanced over the links.
  void warn_of_assumed_links() {
    const auto trunks = std::ranges::count(cables_, false, &Cable::to_host);
    if (trunks == 0) return;
    warnings_.add(fmt::format(
        "{}: Slurm's topology has no link counts: assumed {} links between switches, one for each "
        "connected pair: if there are parallel links, use the output of ibnetdiscover",
        lines_.path(), trunks));
  }

  Status build() {
    std::vector<std::uint32_t> count(switches_.size(), 0);
    for (const Cable& cable : cables_) {
      ++count[cable.sw];
      if (!cable.to_host) ++count[cable.peer];
    }
    for (std::size_t s = 0; s < count.size(); ++s)
      if (count[s] > kCablesMax)
        return wrong(switches_[s].line, 1,
                     fmt::format("switch '{}' has {} cables, expected at most {}",
                                 switches_[s].name, count[s], kCablesMax));
    GuidGenerator guids;
    for (const SwitchLine& sw : switches_)
      if (auto status = take_guid(guids, sw.name, sw.line); !status) return status;
    for (const Mention& host : hosts_)
      if (auto status = take_guid(guids, host.name, host.line); !status) return status;
    for (std::size_t s = 0; s < switches_.size(); ++s)
      add_node(guids, NodeType::kSwitch, switches_[s].name, std::max(count[s], 1u));
    for (const Mention& host : hosts_) add_node(guids, NodeType::kCa, host.name, 1);
    return add_cables();
  }

  Status add_cables() {
    std::vector<std::uint8_t> used(switches_.size(), 0);
    for (const Cable& cable : cables_) {
      const PortNum port(++used[cable.sw]);
      const PortNum peer_port(cable.to_host ? std::uint8_t{1} : ++used[cable.peer]);
      const std::uint32_t first_host = static_cast<std::uint32_t>(switches_.size());
      const std::uint32_t peer = cable.to_host ? first_host + cable.peer : cable.peer;
      if (auto status = builder_.connect(cable.sw, port, peer, peer_port); !status) return status;
    }
    return {};
  }

  Status take_guid(GuidGenerator& guids, const std::string& name, std::size_t line) const {
    const auto guid = guid_in_name(name);
    if (!guid || guids.take(*guid)) return {};
    return wrong(line, 1, fmt::format("'{}' has the GUID of an earlier node", name));
  }

  void add_node(GuidGenerator& guids, NodeType type, const std::string& name, std::uint32_t ports) {
    const auto known_guid = guid_in_name(name);
    Node node;
    node.type = type;
    node.port_count = static_cast<std::uint8_t>(ports);
    node.node_guid = known_guid ? *known_guid : guids.next(type, node.port_count);
    node.description = name;
    const auto index = builder_.add_node(std::move(node));
    if (!known_guid || type == NodeType::kSwitch || !name.starts_with("0x")) return;
    FabricBuilder::PortSpec spec;
    spec.guid = *known_guid;  // sharp_cmd writes the GUID of a port
    (void)builder_.describe_port(index, PortNum(1), spec);
  }

  const LineReader& lines_;
  FabricBuilder& builder_;
  Warnings& warnings_;
  std::size_t names_left_ = kNamesMax;
  std::vector<SwitchLine> switches_;
  std::unordered_map<std::string, std::uint32_t> switch_of_;
  std::map<std::string, Stem> stems_;
  std::vector<Mention> hosts_;
  std::vector<Cable> cables_;
};

}  // namespace

bool looks_like_slurm_topology(std::string_view head) {
  while (!head.empty()) {
    const std::size_t end = std::min(head.find('\n'), head.size());
    const std::string_view line = trim(head.substr(0, end));
    if (!line.empty() && !line.starts_with('#'))
      return equal_words(line.substr(0, line.find('=')), "switchname");
    head.remove_prefix(std::min(head.size(), end + 1));
  }
  return false;
}

Status read_slurm_topology(LineReader& lines, const ReadOptions&, FabricBuilder& builder,
                           Warnings& warnings) {
  Topology topology(lines, builder, warnings);
  std::string joined;  // a line with its continuations
  std::size_t begin = 0;
  std::string_view line;
  while (true) {
    const auto more = lines.next(line);
    if (!more) return forward(more);
    if (joined.empty()) begin = lines.line_number();
    const bool goes_on = *more && trim(line).ends_with('\\');
    if (*more) joined += goes_on ? line.substr(0, line.rfind('\\')) : line;
    if (joined.size() > LineReader::kLineMax)
      return fail_at(lines, "found a line of more than {} bytes with its continuations",
                     LineReader::kLineMax);
    if (goes_on) continue;
    if (auto status = topology.take(joined, begin); !status) return status;
    joined.clear();
    if (!*more) return topology.finish();
  }
}

}  // namespace weft
