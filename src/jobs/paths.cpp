// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "jobs/paths.h"

#include <algorithm>
#include <limits>

namespace weft::jobs {

double capacity_of(const NetChannel& channel) {
  constexpr std::uint32_t kUnknownRate = 1000;                             // rate of 4x EDR
  constexpr double kBytesPerPicosecond = 1e8 / 8 / kPicosecondsPerSecond;  // at 100 Mbit/s
  return (channel.rate == 0 ? kUnknownRate : channel.rate) * kBytesPerPicosecond;
}

Paths::Paths(const RoutedNetwork& network, const Schedule& schedule, const PathOptions& options)
    : network_(&network),
      options_(options),
      first_inner_(network.channel_count()),
      into_host_(network.host_count(), RoutedNetwork::kNone),
      cached_(schedule.connections.size()) {
  for (std::uint32_t c = 0; c < network.channel_count(); ++c)
    if (network.is_host(network.channel(c).to))
      into_host_[network.host_of_node(network.channel(c).to)] = c;
}

void Paths::set_network(const RoutedNetwork& network) {
  network_ = &network;
  std::ranges::fill(cached_, Cached{});
  pool_.clear();
}

tl::unexpected<Error> Paths::no_route(const Connection& connection) const {
  return fail(Code::kUnroutable, "no route from {} to {}",
              network_->describe_node(network_->node_of_host(connection.from)),
              network_->describe_node(network_->node_of_host(connection.to)));
}

Status Paths::walk(const Connection& connection, std::uint32_t path) {
  if (options_.crossbar) {
    const std::uint32_t node = network_->node_of_host(connection.from);
    path_.push_back({network_->next(node, connection.to, path)});
    path_.push_back({into_host_[connection.to]});
    if (path_[path_.size() - 2].channel == RoutedNetwork::kNone ||
        path_.back().channel == RoutedNetwork::kNone)
      return no_route(connection);
    return {};
  }
  if (network_->walk(connection.from, connection.to, path, route_).end != NetWalkEnd::kArrived)
    return no_route(connection);
  for (const std::uint32_t channel : route_) path_.push_back({channel});
  return {};
}

Status Paths::walk_greedily(const Connection& connection, std::uint32_t path,
                            const MaxMinRates& rates) {
  const std::uint32_t goal = network_->node_of_host(connection.to);
  std::uint32_t at = network_->node_of_host(connection.from);
  const std::uint8_t sl = network_->sl(connection.from, connection.to, path);
  std::uint32_t table = 0;
  const std::size_t hops_max = std::size_t{network_->node_count()} * network_->table_count();
  for (std::size_t hops = 0; at != goal; ++hops) {
    const std::uint32_t own = network_->next(at, connection.to, path);
    std::uint32_t best = own;
    double least = std::numeric_limits<double>::infinity();
    for (const std::uint32_t channel : network_->choices(at, connection.to, path, table)) {
      const double load = (rates.load(channel) + 1) / rates.capacity(channel);
      if (load > least || (load == least && channel != own)) continue;
      least = load;
      best = channel;
    }
    if (best == RoutedNetwork::kNone || hops >= hops_max) return no_route(connection);
    path_.push_back({best});
    at = network_->channel_heads()[best];
    table = network_->table(best, sl);
  }
  return {};
}

/// Splits a message evenly among the ports of AR groups: hop by hop, at each node on the paths. The
/// parts for different tables of a node are separate.
Status Paths::split(const Connection& connection, std::uint32_t path, double weight) {
  const std::uint32_t tables = network_->table_count();
  amount_.resize(std::size_t{network_->node_count()} * tables, 0.0);
  const std::uint32_t goal = network_->node_of_host(connection.to);
  const std::uint8_t sl = network_->sl(connection.from, connection.to, path);
  here_.assign(1, {network_->node_of_host(connection.from) * tables, weight});
  for (std::uint32_t hops = 0; !here_.empty(); ++hops) {
    if (hops >= amount_.size()) return no_route(connection);
    there_.clear();
    const auto send = [&](std::uint32_t channel, double part) {
      path_.push_back({channel, static_cast<float>(part)});
      const std::uint32_t to = network_->channel_heads()[channel];
      if (to == goal) return;
      const std::uint32_t place = to * tables + network_->table(channel, sl);
      if (amount_[place] == 0) there_.emplace_back(place, 0.0);
      amount_[place] += part;
    };
    bool is_lost = false;
    for (const auto& [place, part] : here_) {
      const std::uint32_t node = place / tables;
      const auto choices = network_->choices(node, connection.to, path, place % tables);
      const std::uint32_t own = network_->next(node, connection.to, path);
      for (const std::uint32_t channel : choices)
        send(channel, part / static_cast<double>(choices.size()));
      if (!choices.empty()) continue;
      if (own == RoutedNetwork::kNone)
        is_lost = true;
      else
        send(own, part);
    }
    for (auto& [place, part] : there_) part = std::exchange(amount_[place], 0.0);
    if (is_lost) return no_route(connection);
    std::swap(here_, there_);
  }
  return {};
}

/// Merges the entries of each channel, because MaxMinRates::add() requires different channels.
void Paths::merge_equal_channels() {
  std::ranges::stable_sort(path_, std::ranges::less{}, &Hop::channel);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < path_.size(); ++i) {
    if (kept > 0 && path_[kept - 1].channel == path_[i].channel)
      path_[kept - 1].weight += path_[i].weight;
    else
      path_[kept++] = path_[i];
  }
  path_.resize(kept);
}

