// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "whatif/what_if.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <tuple>

#include "base/parallel.h"
#include "base/rng.h"
#include "congestion/quality/quality.h"
#include "fabric/aggregation.h"
#include "fabric/without.h"
#include "routes/carry_over.h"

namespace weft {
namespace {

/// Failed switches and channels.
struct FailedElements {
  FailedElements(const Fabric& fabric, const Failure& failure)
      : switches(fabric.switch_count(), false), channels(fabric.channel_count(), false) {
    for (const SwitchId sw : failure.switches) switches[sw.value()] = true;
    for (const ChannelId cable : failure.cables)
      channels[cable.value()] = channels[fabric.channel(cable).reverse.value()] = true;
  }
  std::vector<bool> switches, channels;
};

/// Finds the paths of hosts to one LID that use a failed element.
class CutPaths {
 public:
  CutPaths(const Fabric& fabric, const Lfts& lfts, const FailedElements& failed)
      : fabric_(fabric), lfts_(lfts), failed_(failed), states_(fabric.switch_count()) {}

  /// Number of hosts, without the host of the LID, with a path to it over a failed element. Hosts
  /// that did not reach the LID before the failure do not count.
  std::uint64_t count(const Endport& to, Lid lid) {
    std::ranges::fill(states_, kUnknown);
    std::uint64_t cut = 0;
    for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s) {
      const auto hosts = fabric_.endports_at(SwitchId(s)).size();
      if (hosts > 0 && walk_from(s, to, lid) == kCut)
        cut += hosts - (SwitchId(s) == to.sw ? 1u : 0u);
    }
    return cut;
  }

 private:
  enum WalkState : std::uint8_t { kUnknown, kOnPath, kArrives, kCut, kUnreachable };

  WalkState walk_from(std::uint32_t start, const Endport& to, Lid lid) {
    path_.clear();
    SwitchId at(start);
    WalkState end = kUnreachable;
    while (true) {
      WalkState& here = states_[at.value()];
      if (here == kOnPath) break;
      if (here != kUnknown) {
        end = here;
        break;
      }
      here = kOnPath;
      path_.push_back(at.value());
      const PortNum port = lfts_.port(at, lid);
      if (at == to.sw) {
        end = port == to.sw_port ? kArrives : kUnreachable;
        break;
      }
      const ChannelId channel = fabric_.channel_at(at, port);
      if (channel == kNoChannel) break;
      at = fabric_.channel(channel).to;
    }
    for (std::size_t i = path_.size(); i-- > 0;) {
      const SwitchId sw(path_[i]);
      if (end == kArrives && has_failed(sw, to, lid)) end = kCut;
      states_[sw.value()] = end;
    }
    return states_[start];
  }

  /// Whether the switch, or the channel through which it forwards the packet, has failed.
  bool has_failed(SwitchId sw, const Endport& to, Lid lid) const {
    if (failed_.switches[sw.value()]) return true;
    if (sw == to.sw) return false;
    return failed_.channels[fabric_.channel_at(sw, lfts_.port(sw, lid)).value()];
  }

  const Fabric& fabric_;
  const Lfts& lfts_;
  const FailedElements& failed_;
  std::vector<WalkState> states_;
  std::vector<std::uint32_t> path_;
};

std::uint64_t pairs_cut(const Fabric& fabric, const Lfts& lfts, const Failure& failure) {
  const FailedElements failed(fabric, failure);
  CutPaths walks(fabric, lfts, failed);
  std::uint64_t cut = 0;
  for (const EndportId host : fabric.hosts()) {
    const Endport& to = fabric.endport(host);
    for (unsigned offset = 0; offset < 1u << to.lmc; ++offset)
      cut += walks.count(to, Lid(static_cast<std::uint16_t>(to.lid.value() + offset)));
  }
  return cut;
}

/// Number of blocks in which the tables `before` and `after` differ; both are indexed by the ids of
/// the fabric after the failure.
std::uint64_t differing_blocks(const Lfts& before, const Lfts& after) {
  std::uint64_t differing = 0;
  for (std::uint32_t s = 0; s < after.switch_count(); ++s)
    for (std::size_t block = 0; block < std::max(before.blocks(), after.blocks()); ++block) {
      const auto entries = [&](const Lfts& lfts) {
        std::array<std::uint8_t, kLftBlock> found;
        found.fill(kNoRoute.value());
        if (block < lfts.blocks()) std::ranges::copy(lfts.block(SwitchId(s), block), found.begin());
        return found;
      };
      if (entries(before) != entries(after)) ++differing;
    }
  return differing;
}

Loss simulate_one(const Fabric& fabric, const Routes& routes, const Failure& failure,
                  std::uint64_t pairs_before, const Router& router, const WhatIfOptions& options) {
  Loss loss{.failure = failure};
  loss.pairs_cut = pairs_cut(fabric, routes.lfts, failure);
  std::vector<NodeId> failed;
  for (const SwitchId sw : failure.switches) failed.push_back(Fabric::node_of(sw));
  std::vector<PortId> cut;
  for (const ChannelId cable : failure.cables) {
    const Channel& channel = fabric.channel(cable);
    cut.push_back(fabric.port_id(Fabric::node_of(channel.from), channel.from_port));
  }
  const Fabric left = without(fabric, failed, cut);
  const Lfts previous = carry_over(fabric, routes.lfts, left);
  const Rerouted rerouted = router(left, routes, previous);
  if (!rerouted.status) return loss;
  loss.routed = true;
  loss.pairs_lost = pairs_before - rerouted.verdict.ca_to_ca.arrived;
  QualityOptions figures = shift_options(options, traffic_hosts(left).size());
  figures.threads = 1;
  const Quality quality = assess(left, rerouted.routes, figures);
  loss.ebb = quality.ebb;
  loss.alltoall = quality.alltoall;
  if (quality.shifts) loss.shift_worst = quality.shifts->worst;
  loss.link_load_max = quality.link_load_max;
  loss.blocks = differing_blocks(previous, rerouted.routes.lfts);
  loss.vls = rerouted.routes.vls;
  loss.credit_loop = rerouted.verdict.has_credit_loop();
  loss.engine = rerouted.routes.engine;
  loss.seconds = rerouted.seconds;
  return loss;
}

}  // namespace

