// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/transition/table_order.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <tuple>

#include "base/components.h"
#include "base/parallel.h"

namespace weft {
namespace {

constexpr std::uint16_t kNoPeer = 0xFFFF;
constexpr std::uint64_t kAllLids = ~std::uint64_t{0};

/// Data shared by all threads.
struct Task {
  Task(const Fabric& fabric, const HeldTables& held, const Lfts& lfts, std::span<const Op> all)
      : switches(fabric.switch_count()), wanted(lfts), ops(all), tables(switches) {
    for (std::uint32_t s = 0; s < switches; ++s)
      stride = std::max<std::size_t>(stride, fabric.node(SwitchId(s)).port_count + std::size_t{1});
    peer_of_port.assign(switches * stride, kNoPeer);
    for (const Channel& channel : fabric.channels())
      peer_of_port[channel.from.value() * stride + channel.from_port.value()] =
          static_cast<std::uint16_t>(channel.to.value());
    for (std::uint32_t s = 0; s < switches; ++s)
      tables[s] = held.find(fabric.node(SwitchId(s)).node_guid);
    // Sorts by block, with a counting sort.
    begins.assign(lfts.blocks() + 1, 0);
    for (const Op& op : ops) ++begins[op.index + std::size_t{1}];
    for (std::size_t b = 1; b < begins.size(); ++b) begins[b] += begins[b - 1];
    by_block.resize(ops.size());
    std::vector<std::uint32_t> at(begins.begin(), begins.end() - 1);
    for (std::uint32_t i = 0; i < ops.size(); ++i) by_block[at[ops[i].index]++] = i;
  }

  std::uint32_t next(std::uint32_t sw, std::uint8_t port) const {
    return port < stride ? peer_of_port[sw * stride + port] : kNoPeer;
  }
  std::span<const std::uint32_t> ops_of(std::size_t block) const {
    return std::span(by_block).subspan(begins[block], begins[block + 1] - begins[block]);
  }

  std::uint32_t switches;
  const Lfts& wanted;
  std::span<const Op> ops;
  std::vector<const HeldTable*> tables;  // by switch
  std::size_t stride = 0;
  std::vector<std::uint16_t> peer_of_port;  // by switch and port: the switch behind it
  std::vector<std::uint32_t> begins;        // start of each block in by_block
  std::vector<std::uint32_t> by_block;      // indices of ops
};

/// A write other than the default, which is a write of the whole block in the first round of the
/// stage.
struct TimedWrite {
  std::uint32_t op;
  std::uint32_t round;
  std::uint64_t lids;  // LIDs of the block that change in this write
};

struct BlockResult {
  std::vector<TimedWrite> timed;  // all writes of the ops that have such a write
  std::uint32_t last_round = 0;
  std::uint64_t ordered = 0;    // mask of LIDs
  std::uint64_t unordered = 0;  // mask of LIDs
};

/// Switch `after` changes its entry for the LID only after switch `first`.
struct Constraint {
  std::uint32_t after, first;
  std::uint8_t lid;  // index of the LID in the block
};

/// Orders blocks one after the other; one instance per thread.
class BlockOrderer {
 public:
  explicit BlockOrderer(const Task& task)
      : task_(task),
        fresh_(task.switches),
        stale_(task.switches),
        moved_(task.switches, 0),
        loops_(task.switches),
        waits_(task.switches),
        component_(task.switches),
        next_(task.switches, Components::kNoMore),
        level_(task.switches),
        op_(task.switches) {}

  void order(std::size_t block, BlockResult& result) {
    const auto ops = task_.ops_of(block);
    if (!load(block, ops)) return;
    constraints_.clear();
    for (unsigned lid = 0; lid < kLftBlock; ++lid) constrain(lid, ops, result);
    for (const Constraint& c : constraints_) result.ordered |= std::uint64_t{1} << c.lid;
    if (!constraints_.empty()) schedule(result);
  }

