// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "exports/simgrid.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "exports/xml_text.h"
#include "fabric/link_rates.h"

namespace weft {
namespace {

constexpr double kMegabytesOfRate = 12.5;  // megabytes per second of 100 Mbit/s

/// A cable in one direction.
struct SimgridStep {
  std::uint32_t link = 0;
  bool up = true;  // from end a to end b of the link
};

class SimgridWriter {
 public:
  explicit SimgridWriter(const RoutedFabric& input)
      : input_(input),
        fabric_(input.fabric),
        links_(links_of(input)),
        ports_(ports_of_hosts(input)) {
    link_at_.assign(fabric_.port_count(), 0);
    for (std::uint32_t i = 0; i < links_.size(); ++i)
      link_at_[links_[i].a_port.value()] = link_at_[links_[i].b_port.value()] = i;
    name_nodes();
  }

  void write(const SimgridOptions& options, const Append& append) const {
    const bool routed = input_.routes != nullptr;
    append(
        fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                    "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
                    "<platform version=\"4.1\">\n  <zone id=\"fabric\" routing=\"{}\">\n",
                    routed ? "Full" : "Dijkstra"));
    if (routed) {
      write_ports(append);
      for (std::uint32_t i = 0; i < links_.size(); ++i)
        append(link(i, link_rate(fabric_.port(links_[i].a_port)), options));
      write_paths(append);
    } else {
      write_nodes(append);
      write_cables(options, append);
    }
    append("  </zone>\n</platform>\n");
  }

  /// Replaces `steps` by the path. Returns false if the tables have no path to the port.
  bool path(const HostPort& from, const HostPort& to, std::vector<SimgridStep>& steps) const {
    steps.clear();
    const Endport& target = fabric_.endport(to.endport);
    const Endport& source = fabric_.endport(from.endport);
    steps.push_back({link_at_[source.port.value()], true});
    SwitchId at = source.sw;
    for (std::uint32_t hops = 0; hops <= fabric_.switch_count(); ++hops) {
      const PortNum out = input_.routes->lfts.port(at, target.lid);
      if (at == target.sw) {
        steps.push_back({link_at_[target.port.value()], false});
        return out == target.sw_port;
      }
      const ChannelId id = fabric_.channel_at(at, out);
      if (id == kNoChannel) return false;
      const std::uint32_t link = link_at_[fabric_.port_id(Fabric::node_of(at), out).value()];
      steps.push_back({link, links_[link].a_port == fabric_.port_id(Fabric::node_of(at), out)});
      at = fabric_.channel(id).to;
    }
    return false;
  }

 private:
  /// Names the nodes. Names of hosts are unique, and so are names of switches; a switch with the
  /// name of a host gets its GUID instead.
  void name_nodes() {
    std::set<std::string> taken;
    for (const Host& host : input_.hosts) {
      names_.push_back(host.name);
      taken.insert(host.name);
    }
    for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s) {
      std::string name = input_.switches[s];
      if (!taken.insert(name).second)
        name = fmt::format("S-{:016x}", fabric_.node(SwitchId(s)).node_guid.value());
      names_.push_back(std::move(name));
    }
    std::vector<std::uint32_t> count(input_.hosts.size(), 0), number(input_.hosts.size(), 0);
    for (const HostPort& port : ports_) ++count[port.host];
    for (const HostPort& port : ports_)
      port_names_.push_back(count[port.host] == 1
                                ? names_[port.host]
                                : fmt::format("{}.{}", names_[port.host], ++number[port.host]));
  }

  void write_ports(const Append& append) const {
    for (std::size_t i = 0; i < ports_.size(); ++i) {
      const std::string& server = names_[ports_[i].host];
      append(server == port_names_[i]
                 ? fmt::format("    <host id=\"{}\" speed=\"1Gf\"/>\n", xml_text(server))
                 : fmt::format("    <host id=\"{}\" speed=\"1Gf\"><prop id=\"server\" "
                               "value=\"{}\"/></host>\n",
                               xml_text(port_names_[i]), xml_text(server)));
    }
  }

