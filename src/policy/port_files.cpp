// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "policy/port_files.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "policy/option_file.h"
#include "policy/port_groups.h"

namespace weft {
namespace {

constexpr std::uint8_t kUnlisted = 255;

/// The switch with this node GUID or port GUID.
std::optional<SwitchId> find_switch(const Fabric& fabric, Guid guid) {
  if (const auto node = fabric.find_node(guid); node && fabric.is_switch(*node))
    return SwitchId(node->value());
  if (const auto endport = fabric.find_endport(guid);
      endport && endport->value() < fabric.switch_count())
    return SwitchId(endport->value());
  return std::nullopt;
}

template <class Filed>
std::optional<SwitchId> find_switch(const Fabric& fabric, const Filed& filed,
                                    std::vector<std::string>& warnings) {
  const auto found = find_switch(fabric, filed.guid);
  if (!found)
    warnings.push_back(fmt::format("{}: GUID 0x{:016x} is no switch of this fabric", filed.place,
                                   filed.guid.value()));
  return found;
}

/// Returns false and adds a warning if the switch has no port with this number.
bool has_port(const Fabric& fabric, SwitchId sw, PortNum port, const std::string& place,
              std::vector<std::string>& warnings) {
  const Node& node = fabric.node(sw);
  if (port.value() <= node.port_count) return true;
  warnings.push_back(fmt::format("{}: switch {} has {} ports, not port {}", place, describe(node),
                                 node.port_count, port.value()));
  return false;
}

/// The endport that a line of -i names. Fails with kBadInput if the GUID or port is not in the
/// fabric, or if the port neither is an endport nor is cabled to one.
Result<EndportId> ignored_endport(const FiledPort& filed, const Fabric& fabric) {
  if (!filed.port) {
    const auto endport = fabric.find_endport(filed.guid);
    if (endport) return *endport;
    return fail(Code::kBadInput, "port GUID 0x{:016x} is not in this fabric", filed.guid.value());
  }
  const auto node = fabric.find_node(filed.guid);
  if (!node)
    return fail(Code::kBadInput, "node GUID 0x{:016x} is not in this fabric", filed.guid.value());
  const PortId port = fabric.port_id(*node, *filed.port);
  if (port == kNoPort)
    return fail(Code::kBadInput, "{} has {} ports, not port {}", describe(fabric.node(*node)),
                fabric.node(*node).port_count, filed.port->value());
  if (const EndportId own = fabric.endport_at(port); own != kNoEndport) return own;
  const PortId peer = fabric.port(port).peer;
  if (peer != kNoPort && !fabric.is_switch(fabric.port(peer).node)) return fabric.endport_at(peer);
  return fail(Code::kBadInput,
              "{} is not cabled to an endport: only endports can be left out of the balance",
              describe(fabric, port));
}

struct GuidOrGroup {
  Guid guid;
  std::string group;
};
Result<GuidOrGroup> guid_or_group(const OptionLine& line, std::string_view want) {
  if (!line.empty())
    if (const auto group = group_named(line.word(0)))
      return GuidOrGroup{Guid(0), std::string(*group)};
  const auto guid = line.guid(0, want);
  if (!guid) return forward(guid);
  return GuidOrGroup{*guid, {}};
}

}  // namespace

Result<std::vector<FiledPort>> read_ignored_ports(const std::string& path) {
  std::vector<FiledPort> ports;
  const auto status = read_option_file(path, [&](const OptionLine& line) -> Status {
    const auto target = guid_or_group(line, "the GUID of a port or node in hex");
    if (!target) return forward(target);
    FiledPort filed{target->guid, std::nullopt, line.place(), target->group};
    if (line.size() > 1 && filed.group.empty()) {
      const auto port = line.port(1);
      if (!port) return forward(port);
      filed.port = *port;
    }
    const std::size_t words = filed.group.empty() ? 2 : 1;
    ports.push_back(std::move(filed));
    return line.end(words);
  });
  if (!status) return forward(status);
  return ports;
}

std::vector<EndportId> resolve_ignored(const std::vector<FiledPort>& ports, const Fabric& fabric,
                                       std::vector<std::string>& warnings) {
  std::vector<EndportId> ignored;
  for (const FiledPort& filed : ports) {
    const auto endport = ignored_endport(filed, fabric);
    if (endport) {
      ignored.push_back(*endport);
    } else {
      warnings.push_back(fmt::format("{}: {}", filed.place, endport.error().message));
    }
  }
  std::ranges::sort(ignored);
  ignored.erase(std::unique(ignored.begin(), ignored.end()), ignored.end());
  return ignored;
}

Result<std::vector<FiledWeight>> read_hop_weights(const std::string& path) {
  std::vector<FiledWeight> weights;
  const auto status = read_option_file(path, [&](const OptionLine& line) -> Status {
    const auto guid = line.guid(0, "the GUID of a switch in hex");
    if (!guid) return forward(guid);
    const auto port = line.port(1);
    if (!port) return forward(port);
    const auto weight = line.number(2, 1, kHopWeightMax, "a weight from 1 to 255");
    if (!weight) return forward(weight);
    weights.push_back({*guid, *port, static_cast<std::uint32_t>(*weight), line.place()});
    return line.end(3);
  });
  if (!status) return forward(status);
  return weights;
}

std::vector<std::uint64_t> resolve_weights(const std::vector<FiledWeight>& weights,
                                           const Fabric& fabric,
                                           std::vector<std::string>& warnings) {
  std::vector<std::uint64_t> result(fabric.channel_count(), 1);
  for (const FiledWeight& filed : weights) {
    const auto sw = find_switch(fabric, filed, warnings);
    if (!sw || !has_port(fabric, *sw, filed.port, filed.place, warnings)) continue;
    // A port to a host or without a cable has no channel, so its weight is ignored.
    if (const ChannelId channel = fabric.channel_at(*sw, filed.port); channel != kNoChannel)
      result[channel.value()] = filed.weight;
  }
  if (std::ranges::all_of(result, [](std::uint64_t weight) { return weight == 1; })) result.clear();
  return result;
}

namespace {

bool is_counter_dump(const std::string& path) {
  bool found = false;
  const auto stop = for_each_line(path, [&](const LineReader&, std::string_view line) -> Status {
    if (trim(line).empty()) return {};
    found = trim(line).starts_with('"');
    return fail(Code::kUsage, "seen");
  });
  return !stop && found;
}

/// Reads entries of the form `"NAME" 0xGUID active TRUE port 1`, followed by lines of counters.
Result<std::vector<FiledNodeWeight>> read_counter_dump(const std::string& path) {
  std::vector<FiledNodeWeight> counted;
  const auto status =
      for_each_line(path, [&](const LineReader& at, std::string_view line) -> Status {
        const std::string_view text = trim(line);
        const auto wrong = [&](std::string_view want) {
          return fail(Code::kBadInput, "{}:{}: found {}, expected {}", path, at.line_number(),
                      quoted(text), want);
        };
        if (text.starts_with('"')) {
          const auto words = split_words(text.substr(text.rfind('"') + 1));
          const auto guid =
              words.empty() ? std::nullopt : parse_number<std::uint64_t>(words[0], 16);
          const auto port = words.size() == 5 && words[3] == "port"
                                ? parse_number<std::uint8_t>(words[4])
                                : std::nullopt;
          if (!guid || !port) return wrong("\"NAME\" GUID active TRUE|FALSE port N");
          counted.push_back({Guid(*guid),
                             1,
                             fmt::format("{}:{}", path, at.line_number()),
                             {},
                             CountedData{PortNum(*port)}});
          return {};
        }
        const bool sent = text.starts_with("xmit_data ");
        if (!sent && !text.starts_with("rcv_data ")) return {};
        const auto words = split_words(text);
        const auto value = words.size() >= 3 && words[1] == ":"
                               ? parse_number<std::uint64_t>(words[2])
                               : std::nullopt;
        if (!value || counted.empty())
          return wrong("a counter and its value after the line of a port");
        (sent ? counted.back().counted->sent : counted.back().counted->received) = *value;
        return {};
      });
  if (!status) return forward(status);
  return counted;
}

/// Sets the weight of each CA and router port, linear in the data that the port received: by its
/// own counter, or, if the dump does not have the port, by the counter of the neighbor switch port.
/// Lines of ports that are not in the fabric are skipped, because the dump may be older than the
/// fabric.
void weigh_by_counters(const std::vector<FiledNodeWeight>& lines, const Fabric& fabric,
                       std::vector<std::uint32_t>& weights) {
  std::vector<std::optional<std::uint64_t>> own(weights.size()), of_neighbor(weights.size());
  for (const FiledNodeWeight& line : lines) {
    const auto node = line.counted ? fabric.find_node(line.guid) : std::nullopt;
    const PortId port = node ? fabric.port_id(*node, line.counted->port) : kNoPort;
    if (port == kNoPort) continue;
    const PortId peer = fabric.port(port).peer;
    if (!fabric.is_switch(*node)) {
      if (const EndportId id = fabric.endport_at(port); id != kNoEndport)
        own[id.value()] = line.counted->received;
    } else if (peer != kNoPort && !fabric.is_switch(fabric.port(peer).node)) {
      of_neighbor[fabric.endport_at(peer).value()] = line.counted->sent;
    }
  }
  std::uint64_t most = 0;
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (!own[i]) own[i] = of_neighbor[i];
    most = std::max(most, own[i].value_or(0));
  }
  if (most == 0) return;
  const double scale = static_cast<double>(kMeasuredWeightMax - 1) / static_cast<double>(most);
  for (std::size_t i = 0; i < own.size(); ++i)
    if (own[i])
      weights[i] =
          1 + static_cast<std::uint32_t>(std::lround(static_cast<double>(*own[i]) * scale));
}

}  // namespace

