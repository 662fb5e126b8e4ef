// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "verify/dependencies.h"

#include <algorithm>
#include <bit>
#include <span>
#include <utility>

#include "base/check.h"
#include "base/components.h"

namespace weft {
namespace {

constexpr std::size_t kWord = 64;

/// Depth-first search on sets of 64 vertices. The vertices that start at a switch, `lanes` for each
/// channel, have consecutive bits. successors(channel, lane, word) has the successors of a vertex
/// among the vertices that start at the switch where the channel ends.
template <class Successors>
class AcyclicSearch {
 public:
  AcyclicSearch(const Fabric& fabric, std::size_t lanes, const Successors& successors)
      : fabric_(fabric), lanes_(lanes), successors_(successors) {
    begins_.push_back(0);
    for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
      begins_.push_back(begins_.back() + (vertices_from(s) + kWord - 1) / kWord);
    done_.assign(begins_.back(), 0);
    open_.assign(begins_.back(), 0);
  }

  bool finds_none() {
    for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s)
      for (std::size_t v = 0; v < vertices_from(s); ++v)
        if (!finds_none_from(s, v)) return false;
    return true;
  }
  /// True if no cycle is reachable from the channels.
  bool finds_none_from(std::span<const ChannelId> channels) {
    for (const ChannelId channel : channels) {
      const SwitchId from = fabric_.channel(channel).from;
      const std::size_t first = (channel.value() - fabric_.first_channel(from).value()) * lanes_;
      for (std::size_t lane = 0; lane < lanes_; ++lane)
        if (!finds_none_from(from.value(), first + lane)) return false;
    }
    return true;
  }

 private:
  struct Frame {
    std::uint32_t channel;
    std::uint32_t lane;
    std::uint32_t to;        // the switch where the channel ends
    std::uint32_t word = 0;  // index of a word of the successors
    std::uint64_t left = 0;  // successors in this word that have not been visited
    std::size_t own;         // bit of the vertex
  };

  bool finds_none_from(std::uint32_t s, std::size_t v) {
    if ((done_[begins_[s] + v / kWord] >> (v % kWord) & 1) != 0) return true;
    enter(s, v);
    return close_all();
  }
  std::size_t vertices_from(std::uint32_t s) const {
    return fabric_.channels_from(SwitchId(s)).size() * lanes_;
  }
  void enter(std::uint32_t s, std::size_t v) {
    const auto channel =
        static_cast<std::uint32_t>(fabric_.first_channel(SwitchId(s)).value() + v / lanes_);
    const auto lane = static_cast<std::uint32_t>(v % lanes_);
    const std::uint32_t to = fabric_.channel(ChannelId(channel)).to.value();
    const std::size_t own = begins_[s] * kWord + v;
    open_[own / kWord] |= std::uint64_t{1} << (own % kWord);
    const std::uint64_t first = begins_[to] == begins_[to + 1] ? 0 : successors_(channel, lane, 0);
    path_.push_back({channel, lane, to, 0, first, own});
  }
  /// Visits all vertices that are reachable from the open vertices; false if an edge leads to an
  /// open vertex.
  bool close_all() {
    while (!path_.empty()) {
      Frame& top = path_.back();
      const std::size_t at = begins_[top.to] + top.word;
      if (top.left != 0) top.left &= ~done_[at];
      if (top.left != 0) {
        if ((top.left & open_[at]) != 0) return false;
        const auto next = static_cast<std::size_t>(std::countr_zero(top.left));
        top.left &= top.left - 1;
        enter(top.to, top.word * kWord + next);
      } else if (at + 1 < begins_[top.to + 1]) {
        top.left = successors_(top.channel, top.lane, ++top.word);
      } else {
        const std::uint64_t own = std::uint64_t{1} << (top.own % kWord);
        open_[top.own / kWord] &= ~own;
        done_[top.own / kWord] |= own;
        path_.pop_back();
      }
    }
    return true;
  }

  const Fabric& fabric_;
  const std::size_t lanes_;
  const Successors& successors_;
  std::vector<std::size_t> begins_;  // by switch: first word of the vertices that start there
  std::vector<std::uint64_t> done_, open_;
  std::vector<Frame> path_;
};

}  // namespace

DependencyGraph::Rows DependencyGraph::layout(const Fabric& fabric, std::size_t stride) {
  Rows rows;
  rows.reserve(fabric.channel_count() + std::size_t{1});
  std::size_t begin = 0;
  for (const Channel& channel : fabric.channels()) {
    const auto nexts = static_cast<std::uint32_t>(fabric.channels_from(channel.to).size());
    rows.push_back({begin, fabric.first_channel(channel.to).value(), nexts});
    begin += nexts * stride;
  }
  rows.push_back({begin, 0, 0});
  return rows;
}