void Paths::add_inner(const Connection& connection) {
  if (connection.first_inner != kNoChannel)
    path_.push_back({first_inner_ + connection.first_inner});
  if (connection.second_inner != kNoChannel)
    path_.push_back({first_inner_ + connection.second_inner});
}

Status Paths::load_static(const Connection& connection, std::uint32_t id) {
  path_.clear();
  if (connection.from != connection.to) {
    const std::uint32_t path =
        options_.spread == Spread::kBySource ? connection.from % network_->paths() : 0;
    if (auto status = walk(connection, path); !status) return status;
  }
  const auto net_hops = static_cast<std::uint32_t>(path_.size());
  add_inner(connection);
  cached_[id] = {static_cast<std::uint32_t>(pool_.size()), net_hops};
  pool_.insert(pool_.end(), path_.begin(), path_.end());
  return {};
}

Result<std::uint32_t> Paths::hop_count(const Connection& connection, std::uint32_t id) {
  if (cached_[id].first == kUnknown)
    if (auto status = load_static(connection, id); !status) return forward(status);
  return cached_[id].count;
}

Result<std::span<const Hop>> Paths::of(const Connection& connection, std::uint32_t id, OpId message,
                                       const MaxMinRates& rates) {
  const bool adapts = network_->is_adaptive() && options_.selection != PortSelection::kStatic;
  const bool spreads = network_->paths() > 1 &&
                       (options_.spread == Spread::kRandom || options_.spread == Spread::kAll);
  if (connection.from == connection.to || options_.crossbar || (!adapts && !spreads)) {
    if (const auto hops = hop_count(connection, id); !hops) return forward(hops);
    const std::uint32_t inner = (connection.first_inner != kNoChannel ? 1U : 0U) +
                                (connection.second_inner != kNoChannel ? 1U : 0U);
    return std::span<const Hop>(pool_).subspan(cached_[id].first, cached_[id].count + inner);
  }
  path_.clear();
  const std::uint32_t all = options_.spread == Spread::kAll ? network_->paths() : 1;
  const std::uint32_t first =
      options_.spread == Spread::kRandom
          ? static_cast<std::uint32_t>(Rng(options_.seed).fork(message).below(network_->paths()))
      : options_.spread == Spread::kBySource ? connection.from % network_->paths()
                                             : 0;
  for (std::uint32_t path = first; path < first + all; ++path) {
    const std::size_t before = path_.size();
    const bool splits = adapts && options_.selection == PortSelection::kSplit;
    const Status status = splits   ? split(connection, path, 1.0 / all)
                          : adapts ? walk_greedily(connection, path, rates)
                                   : walk(connection, path);
    if (!status) return forward(status);
    if (!splits)
      for (std::size_t i = before; i < path_.size(); ++i)
        path_[i].weight = static_cast<float>(1.0 / all);
  }
  merge_equal_channels();
  add_inner(connection);
  return std::span<const Hop>(path_);
}

}  // namespace weft::jobs