 private:
  /// Loads a block. False if no old entries are active, so that every order is safe.
  bool load(std::size_t block, std::span<const std::uint32_t> ops) {
    std::ranges::fill(moved_, 0);
    for (std::uint32_t s = 0; s < task_.switches; ++s)
      fresh_[s] = task_.wanted.block(SwitchId(s), block).data();
    bool any_old = false;
    for (const std::uint32_t i : ops) {
      const std::uint32_t s = task_.ops[i].node;
      const HeldTable* table = task_.tables[s];
      const bool known = table != nullptr && table->is_known(block);
      stale_[s] = known ? table->block(block).data() : nullptr;
      any_old = any_old || known;
      op_[s] = i;
    }
    if (!any_old) return false;
    for (const std::uint32_t i : ops) {
      const std::uint32_t s = task_.ops[i].node;
      std::uint64_t mask = 0;
      for (unsigned lid = 0; lid < kLftBlock; ++lid)
        if (before(s, lid) != after(s, lid)) mask |= std::uint64_t{1} << lid;
      moved_[s] = mask;
    }
    return true;
  }

  std::uint32_t after(std::uint32_t s, unsigned lid) const { return task_.next(s, fresh_[s][lid]); }
  /// The old next hop of a switch that changes; kNoPeer if unknown.
  std::uint32_t before(std::uint32_t s, unsigned lid) const {
    return stale_[s] == nullptr ? kNoPeer : task_.next(s, stale_[s][lid]);
  }
  bool moves(std::uint32_t s, unsigned lid) const { return (moved_[s] >> lid & 1) != 0; }

  /// Adds the constraints for a LID. In the graph of old and new entries, loops are possible only
  /// within the strongly connected components.
  void constrain(unsigned lid, std::span<const std::uint32_t> ops, BlockResult& result) {
    const auto edge = [&](std::uint32_t s, std::uint32_t k) {
      if (k > 1 || (k == 1 && !moves(s, lid))) return Components::kNoMore;
      const std::uint32_t to = k == 0 ? after(s, lid) : before(s, lid);
      return to == kNoPeer ? Components::kNoEdge : to;
    };
    circular_.clear();
    loops_.begin();
    for (const std::uint32_t i : ops) {
      if (!moves(task_.ops[i].node, lid)) continue;
      loops_.visit(task_.ops[i].node, edge, [&](std::span<const std::uint32_t> members) {
        if (members.size() > 1) circular_.insert(circular_.end(), members.begin(), members.end());
      });
    }
    for (const std::uint32_t s : circular_)
      if (moves(s, lid) && !constrain(s, lid)) result.unordered |= std::uint64_t{1} << lid;
  }

  /// Adds the constraint with the next changing switch on the new path within the same component.
  /// False if the new path has a loop.
  bool constrain(std::uint32_t s, unsigned lid) {
    std::uint32_t at = after(s, lid);
    for (std::size_t steps = 0; steps <= circular_.size(); ++steps) {
      if (at == kNoPeer || !loops_.is_visited(at) || !loops_.in_same_component(at, s)) return true;
      if (at == s) return false;
      if (moves(at, lid)) {
        constraints_.push_back({s, at, static_cast<std::uint8_t>(lid)});
        return true;
      }
      at = after(at, lid);
    }
    return false;
  }

  /// Blocks with cyclic constraints are written in parts; other blocks are written once, after all
  /// their predecessors.
  void schedule(BlockResult& result) {
    std::ranges::sort(constraints_, [](const Constraint& a, const Constraint& b) {
      return std::tie(a.after, a.first, a.lid) < std::tie(b.after, b.first, b.lid);
    });
    const auto first_of = [&](std::uint32_t s) {
      return std::ranges::lower_bound(constraints_, s, {}, &Constraint::after);
    };
    const auto edge = [&](std::uint32_t s, std::uint32_t k) {
      const auto at = first_of(s) + k;
      return at < constraints_.end() && at->after == s ? at->first : Components::kNoMore;
    };
    rounds_.clear();
    waits_.begin();
    const auto on_component = [&](std::span<const std::uint32_t> members) {
      const auto id = static_cast<std::uint32_t>(rounds_.size());
      for (const std::uint32_t s : members) component_[s] = id;
      std::uint32_t begin = 0;
      inside_.clear();
      for (const std::uint32_t s : members) {
        for (auto c = first_of(s); c != constraints_.end() && c->after == s; ++c) {
          // Each predecessor is in this component or in an earlier component.
          if (component_[c->first] == id)
            inside_.push_back(*c);
          else
            begin = std::max(begin, rounds_[component_[c->first]] + 1);
        }
      }
      rounds_.push_back(begin + write(members, begin, result));
      result.last_round = std::max(result.last_round, rounds_.back());
    };
    for (const Constraint& c : constraints_) waits_.visit(c.after, edge, on_component);
  }