DependencyGraph::DependencyGraph(const Fabric& fabric, unsigned vls, Lanes lanes)
    : DependencyGraph(fabric, vls, lanes, nullptr) {}

DependencyGraph::DependencyGraph(const Fabric& fabric, unsigned vls, Lanes lanes,
                                 std::shared_ptr<const Rows> rows)
    : fabric_(&fabric),
      vls_(vls),
      lanes_(vls == 1 ? Lanes::kKept : lanes),
      stride_(lanes_ == Lanes::kKept ? std::bit_ceil(vls) : std::size_t{vls} * vls),
      rows_(rows ? std::move(rows) : std::make_shared<const Rows>(layout(fabric, stride_))),
      first_row_(rows_->data()),
      bits_(rows_->back().begin / kWord + 2) {}

std::size_t DependencyGraph::bit(Vertex from, Vertex to) const {
  const Row& row = this->row(from.channel);
  if (lanes_ == Lanes::kKept) {
    CHECK(from.vl == to.vl);
    return row.begin + (to.channel.value() - row.first_next) * stride_ + to.vl;
  }
  return row.begin +
         (std::size_t{from.vl} * row.nexts + (to.channel.value() - row.first_next)) * vls_ + to.vl;
}

void DependencyGraph::add(Vertex from, Vertex to) {
  const std::size_t at = bit(from, to);
  std::atomic<std::uint64_t>& word = bits_[at / kWord];
  const std::uint64_t mask = std::uint64_t{1} << (at % kWord);
  // Most dependencies are already set: reading first avoids contention for the cache line.
  if ((word.load(std::memory_order_relaxed) & mask) == 0)
    word.fetch_or(mask, std::memory_order_relaxed);
}

void DependencyGraph::add_vls(ChannelId from, ChannelId to, std::uint64_t vls) {
  Marker(*this).mark(bit({from, 0}, {to, 0}), vls);
}

void DependencyGraph::add(const DependencyGraph& other) {
  CHECK(bits_.size() == other.bits_.size() && lanes_ == other.lanes_);
  for (std::size_t i = 0; i < bits_.size(); ++i)
    bits_[i].store(
        bits_[i].load(std::memory_order_relaxed) | other.bits_[i].load(std::memory_order_relaxed),
        std::memory_order_relaxed);
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

DependencyGraph DependencyGraph::copy() const {
  DependencyGraph result = without_edges();
  result.add(*this);
  return result;
}

DependencyGraph DependencyGraph::without_edges() const { return {*fabric_, vls_, lanes_, rows_}; }

void DependencyGraph::refer_to(const Fabric& fabric) {
  CHECK(fabric.channel_count() + std::size_t{1} == rows_->size());  // fabric_ may dangle
  fabric_ = &fabric;
}

bool DependencyGraph::same_edges(const DependencyGraph& other) const {
  return std::ranges::equal(bits_, other.bits_, [](const auto& a, const auto& b) {
    return a.load(std::memory_order_relaxed) == b.load(std::memory_order_relaxed);
  });
}

std::uint64_t DependencyGraph::vls(ChannelId from, ChannelId to) const {
  return bits(bit({from, 0}, {to, 0}), stride_);
}

void DependencyGraph::set_vls(ChannelId from, ChannelId to, std::uint64_t vls) {
  const std::size_t at = bit({from, 0}, {to, 0});
  std::atomic<std::uint64_t>& word = bits_[at / kWord];
  const std::uint64_t all = (std::uint64_t{1} << stride_) - 1;
  word.store((word.load(std::memory_order_relaxed) & ~(all << (at % kWord))) | (vls & all)
                                                                                   << (at % kWord),
             std::memory_order_relaxed);
}

void DependencyGraph::copy_rows(ChannelId first, std::uint32_t channels,
                                const DependencyGraph& other, ChannelId others_first) {
  CHECK(lanes_ == Lanes::kKept && other.lanes_ == lanes_ && stride_ == other.stride_);
  const std::size_t begin = row(first).begin;
  const std::size_t others_begin = other.row(others_first).begin;
  const std::size_t count = row(ChannelId(first.value() + channels)).begin - begin;
  CHECK(other.row(ChannelId(others_first.value() + channels)).begin - others_begin == count);
  for (std::size_t done = 0; done < count;) {
    const std::size_t at = begin + done;
    const std::size_t some = std::min(count - done, kWord - at % kWord);
    std::atomic<std::uint64_t>& word = bits_[at / kWord];
    word.store(word.load(std::memory_order_relaxed) | other.bits(others_begin + done, some)
                                                          << (at % kWord),
               std::memory_order_relaxed);
    done += some;
  }
}

std::vector<std::size_t> DependencyGraph::successors(std::size_t from) const {
  const Vertex v = vertex(from);
  const Row& row = this->row(v.channel);
  std::vector<std::size_t> found;
  const bool kept = lanes_ == Lanes::kKept;
  for (std::uint32_t i = 0; i < row.nexts; ++i) {
    for (unsigned vl = kept ? v.vl : 0u; vl < (kept ? v.vl + 1u : vls_); ++vl) {
      const Vertex to{ChannelId(row.first_next + i), static_cast<std::uint8_t>(vl)};
      const std::size_t at = bit(v, to);
      if ((bits_[at / kWord].load(std::memory_order_relaxed) >> (at % kWord)) & 1)
        found.push_back(index(to));
    }
  }
  return found;
}

/// Reads `count` bits, at most 64.
std::uint64_t DependencyGraph::bits(std::size_t at, std::size_t count) const {
  const std::atomic<std::uint64_t>* const words = bits_.data() + at / kWord;
  const std::size_t shift = at % kWord;
  std::uint64_t found = words[0].load(std::memory_order_relaxed) >> shift;
  if (shift != 0) found |= words[1].load(std::memory_order_relaxed) << (kWord - shift);
  return count < kWord ? found & ((std::uint64_t{1} << count) - 1) : found;
}

/// The channels in a word of 64 on which a channel depends on one of the VLs. Packets must keep
/// their VL.
std::uint64_t DependencyGraph::pairs_on(std::uint32_t channel, std::size_t word,
                                        std::uint64_t vls) const {
  const Row& row = first_row_[channel];
  const std::size_t first = word * kWord;
  const std::size_t count = std::min<std::size_t>(kWord, row.nexts - first);
  if (stride_ == 1) return bits(row.begin + first, count);
  std::uint64_t found = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t of_pair = bits(row.begin + (first + i) * stride_, stride_);
    found |= std::uint64_t{(of_pair & vls) != 0} << i;
  }
  return found;
}