Result<std::vector<FiledNodeWeight>> read_node_weights(const std::string& path) {
  if (is_counter_dump(path)) return read_counter_dump(path);
  std::vector<FiledNodeWeight> weights;
  const auto status = read_option_file(path, [&](const OptionLine& line) -> Status {
    const auto target = guid_or_group(line, "the GUID of a CA or router port in hex");
    if (!target) return forward(target);
    const auto weight = line.number(1, 0, kNodeWeightMax, "a weight from 0 to 1000000");
    if (!weight) return forward(weight);
    weights.push_back(
        {target->guid, static_cast<std::uint32_t>(*weight), line.place(), target->group});
    return line.end(2);
  });
  if (!status) return forward(status);
  return weights;
}

std::vector<std::uint32_t> resolve_node_weights(const std::vector<FiledNodeWeight>& weights,
                                                const Fabric& fabric,
                                                std::vector<std::string>& warnings) {
  if (weights.empty()) return {};
  std::vector<std::uint32_t> result(fabric.endports().size(), 1);
  weigh_by_counters(weights, fabric, result);
  for (const FiledNodeWeight& filed : weights) {
    if (filed.counted) continue;
    const auto endport = fabric.find_endport(filed.guid);
    if (endport && !fabric.is_switch(fabric.endport(*endport).node)) {
      result[endport->value()] = filed.weight;
    } else {
      warnings.push_back(fmt::format("{}: GUID 0x{:016x} is no CA or router port of this fabric",
                                     filed.place, filed.guid.value()));
    }
  }
  return result;
}

