// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "jobs/ranks.h"

#include <algorithm>
#include <utility>

namespace weft::jobs {

Ranks::Ranks(ScheduleBuilder& builder, const JobSpec& job, const Servers& servers,
             std::vector<RankPlace> places)
    : builder_(builder), job_(job), servers_(servers), places_(std::move(places)) {
  if (job.local_rate <= 0) return;
  for (std::uint32_t r = 0; r < 2 * count(); ++r) {
    const std::uint32_t channel =
        builder_.add_inner_channel(job.local_rate / kPicosecondsPerSecond);
    if (r == 0) first_inner_ = channel;
  }
}

std::uint32_t Ranks::host_on_rail(std::uint32_t server, std::uint32_t rail) const {
  const auto& hosts = servers_.hosts[server];
  return hosts[rail % hosts.size()];
}

/// A connection that does not cross the network: both hosts are equal.
Connection Ranks::inner(std::uint32_t from, std::uint32_t to) const {
  Connection connection{.from = places_[from].host, .to = places_[from].host};
  if (first_inner_ == kNoChannel) return connection;
  connection.first_inner = first_inner_ + 2 * from;
  connection.second_inner = first_inner_ + 2 * to + 1;
  return connection;
}

std::uint32_t Ranks::connect(std::uint32_t from, std::uint32_t to) {
  if (server(from) == server(to)) return builder_.connect(inner(from, to));
  Connection connection{.from = places_[from].host, .to = places_[to].host};
  if (job_.pxn && places_[from].rail != places_[to].rail) {
    connection.from = host_on_rail(server(from), places_[to].rail);
    if (first_inner_ != kNoChannel && connection.from != places_[from].host)
      connection.first_inner = first_inner_ + 2 * from;
  }
  return builder_.connect(connection);
}

std::uint32_t Ranks::connect_on_rail(std::uint32_t from, std::uint32_t to, std::uint32_t rail) {
  if (server(from) == server(to)) return connect(from, to);
  return builder_.connect(
      {.from = host_on_rail(server(from), rail), .to = host_on_rail(server(to), rail)});
}

std::uint32_t Ranks::connection(std::uint32_t from, std::uint32_t to) {
  const auto [at, is_new] = connections_.try_emplace(std::uint64_t{from} << 32 | to, 0);
  if (is_new) at->second = connect(from, to);
  return at->second;
}

std::uint32_t Ranks::processor(std::uint32_t rank) {
  return builder_.connect({.from = places_[rank].host,
                           .to = places_[rank].host,
                           .first_inner = builder_.add_inner_channel(1),
                           .computes = true});
}

OpId Ranks::send(std::uint32_t connection, double bytes, const Front& from, const Front& to) {
  const OpId op = builder_.send(connection, bytes);
  for (const OpId before : from) builder_.depend(op, before);
  for (const OpId before : to)
    if (std::ranges::find(from, before) == from.end()) builder_.depend(op, before);
  return op;
}

bool Ranks::is_local(std::span<const std::uint32_t> group) const {
  return std::ranges::all_of(group,
                             [&](std::uint32_t rank) { return server(rank) == server(group[0]); });
}

}  // namespace weft::jobs
