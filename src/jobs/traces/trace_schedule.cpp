// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "base/text.h"
#include "jobs/collectives/collectives.h"
#include "jobs/traces/trace.h"

namespace weft::jobs {
namespace {

constexpr double kEagerMax = 65535;  // bytes; larger messages wait for the receive

/// An op of a trace.
struct RankOp {
  std::uint32_t rank;
  std::uint32_t op;
};

class TraceSchedule {
 public:
  TraceSchedule(Ranks& ranks, const Trace& trace)
      : ranks_(ranks), builder_(ranks.builder()), trace_(trace) {}

  Status add() {
    begin_.resize(trace_.ranks.size());
    end_.resize(trace_.ranks.size());
    for (std::uint32_t r = 0; r < trace_.ranks.size(); ++r) add_begins(r);
    add_computations();
    if (auto status = add_messages(); !status) return status;
    if (auto status = add_collectives(); !status) return status;
    for (std::uint32_t r = 0; r < trace_.ranks.size(); ++r) {
      for (const auto& [op, before] : trace_.ranks[r].after_end)
        builder_.depend(begin_[r][op], end_[r][before]);
      for (const auto& [op, before] : trace_.ranks[r].after_start)
        builder_.depend(begin_[r][op], begin_[r][before]);
    }
    return {};
  }

 private:
  const TraceOp& op_of(RankOp op) const { return trace_.ranks[op.rank].ops[op.op]; }

  tl::unexpected<Error> wrong(RankOp op, const std::string& text) const {
    return fail(Code::kBadInput, "{}:{}: rank {}: {}", trace_.ranks[op.rank].path, op_of(op).line,
                op.rank, text);
  }

  void add_begins(std::uint32_t r) {
    for (std::size_t i = 0; i < trace_.ranks[r].ops.size(); ++i)
      begin_[r].push_back(builder_.delay(0));
    end_[r] = begin_[r];
  }

  /// Adds computations; a processor is a channel that its computations share.
  void add_computations() {
    for (std::uint32_t r = 0; r < trace_.ranks.size(); ++r) {
      std::map<std::uint32_t, std::uint32_t> processors;  // by processor, its connection
      for (std::uint32_t i = 0; i < trace_.ranks[r].ops.size(); ++i) {
        const TraceOp& op = trace_.ranks[r].ops[i];
        if (op.kind != TraceOp::Kind::kCompute) continue;
        const auto [at, is_new] = processors.try_emplace(op.processor, 0);
        if (is_new) at->second = ranks_.processor(r);
        end_[r][i] = builder_.send(at->second, op.amount);
        builder_.depend(end_[r][i], begin_[r][i]);
      }
    }
  }

  Status add_messages() {
    using Key = std::tuple<std::uint32_t, std::int64_t, std::int64_t>;  // receiver, source, tag
    std::map<Key, std::vector<RankOp>> sends;
    std::vector<RankOp> exact, any;
    for (std::uint32_t r = 0; r < trace_.ranks.size(); ++r)
      for (std::uint32_t i = 0; i < trace_.ranks[r].ops.size(); ++i) {
        const TraceOp& op = trace_.ranks[r].ops[i];
        if (op.kind == TraceOp::Kind::kSend)
          sends[{static_cast<std::uint32_t>(op.peer), r, op.tag}].push_back({r, i});
        if (op.kind == TraceOp::Kind::kReceive)
          (op.peer == TraceRank::kAny || op.tag == TraceRank::kAny ? any : exact).push_back({r, i});
      }
    for (auto& [key, list] : sends) std::ranges::reverse(list);  // match() takes the last element
    for (const RankOp receive : exact) {
      const auto found = sends.find({receive.rank, op_of(receive).peer, op_of(receive).tag});
      if (auto status = match(found == sends.end() ? nullptr : &found->second, receive); !status)
        return status;
    }
    for (const RankOp receive : any) {
      const TraceOp& op = op_of(receive);
      std::vector<RankOp>* candidates = nullptr;
      for (auto at = sends.lower_bound({receive.rank, -1, -1});
           at != sends.end() && std::get<0>(at->first) == receive.rank && candidates == nullptr;
           ++at) {
        const bool fits = (op.peer == TraceRank::kAny || op.peer == std::get<1>(at->first)) &&
                          (op.tag == TraceRank::kAny || op.tag == std::get<2>(at->first));
        if (fits && !at->second.empty()) candidates = &at->second;
      }
      if (auto status = match(candidates, receive); !status) return status;
    }
    for (const auto& [key, list] : sends)
      if (!list.empty())
        return wrong(list.back(), fmt::format("the send to {} with tag {} has no receive",
                                              std::get<0>(key), std::get<2>(key)));
    return {};
  }