Result<std::vector<FiledPortOrder>> read_port_orders(const std::string& path) {
  std::vector<FiledPortOrder> orders;
  const auto status = read_option_file(path, [&](const OptionLine& line) -> Status {
    const auto guid = line.guid(0, "the GUID of a switch in hex");
    if (!guid) return forward(guid);
    FiledPortOrder filed{*guid, {}, line.place()};
    for (std::size_t word = 1; word < std::max<std::size_t>(line.size(), 2); ++word) {
      const auto port = line.port(word);
      if (!port) return forward(port);
      if (std::ranges::find(filed.ports, *port) != filed.ports.end())
        return line.wrong(word, "a port that the line does not list already");
      filed.ports.push_back(*port);
    }
    orders.push_back(std::move(filed));
    return {};
  });
  if (!status) return forward(status);
  return orders;
}

std::vector<std::uint8_t> resolve_port_orders(const std::vector<FiledPortOrder>& orders,
                                              const Fabric& fabric,
                                              std::vector<std::string>& warnings) {
  std::vector<std::uint8_t> position;
  for (const FiledPortOrder& filed : orders) {
    const auto sw = find_switch(fabric, filed, warnings);
    if (!sw) continue;
    if (position.empty()) position.assign(fabric.channel_count(), kUnlisted);
    const std::uint32_t first = fabric.first_channel(*sw).value();
    std::fill_n(position.begin() + first, fabric.channels_from(*sw).size(), kUnlisted);
    std::uint8_t place = 0;
    for (const PortNum port : filed.ports) {
      if (!has_port(fabric, *sw, port, filed.place, warnings)) continue;
      if (const ChannelId channel = fabric.channel_at(*sw, port); channel != kNoChannel)
        position[channel.value()] = place++;
    }
  }
  return position;
}

Result<std::vector<FiledSwitchId>> read_switch_ids(const std::string& path) {
  std::vector<FiledSwitchId> ids;
  const auto status = read_option_file(path, [&](const OptionLine& line) -> Status {
    const auto target = guid_or_group(line, "the GUID of a switch in hex");
    if (!target) return forward(target);
    const auto id =
        line.number(1, 0, std::numeric_limits<std::uint64_t>::max(), "an ID, a number of 64 bits");
    if (!id) return forward(id);
    ids.push_back({target->guid, *id, line.place(), target->group});
    return line.end(2);
  });
  if (!status) return forward(status);
  return ids;
}

std::vector<std::uint32_t> resolve_switch_ids(const std::vector<FiledSwitchId>& ids,
                                              const Fabric& fabric,
                                              std::vector<std::string>& warnings) {
  std::vector<std::uint64_t> id_of;
  for (const FiledSwitchId& filed : ids) {
    const auto sw = find_switch(fabric, filed, warnings);
    if (!sw) continue;
    if (id_of.empty())
      for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
        id_of.push_back(fabric.node(SwitchId(s)).node_guid.value());
    id_of[sw->value()] = filed.id;
  }
  std::vector<std::uint32_t> order(id_of.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t s) { return id_of[s]; });
  std::vector<std::uint32_t> position(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) position[order[i]] = i;
  return position;
}

}  // namespace weft
