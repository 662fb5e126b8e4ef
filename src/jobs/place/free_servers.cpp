// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "jobs/place/free_servers.h"

#include <unordered_map>

#include "base/text.h"
#include "congestion/host_names.h"

namespace weft::jobs {
namespace {

class FreeNames {
 public:
  FreeNames(const RoutedNetwork& network, const Servers& servers)
      : network_(network), servers_(servers), hosts_(network), is_free_(network.host_count()) {
    for (std::uint32_t s = 0; s < servers.hosts.size(); ++s) {
      std::string name = server_name(network.node(network.node_of_host(servers.hosts[s].front())));
      const auto [at, is_new] = by_name_.try_emplace(std::move(name), s);
      if (!is_new) at->second = HostNames::kSeveral;
    }
  }

  Status add(const std::string& name, const std::string& where) {
    const auto refuse = [&](std::string_view reason) {
      return fail(Code::kBadInput, "{}: host {} {}", where, weft::quoted(name), reason);
    };
    const std::uint32_t host = hosts_.find(name);
    const auto server = by_name_.find(name);
    if (host < network_.host_count()) return take(host) ? Status{} : refuse("is listed twice");
    if (server != by_name_.end() && server->second != HostNames::kSeveral) {
      for (const std::uint32_t one : servers_.hosts[server->second])
        if (!take(one)) return refuse("is listed twice");
      return {};
    }
    if (host == HostNames::kSeveral || server != by_name_.end())
      return refuse("is the name of several hosts");
    return refuse("is not in the fabric");
  }

  std::vector<FreeServer> finish() const {
    std::vector<FreeServer> found;
    for (std::uint32_t s = 0; s < servers_.hosts.size(); ++s) {
      FreeServer one{s, {}};
      for (const std::uint32_t host : servers_.hosts[s])
        if (is_free_[host]) one.hosts.push_back(host);
      if (!one.hosts.empty()) found.push_back(std::move(one));
    }
    return found;
  }

 private:
  bool take(std::uint32_t host) {
    if (is_free_[host]) return false;
    is_free_[host] = true;
    return true;
  }

  const RoutedNetwork& network_;
  const Servers& servers_;
  HostNames hosts_;
  std::vector<bool> is_free_;  // by host
  std::unordered_map<std::string, std::uint32_t> by_name_;
};

}  // namespace

Result<std::vector<FreeServer>> free_servers(const RoutedNetwork& network, const Servers& servers,
                                             const std::string& list, const std::string& where) {
  const auto names = listed_names(list, where);
  if (!names) return forward(names);
  FreeNames free(network, servers);
  for (const std::string& name : *names)
    if (auto status = free.add(name, where); !status) return forward(status);
  return free.finish();
}

}  // namespace weft::jobs