  /// Schedules the writes of one component from round `begin` on; returns the number of further
  /// rounds.
  std::uint32_t write(std::span<const std::uint32_t> members, std::uint32_t begin,
                      BlockResult& result) {
    if (inside_.empty()) {
      if (begin > 0) result.timed.push_back({op_[members.front()], begin, kAllLids});
      return 0;
    }
    find_levels(result);
    std::uint32_t last = 0;
    for (const Level& l : levels_) last = std::max(last, l.level);
    std::ranges::sort(levels_, [](const Level& a, const Level& b) {
      return std::tie(a.sw, a.level, a.lid) < std::tie(b.sw, b.level, b.lid);
    });
    for (std::size_t i = 0; i < levels_.size();) {
      const std::uint32_t s = levels_[i].sw;
      const std::size_t first = result.timed.size();
      std::uint64_t placed = 0;
      while (i < levels_.size() && levels_[i].sw == s) {
        const std::uint32_t level = levels_[i].level;
        std::uint64_t lids = 0;
        for (; i < levels_.size() && levels_[i].sw == s && levels_[i].level == level; ++i)
          lids |= std::uint64_t{1} << levels_[i].lid;
        placed |= lids;
        result.timed.push_back({op_[s], begin + level, lids});
      }
      result.timed[first].lids |= ~placed;  // LIDs without predecessors change in the first write
    }
    return last;
  }

  /// Determines the length of the chain of predecessors for each LID and each switch of inside_.
  void find_levels(BlockResult& result) {
    std::ranges::sort(inside_, [](const Constraint& a, const Constraint& b) {
      return std::tie(a.lid, a.after) < std::tie(b.lid, b.after);
    });
    levels_.clear();
    for (std::size_t begin = 0; begin < inside_.size();) {
      const std::uint8_t lid = inside_[begin].lid;
      std::size_t end = begin;
      for (; end < inside_.size() && inside_[end].lid == lid; ++end) {
        for (const std::uint32_t s : {inside_[end].after, inside_[end].first}) level_[s] = kUnknown;
      }
      for (std::size_t i = begin; i < end; ++i) next_[inside_[i].after] = inside_[i].first;
      for (std::size_t i = begin; i < end; ++i)
        for (const std::uint32_t s : {inside_[i].after, inside_[i].first})
          if (!find_level(s, lid)) result.unordered |= std::uint64_t{1} << lid;
      for (std::size_t i = begin; i < end; ++i) next_[inside_[i].after] = Components::kNoMore;
      begin = end;
    }
  }

  /// False if the chain is cyclic, because the new routes have a loop.
  bool find_level(std::uint32_t s, std::uint8_t lid) {
    path_.clear();
    std::uint32_t at = s;
    for (; at != Components::kNoMore && level_[at] == kUnknown; at = next_[at]) {
      level_[at] = kOnPath;
      path_.push_back(at);
    }
    const bool ends = at == Components::kNoMore || level_[at] != kOnPath;
    std::uint32_t level = at == Components::kNoMore || !ends ? 0 : level_[at] + 1;
    for (std::size_t i = path_.size(); i-- > 0; ++level) {
      level_[path_[i]] = level;
      levels_.push_back({path_[i], level, lid});
    }
    return ends;
  }

  static constexpr std::uint32_t kUnknown = 0xFFFFFFFF;
  static constexpr std::uint32_t kOnPath = 0xFFFFFFFE;
  struct Level {
    std::uint32_t sw, level;
    std::uint8_t lid;
  };