  Status match(std::vector<RankOp>* sends, RankOp receive) {
    const TraceOp& to = op_of(receive);
    if (sends == nullptr || sends->empty())
      return wrong(receive, fmt::format("the receive from {} with {} has no send",
                                        to.peer == TraceRank::kAny ? std::string("any rank")
                                                                   : std::to_string(to.peer),
                                        to.tag == TraceRank::kAny ? std::string("any tag")
                                                                  : fmt::format("tag {}", to.tag)));
    const RankOp send = sends->back();
    sends->pop_back();
    if (op_of(send).amount != to.amount)
      return wrong(receive, fmt::format("found a receive of {} bytes, expected {} as the send in "
                                        "{}:{}",
                                        to.amount, op_of(send).amount, trace_.ranks[send.rank].path,
                                        op_of(send).line));
    const OpId message =
        builder_.send(ranks_.connection(send.rank, receive.rank), op_of(send).amount);
    builder_.depend(message, begin_[send.rank][send.op]);
    if (to.amount > kEagerMax) builder_.depend(message, begin_[receive.rank][receive.op]);
    end_[send.rank][send.op] = message;
    const OpId received = builder_.delay(0);
    builder_.depend(received, message);
    builder_.depend(received, begin_[receive.rank][receive.op]);
    end_[receive.rank][receive.op] = received;
    return {};
  }

  /// Adds collectives. The k-th collectives of a group in all ranks of the group are one
  /// collective.
  Status add_collectives() {
    std::map<std::string, std::map<std::uint32_t, std::vector<std::uint32_t>>> groups;
    for (std::uint32_t r = 0; r < trace_.ranks.size(); ++r)
      for (std::uint32_t i = 0; i < trace_.ranks[r].ops.size(); ++i)
        if (trace_.ranks[r].ops[i].kind == TraceOp::Kind::kCollective)
          groups[trace_.ranks[r].ops[i].group][r].push_back(i);
    for (const auto& [name, members] : groups) {
      if (name.empty() && members.size() < trace_.ranks.size()) {
        const auto& [rank, ops] = *members.begin();
        return wrong({rank, ops.front()},
                     fmt::format("found {} ranks with collectives of all ranks, expected {}",
                                 members.size(), trace_.ranks.size()));
      }
      const auto& [first, ops] = *members.begin();
      for (std::size_t k = 0; k < ops.size(); ++k)
        if (auto status = add_collective_of(members, {first, ops[k]}, k); !status) return status;
      for (const auto& [rank, own] : members)
        if (own.size() > ops.size())
          return wrong({rank, own[ops.size()]},
                       fmt::format("found {} collectives of group {}, expected {} as in rank {}",
                                   own.size(), weft::quoted(name), ops.size(), first));
    }
    return {};
  }

  Status add_collective_of(const std::map<std::uint32_t, std::vector<std::uint32_t>>& members,
                           RankOp like, std::size_t k) {
    const TraceOp& model = op_of(like);
    Group group;
    std::vector<Front> fronts(ranks_.count(), kNoFront);
    for (const auto& [rank, ops] : members) {
      if (k >= ops.size())
        return wrong(
            like, fmt::format("rank {} has {} collectives of group {}, expected at least {}", rank,
                              ops.size(), weft::quoted(model.group), k + 1));
      const TraceOp& op = op_of({rank, ops[k]});
      if (op.work != model.work || op.amount != model.amount)
        return wrong(
            {rank, ops[k]},
            fmt::format("found {} of {} bytes, expected {} of {} bytes as in rank {}",
                        name_of(op.work), op.amount, name_of(model.work), model.amount, like.rank));
      group.push_back(rank);
      fronts[rank] = {begin_[rank][ops[k]], kNoOp};
    }
    CollectiveSpec spec = collective_of(ranks_.job());
    spec.work = model.work;
    spec.algorithm = default_algorithm(model.work);
    spec.bytes = model.amount;
    add_collective(ranks_, group, spec, fronts);
    for (const std::uint32_t rank : group)
      end_[rank][members.at(rank)[k]] =
          builder_.join(std::vector<OpId>{fronts[rank][0], fronts[rank][1]});
    return {};
  }

  Ranks& ranks_;
  ScheduleBuilder& builder_;
  const Trace& trace_;
  std::vector<std::vector<OpId>> begin_, end_;  // by rank and op
};

}  // namespace

std::string cycle_text(const Trace& trace, OpId first, std::span<const OpId> cycle) {
  constexpr std::size_t kNamed = 8;
  std::vector<RankOp> ops;
  OpId begin = first;
  for (std::uint32_t r = 0; r < trace.ranks.size(); ++r) {
    const auto count = static_cast<OpId>(trace.ranks[r].ops.size());
    for (const OpId op : cycle)
      if (op >= begin && op - begin < count) ops.push_back({r, op - begin});
    begin += count;
  }
  if (ops.empty()) return {};
  std::ranges::sort(ops, {}, [](RankOp op) { return std::pair(op.rank, op.op); });
  const auto where = [&](RankOp op) {
    const TraceRank& rank = trace.ranks[op.rank];
    return fmt::format("{}:{}", rank.path, rank.ops[op.op].line);
  };
  std::string text =
      fmt::format("{}: rank {}: the op depends on itself", where(ops.front()), ops.front().rank);
  for (std::size_t i = 1; i < std::min(ops.size(), kNamed); ++i)
    text += fmt::format("{} {}", i == 1 ? ", through" : ",", where(ops[i]));
  return ops.size() > kNamed ? text + fmt::format(" and {} more", ops.size() - kNamed) : text;
}

Status add_trace(Ranks& ranks, const Trace& trace) { return TraceSchedule(ranks, trace).add(); }

}  // namespace weft::jobs