std::string describe(const Fabric& fabric, const Failure& failure) {
  std::string text;
  const auto add = [&](const std::string& what) { text += (text.empty() ? "" : "; ") + what; };
  for (const SwitchId sw : failure.switches) add("switch " + describe(fabric.node(sw)));
  for (const ChannelId cable : failure.cables) {
    const Channel& channel = fabric.channel(cable);
    add(fmt::format("cable {} port {} - {} port {}", describe(fabric.node(channel.from)),
                    channel.from_port.value(), describe(fabric.node(channel.to)),
                    channel.to_port.value()));
  }
  return text;
}

QualityOptions shift_options(const WhatIfOptions& options, std::size_t hosts) {
  return {.threads = options.threads,
          .seed = options.seed,
          .matchings = options.matchings,
          .shifts = options.shifts,
          .shift_flows = std::uint64_t{options.matchings} * hosts};
}

std::vector<Failure> single_failures(const Fabric& fabric, FailureKind kind) {
  std::vector<Failure> failures;
  if (kind != FailureKind::kSwitches)
    for (const ChannelId cable : fabric.cables()) failures.push_back({{}, {cable}});
  if (kind != FailureKind::kCables && fabric.switch_count() > 1)
    for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
      failures.push_back({{SwitchId(s)}, {}});
  return failures;
}

Result<std::vector<Failure>> drawn_failures(const Fabric& fabric, FailureKind kind,
                                            std::uint32_t size, std::uint32_t trials,
                                            std::uint64_t seed) {
  const std::vector<Failure> single = single_failures(fabric, kind);
  const auto count = static_cast<std::uint32_t>(single.size());
  if (size > count || (kind != FailureKind::kCables && size >= fabric.switch_count()))
    return fail(Code::kUsage,
                "{} simultaneous failures: the fabric has {} elements that can fail, and one "
                "switch must remain",
                size, count);
  std::vector<Failure> drawn;
  for (std::uint32_t trial = 0; trial < trials; ++trial) {
    Rng rng = Rng(seed).fork(trial);
    const auto order = rng.permutation(count);
    std::vector<std::uint32_t> chosen(order.begin(), order.begin() + size);
    std::ranges::sort(chosen);
    Failure failure;
    for (const std::uint32_t i : chosen) {
      failure.cables.insert(failure.cables.end(), single[i].cables.begin(), single[i].cables.end());
      failure.switches.insert(failure.switches.end(), single[i].switches.begin(),
                              single[i].switches.end());
    }
    drawn.push_back(std::move(failure));
  }
  return drawn;
}

std::vector<Loss> simulate_failures(const Fabric& fabric, const Routes& routes, std::uint64_t pairs,
                                    std::span<const Failure> failures, const Router& router,
                                    const WhatIfOptions& options) {
  std::vector<Loss> losses(failures.size());
  std::vector<std::uint8_t> simulated(failures.size(), false);
  std::atomic<bool> go_on = true;
  parallel_for(failures.size(), options.threads, [&](std::size_t i) {
    if (!go_on.load()) return;
    losses[i] = simulate_one(fabric, routes, failures[i], pairs, router, options);
    simulated[i] = true;
    if (options.go_on && !options.go_on()) go_on = false;
  });
  // If the study ended early, threads may have completed later failures already. Only the failures
  // before the first missing result are kept.
  losses.resize(static_cast<std::size_t>(std::ranges::find(simulated, false) - simulated.begin()));
  return losses;
}

void sort_worst_first(std::vector<Loss>& losses) {
  std::ranges::stable_sort(losses, [](const Loss& a, const Loss& b) {
    const auto key = [](const Loss& loss) {
      return std::tuple(loss.routed, ~loss.pairs_lost, loss.ebb, ~loss.pairs_cut);
    };
    return key(a) < key(b);
  });
}

}  // namespace weft