bool DependencyGraph::is_acyclic_on(std::uint64_t vls, const std::vector<ChannelId>* from) const {
  const auto successors = [&](std::uint32_t channel, std::uint32_t, std::size_t word) {
    return pairs_on(channel, word, vls);
  };
  AcyclicSearch search(*fabric_, 1, successors);
  return from == nullptr ? search.finds_none() : search.finds_none_from(*from);
}

bool DependencyGraph::is_acyclic_mixed() const {
  const auto successors = [&](std::uint32_t channel, std::uint32_t vl, std::size_t word) {
    const Row& row = first_row_[channel];
    const std::size_t all = row.nexts * std::size_t{vls_};
    return bits(row.begin + vl * all + word * kWord, all - word * kWord);
  };
  return AcyclicSearch(*fabric_, vls_, successors).finds_none();
}

bool DependencyGraph::is_acyclic_on_one_lane() const {
  CHECK(lanes_ == Lanes::kKept);
  return is_acyclic_on(~std::uint64_t{0});
}

bool DependencyGraph::is_acyclic() const {
  return lanes_ == Lanes::kMixed ? is_acyclic_mixed() : is_acyclic_kept(nullptr);
}

bool DependencyGraph::is_acyclic_behind(const std::vector<ChannelId>& channels) const {
  CHECK(lanes_ == Lanes::kKept);
  return is_acyclic_kept(&channels);
}

bool DependencyGraph::is_acyclic_kept(const std::vector<ChannelId>* from) const {
  if (is_acyclic_on(~std::uint64_t{0}, from)) return true;
  for (unsigned vl = 0; vls_ > 1 && vl < vls_; ++vl)
    if (!is_acyclic_on(std::uint64_t{1} << vl, from)) return false;
  return vls_ > 1;
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
  if (is_acyclic()) return {};
  const std::vector<std::size_t> found = any_cycle();
  const std::vector<std::size_t> shortest = shortest_cycle_through(found.front());
  CHECK(!shortest.empty());
  std::vector<Vertex> cycle;
  cycle.reserve(shortest.size());
  for (const std::size_t at : shortest) cycle.push_back(vertex(at));
  return cycle;
}

}  // namespace weft
