// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "verify/dependencies.h"

#include <algorithm>
#include <bit>

#include "base/check.h"
#include "base/components.h"

namespace weft {
namespace {

constexpr std::size_t kWord = 64;

}  // namespace

std::vector<DependencyGraph::Row> DependencyGraph::layout(const Fabric& fabric, unsigned vls) {
  std::vector<Row> rows;
  rows.reserve(fabric.channel_count() + std::size_t{1});
  std::size_t begin = 0;
  for (const Channel& channel : fabric.channels()) {
    const auto nexts = static_cast<std::uint32_t>(fabric.channels_from(channel.to).size());
    rows.push_back({begin, fabric.first_channel(channel.to).value(), nexts});
    begin += std::size_t{nexts} * vls * vls;
  }
  rows.push_back({begin, 0, 0});
  return rows;
}

DependencyGraph::DependencyGraph(const Fabric& fabric, unsigned vls)
    : fabric_(fabric),
      vls_(vls),
      rows_(layout(fabric, vls)),
      bits_(rows_.back().begin / kWord + 1) {}

std::size_t DependencyGraph::bit(Vertex from, Vertex to) const {
  const Row& row = rows_[from.channel.value()];
  return row.begin +
         (std::size_t{from.vl} * row.nexts + (to.channel.value() - row.first_next)) * vls_ + to.vl;
}

void DependencyGraph::add(Vertex from, Vertex to) {
  const std::size_t at = bit(from, to);
  std::atomic<std::uint64_t>& word = bits_[at / kWord];
  const std::uint64_t mask = std::uint64_t{1} << (at % kWord);
  // Most dependencies exist already: reading first avoids contention for the cache line.
  if ((word.load(std::memory_order_relaxed) & mask) == 0)
    word.fetch_or(mask, std::memory_order_relaxed);
}

void DependencyGraph::add(const DependencyGraph& other) {
  CHECK(bits_.size() == other.bits_.size());
  for (std::size_t i = 0; i < bits_.size(); ++i)
    bits_[i].fetch_or(other.bits_[i].load(std::memory_order_relaxed), std::memory_order_relaxed);
}

void DependencyGraph::add_flat(const DependencyGraph& other, std::optional<unsigned> only) {
  for (std::size_t v = 0; v < other.vertex_count(); ++v) {
    const Vertex from = other.vertex(v);
    if (only && from.vl != *only) continue;
    for (const std::size_t w : other.successors(v)) {
      const Vertex to = other.vertex(w);
      if (!only || to.vl == *only) add({from.channel, 0}, {to.channel, 0});
    }
  }
}

std::uint64_t DependencyGraph::edge_count() const {
  std::uint64_t count = 0;
  for (const auto& word : bits_)
    count += static_cast<std::uint64_t>(std::popcount(word.load(std::memory_order_relaxed)));
  return count;
}

std::vector<std::size_t> DependencyGraph::successors(std::size_t from) const {
  const Vertex v = vertex(from);
  const Row& row = rows_[v.channel.value()];
  std::vector<std::size_t> found;
  for (std::uint32_t way = 0; way < row.nexts; ++way) {
    for (unsigned vl = 0; vl < vls_; ++vl) {
      const Vertex to{ChannelId(row.first_next + way), static_cast<std::uint8_t>(vl)};
      const std::size_t at = bit(v, to);
      if ((bits_[at / kWord].load(std::memory_order_relaxed) >> (at % kWord)) & 1)
        found.push_back(index(to));
    }
  }
  return found;
}

std::vector<std::size_t> DependencyGraph::any_cycle() const {
  enum class Colour : std::uint8_t { kNew, kOpen, kDone };
  struct Frame {
    std::size_t vertex;
    std::vector<std::size_t> next;
  };
  std::vector<Colour> colour(vertex_count(), Colour::kNew);
  std::vector<Frame> path;
  for (std::size_t start = 0; start < vertex_count(); ++start) {
    if (colour[start] != Colour::kNew) continue;
    colour[start] = Colour::kOpen;
    path.push_back({start, successors(start)});
    while (!path.empty()) {
      Frame& top = path.back();
      if (top.next.empty()) {
        colour[top.vertex] = Colour::kDone;
        path.pop_back();
        continue;
      }
      const std::size_t next = top.next.back();
      top.next.pop_back();
      if (colour[next] == Colour::kNew) {
        colour[next] = Colour::kOpen;
        path.push_back({next, successors(next)});
      } else if (colour[next] == Colour::kOpen) {
        const auto begin = std::ranges::find(path, next, &Frame::vertex);
        std::vector<std::size_t> cycle;
        std::ranges::transform(begin, path.end(), std::back_inserter(cycle), &Frame::vertex);
        return cycle;
      }
    }
  }
  return {};
}

std::vector<std::size_t> DependencyGraph::shortest_cycle_through(std::size_t start) const {
  constexpr std::size_t kUnseen = ~std::size_t{0};
  std::vector<std::size_t> parent(vertex_count(), kUnseen);
  std::vector<std::size_t> queue{start};
  for (std::size_t head = 0; head < queue.size(); ++head) {
    for (const std::size_t next : successors(queue[head])) {
      if (next == start) {
        std::vector<std::size_t> cycle;
        for (std::size_t at = queue[head]; at != start; at = parent[at]) cycle.push_back(at);
        cycle.push_back(start);
        std::ranges::reverse(cycle);
        return cycle;
      }
      if (parent[next] != kUnseen) continue;
      parent[next] = queue[head];
      queue.push_back(next);
    }
  }
  return {};
}

std::uint64_t DependencyGraph::vertices_on_cycles() const {
  std::vector<std::size_t> begins{0};
  std::vector<std::uint32_t> next;
  for (std::size_t v = 0; v < vertex_count(); ++v) {
    for (const std::size_t to : successors(v)) next.push_back(static_cast<std::uint32_t>(to));
    begins.push_back(next.size());
  }
  Components components(static_cast<std::uint32_t>(vertex_count()));
  components.begin();
  std::uint64_t count = 0;
  for (std::uint32_t v = 0; v < vertex_count(); ++v)
    components.visit(
        v,
        [&](std::uint32_t at, std::uint32_t k) {
          return begins[at] + k < begins[at + std::size_t{1}] ? next[begins[at] + k]
                                                              : Components::kNoMore;
        },
        [&](std::span<const std::uint32_t> members) {
          if (members.size() > 1) count += members.size();
        });
  return count;
}

std::vector<DependencyGraph::Vertex> DependencyGraph::find_cycle() const {
  const std::vector<std::size_t> found = any_cycle();
  if (found.empty()) return {};
  const std::vector<std::size_t> shortest = shortest_cycle_through(found.front());
  CHECK(!shortest.empty());
  std::vector<Vertex> cycle;
  cycle.reserve(shortest.size());
  for (const std::size_t at : shortest) cycle.push_back(vertex(at));
  return cycle;
}

}  // namespace weft