  void write_nodes(const Append& append) const {
    for (std::size_t n = 0; n < names_.size(); ++n)
      append(n < input_.hosts.size()
                 ? fmt::format("    <host id=\"{}\" speed=\"1Gf\"/>\n", xml_text(names_[n]))
                 : fmt::format("    <router id=\"{}\"/>\n", xml_text(names_[n])));
  }

  static std::string link(std::uint32_t number, std::uint64_t rate, const SimgridOptions& options) {
    return fmt::format(
        "    <link id=\"l{}\" bandwidth=\"{}MBps\" latency=\"{}ns\" "
        "sharing_policy=\"SPLITDUPLEX\"/>\n",
        number, kMegabytesOfRate * static_cast<double>(rate), options.delay_ns);
  }

  /// Writes the cables; all cables between the same two nodes are one link.
  void write_cables(const SimgridOptions& options, const Append& append) const {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> rates;
    for (const ExportLink& cable : links_)
      rates[{cable.a, cable.b}] += link_rate(fabric_.port(cable.a_port));
    std::uint32_t number = 0;
    for (const auto& [ends, rate] : rates) append(link(number++, rate, options));
    number = 0;
    for (const auto& [ends, rate] : rates) {
      const std::string a = xml_text(names_[ends.first]), b = xml_text(names_[ends.second]);
      for (const bool up : {true, false})
        append(
            fmt::format("    <route src=\"{}\" dst=\"{}\" symmetrical=\"NO\"><link_ctn id=\"l{}\" "
                        "direction=\"{}\"/></route>\n",
                        up ? a : b, up ? b : a, number, up ? "UP" : "DOWN"));
      ++number;
    }
  }

  void write_paths(const Append& append) const {
    std::vector<SimgridStep> steps;
    for (std::size_t from = 0; from < ports_.size(); ++from) {
      std::string text;
      for (std::size_t to = 0; to < ports_.size(); ++to) {
        if (from == to || !path(ports_[from], ports_[to], steps)) continue;
        text += fmt::format("    <route src=\"{}\" dst=\"{}\" symmetrical=\"NO\">",
                            xml_text(port_names_[from]), xml_text(port_names_[to]));
        for (const SimgridStep& step : steps)
          text += fmt::format("<link_ctn id=\"l{}\" direction=\"{}\"/>", step.link,
                              step.up ? "UP" : "DOWN");
        text += "</route>\n";
      }
      append(text);
    }
  }

  const RoutedFabric& input_;
  const Fabric& fabric_;
  std::vector<ExportLink> links_;
  std::vector<HostPort> ports_;
  std::vector<std::uint32_t> link_at_;  // by PortId
  std::vector<std::string> names_;      // hosts, then switches
  std::vector<std::string> port_names_;
};

}  // namespace

Status check_simgrid(const RoutedFabric& input) {
  if (input.hosts.empty())
    return fail(Code::kBadInput,
                "simgrid: the fabric has no hosts: a platform requires at least one host");
  if (input.routes == nullptr) return {};
  const auto ports = ports_of_hosts(input).size();
  const std::uint64_t routes = std::uint64_t{ports} * (ports - 1);
  if (routes > kSimgridRoutesMax)
    return fail(Code::kUsage,
                "simgrid: {} ports of hosts have {} paths, expected at most {}: without -R and "
                "--lfts, SimGrid computes shortest paths itself",
                ports, routes, kSimgridRoutesMax);
  const PathTally tally = tally_paths(input);
  if (tally.without > 0)
    return fail(Code::kUnroutable,
                "simgrid: {} of {} pairs of connected ports have no path: a platform requires a "
                "path for each pair",
                tally.without, tally.pairs);
  return {};
}

void write_simgrid(const RoutedFabric& input, const SimgridOptions& options, const Append& append) {
  SimgridWriter(input).write(options, append);
}

}  // namespace weft
