// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Pipelined trees: a binary tree of the servers, and a chain of the ranks of each server, which
// starts at the server's first rank. A double tree sends half of the bytes over a second tree. For
// an even number of servers, the inner nodes of the second tree are the leaves of the first tree.
#include <algorithm>
#include <bit>
#include <cmath>

#include "jobs/collectives/collectives.h"

namespace weft::jobs {
namespace {

/// Parent of node r in the binary tree of n nodes in which r and its parent differ by the lowest
/// bit of r; n for the root, which is node 0.
std::uint32_t parent_in_tree(std::uint32_t r, std::uint32_t n) {
  if (r == 0) return n;
  const std::uint32_t bit = r & (~r + 1);
  const std::uint32_t up = (r ^ bit) | (bit << 1);
  return up < n ? up : r ^ bit;
}

/// By place in the group: the place of the parent; at the root, its own place.
using Parents = std::vector<std::uint32_t>;

Parents tree_of(const Ranks& ranks, const Group& group, bool is_second) {
  std::vector<Group> servers;  // places by server
  std::unordered_map<std::uint32_t, std::size_t> index;
  for (std::uint32_t i = 0; i < group.size(); ++i) {
    const auto [at, is_new] = index.try_emplace(ranks.server(group[i]), servers.size());
    if (is_new) servers.emplace_back();
    servers[at->second].push_back(i);
  }
  const auto n = static_cast<std::uint32_t>(servers.size());
  const auto node_of = [&](std::uint32_t s) {
    if (!is_second) return s;
    return n % 2 == 0 ? n - 1 - s : (s + n - 1) % n;
  };
  std::vector<std::uint32_t> server_of_node(n);
  for (std::uint32_t s = 0; s < n; ++s) server_of_node[node_of(s)] = s;
  Parents parents(group.size());
  for (std::uint32_t s = 0; s < n; ++s) {
    const std::uint32_t up = parent_in_tree(node_of(s), n);
    parents[servers[s][0]] = up == n ? servers[s][0] : servers[server_of_node[up]][0];
    for (std::size_t i = 1; i < servers[s].size(); ++i) parents[servers[s][i]] = servers[s][i - 1];
  }
  return parents;
}

/// The places in an order in which each place follows its parent.
std::vector<std::uint32_t> order_from_root(const Parents& parents) {
  std::vector<std::vector<std::uint32_t>> children(parents.size());
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < parents.size(); ++i)
    if (parents[i] == i)
      order.push_back(i);
    else
      children[parents[i]].push_back(i);
  for (std::size_t i = 0; i < order.size(); ++i)
    order.insert(order.end(), children[order[i]].begin(), children[order[i]].end());
  return order;
}

class PipelinedTree {
 public:
  PipelinedTree(Ranks& ranks, const Group& group, Parents parents, const std::vector<Front>& fronts)
      : ranks_(ranks),
        group_(group),
        parents_(std::move(parents)),
        order_(order_from_root(parents_)),
        fronts_(fronts),
        up_(group.size(), kNoOp),
        down_(group.size(), kNoOp),
        received_(group.size()) {
    for (std::uint32_t i = 0; i < group.size(); ++i) {
      up_connections_.push_back(parents_[i] == i ? kDelay
                                                 : ranks.connection(group[i], group[parents_[i]]));
      down_connections_.push_back(
          parents_[i] == i ? kDelay : ranks.connection(group[parents_[i]], group[i]));
    }
  }

  /// Adds the messages that carry a chunk to the root, from the root, or both.
  void add_chunk(double bytes, bool reduces, bool broadcasts) {
    for (auto& ops : received_) ops.clear();
    if (reduces)
      for (auto at = order_.rbegin(); at != order_.rend(); ++at) send_up(*at, bytes);
    if (!broadcasts) return;
    for (const std::uint32_t i : order_) send_down(i, bytes);
  }

  const Parents& parents() const { return parents_; }
  OpId last_up(std::uint32_t place) const { return up_[place]; }
  OpId last_down(std::uint32_t place) const { return down_[place]; }

 private:
  /// Adds a message of the current chunk. The message starts after `previous`, the previous message
  /// of the connection, or, if there is none, after the fronts of both ranks; and after the
  /// messages by which `from` received the chunk.
  OpId send(std::uint32_t connection, double bytes, OpId previous, std::uint32_t from,
            std::uint32_t to) {
    OpId op = kNoOp;
    if (previous == kNoOp) {
      op = ranks_.send(connection, bytes, fronts_[group_[from]], fronts_[group_[to]]);
    } else {
      op = ranks_.builder().send(connection, bytes);
      ranks_.builder().depend(op, previous);
    }
    for (const OpId before : received_[from]) ranks_.builder().depend(op, before);
    return op;
  }
  void send_up(std::uint32_t i, double bytes) {
    if (parents_[i] == i) return;
    up_[i] = send(up_connections_[i], bytes, up_[i], i, parents_[i]);
    received_[parents_[i]].push_back(up_[i]);
  }
  void send_down(std::uint32_t i, double bytes) {
    if (parents_[i] == i) return;
    down_[i] = send(down_connections_[i], bytes, down_[i], parents_[i], i);
    received_[i].assign(1, down_[i]);
  }

  Ranks& ranks_;
  const Group& group_;
  Parents parents_;
  std::vector<std::uint32_t> order_;
  const std::vector<Front>& fronts_;
  std::vector<std::uint32_t> up_connections_, down_connections_;
  std::vector<OpId> up_, down_;              // by place, the last message to or from its parent
  std::vector<std::vector<OpId>> received_;  // by place, ops that received the current chunk
};

}  // namespace

void add_trees(Ranks& ranks, const Group& group, const CollectiveSpec& spec,
               std::vector<Front>& fronts) {
  constexpr double kChunk = 1 << 20;
  constexpr double kChunksMax = 64;
  const double trees = spec.algorithm == Algorithm::kDoubleTree ? 2 : 1;
  const double bytes = spec.bytes / trees;
  const double chunks = spec.chunk > 0 ? std::clamp(std::ceil(bytes / spec.chunk), 1.0, 4096.0)
                                       : std::clamp(std::ceil(bytes / kChunk), 1.0, kChunksMax);
  const bool reduces = spec.work != Work::kBroadcast;
  const bool broadcasts = spec.work != Work::kReduce;
  std::vector<std::vector<OpId>> last(group.size());
  for (double tree = 0; tree < trees; ++tree) {
    PipelinedTree pipelined(ranks, group, tree_of(ranks, group, tree > 0), fronts);
    for (double chunk = 0; chunk < chunks; ++chunk)
      pipelined.add_chunk(bytes / chunks, reduces, broadcasts);
    for (std::uint32_t i = 0; i < group.size(); ++i) {
      const std::uint32_t up = pipelined.parents()[i];
      for (const std::uint32_t place : {i, up})
        for (const OpId op : {pipelined.last_up(i), pipelined.last_down(i)})
          last[place].push_back(up == i ? kNoOp : op);
    }
  }
  for (std::uint32_t i = 0; i < group.size(); ++i)
    fronts[group[i]] = {ranks.builder().join(last[i]), kNoOp};
}

}  // namespace weft::jobs