  const Task& task_;
  // By switch, for the current block: new entries, old entries if they change, and the LIDs with a
  // new next hop.
  std::vector<const std::uint8_t*> fresh_, stale_;
  std::vector<std::uint64_t> moved_;
  Components loops_, waits_;
  std::vector<std::uint32_t> circular_;  // switches in cyclic components of a LID
  std::vector<Constraint> constraints_, inside_;
  std::vector<std::uint32_t> component_;  // by switch
  std::vector<std::uint32_t> rounds_;     // by component: the last round of the component
  std::vector<std::uint32_t> next_, level_, path_;
  std::vector<Level> levels_;
  std::vector<std::uint32_t> op_;  // by switch
};

/// Sorts the writes of all blocks into rounds.
TableOrder assemble(const Task& task, std::span<BlockResult> results,
                    std::span<const std::uint16_t> stage_of_block) {
  const auto stage_of = [&](std::size_t block) -> std::size_t {
    return stage_of_block.empty() ? 0 : stage_of_block[block];
  };
  TableOrder order;
  std::vector<std::uint32_t> begin{0};  // first round of each stage
  for (std::size_t block = 0; block < results.size(); ++block) {
    if (task.ops_of(block).empty()) continue;
    const std::size_t stage = stage_of(block);
    if (begin.size() < stage + 2) begin.resize(stage + 2, 0);
    begin[stage + 1] = std::max(begin[stage + 1], results[block].last_round + 1);
  }
  for (std::size_t i = 1; i < begin.size(); ++i) begin[i] += begin[i - 1];

  order.stage_begins.assign(begin.begin(), begin.end());

  std::vector<TimedWrite> timed;
  for (std::size_t block = 0; block < results.size(); ++block)
    for (TimedWrite& t : results[block].timed)
      timed.push_back({t.op, t.round + begin[stage_of(block)], t.lids});
  std::ranges::sort(timed, {}, [](const TimedWrite& t) { return std::pair(t.op, t.round); });

  // Sorts by round, with a counting sort that preserves the order of ops.
  const auto each = [&](const auto& put) {
    std::size_t t = 0;
    for (std::uint32_t i = 0; i < task.ops.size(); ++i) {
      if (t == timed.size() || timed[t].op != i)
        put(i, begin[stage_of(task.ops[i].index)], kAllLids);
      for (; t < timed.size() && timed[t].op == i; ++t) put(i, timed[t].round, timed[t].lids);
    }
  };
  std::vector<std::size_t> ends(begin.back() + std::size_t{1}, 0);
  each([&](std::uint32_t, std::uint32_t round, std::uint64_t) { ++ends[round + 1]; });
  for (std::size_t r = 1; r < ends.size(); ++r) ends[r] += ends[r - 1];
  order.ops.resize(ends.back());
  each([&](std::uint32_t i, std::uint32_t round, std::uint64_t lids) {
    if (lids != kAllLids) order.rounds.parts.push_back({ends[round], lids});
    order.ops[ends[round]++] = task.ops[i];
  });
  // ends[r] has advanced to the end of round r.
  ends.pop_back();
  order.rounds.ends = std::move(ends);
  std::ranges::sort(order.rounds.parts, {}, &TablePart::op);
  order.extra_writes = order.ops.size() - task.ops.size();
  return order;
}

}  // namespace

TableOrder order_tables(const Fabric& fabric, const HeldTables& held, const Lfts& wanted,
                        std::span<const Op> ops, std::span<const std::uint16_t> stage_of_block,
                        unsigned threads) {
  const Task task(fabric, held, wanted, ops);
  std::vector<BlockResult> results(wanted.blocks());
  constexpr std::size_t kBlocksOfATask = 4;
  parallel_blocks(results.size(), kBlocksOfATask, threads, [&](std::size_t from, std::size_t to) {
    std::optional<BlockOrderer> orderer;
    for (std::size_t block = from; block < to; ++block) {
      if (task.ops_of(block).empty()) continue;
      if (!orderer) orderer.emplace(task);
      orderer->order(block, results[block]);
    }
  });
  TableOrder order = assemble(task, results, stage_of_block);
  for (const BlockResult& result : results) {
    order.ordered_lids += static_cast<std::uint64_t>(std::popcount(result.ordered));
    order.unordered_lids += static_cast<std::uint64_t>(std::popcount(result.unordered));
  }
  return order;
}

}  // namespace weft
