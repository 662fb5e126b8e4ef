#include "routing/chain/lanes.h"

#include <algorithm>
#include <map>
#include <optional>

#include "routes/next_hops.h"
#include "routing/shared/destinations.h"

namespace weft {
namespace {

/// What a packet needs of one step.
struct Need {
  std::uint8_t step = 0;  // by place
  std::uint8_t sl = 0;    // of that step
  auto operator<=>(const Need&) const = default;
};
/// Of all steps on a way, in the order in which it meets them.
using Needs = std::vector<Need>;

bool shares_switch(const PlacedStep& a, const PlacedStep& b) {
  for (std::uint32_t s = 0; s < a.part_of.size(); ++s)
    if (a.has(SwitchId(s)) && b.has(SwitchId(s))) return true;
  return false;
}

/// The needs of all paths, each list once.
class NeedsFinder {
 public:
  NeedsFinder(const Fabric& fabric, const PlacedSteps& steps, const Owners& owners)
      : fabric_(fabric), steps_(steps), owners_(owners), after_(1) {}

  static constexpr std::uint32_t kNone = 0;

  std::size_t count() const { return lists_.size(); }
  const Needs& list(std::uint32_t id) const { return lists_[id]; }

  /// By switch, the id of what packets to a LID need that begin there; kNone where they do not
  /// arrive.
  void find(const Endport& to, unsigned offset, const NextHops& hops,
            std::vector<std::uint32_t>& found) {
    const Lid lid = lid_at(to, offset);
    const auto channels = hops.channels(lid);
    const auto switches = hops.switches(lid);
    found.assign(fabric_.switch_count(), kNone);
    rest_.assign(fabric_.switch_count(), kNone);
    if (owners_.of(to.sw, lid) == Owners::kNobody) return;
    found[to.sw.value()] = with(to.sw, to, offset, kNone);
    for (std::uint32_t s = 0; s < found.size(); ++s) {
      way_.clear();
      for (std::uint32_t at = s; found[at] == kNone && way_.size() <= found.size();) {
        way_.push_back(at);
        if (channels[at] == kNoChannel) break;
        at = switches[at].value();
      }
      if (way_.empty() || way_.size() > found.size() || channels[way_.back()] == kNoChannel)
        continue;
      std::uint32_t next = switches[way_.back()].value();
      for (auto at = way_.rbegin(); at != way_.rend(); next = *at++) {
        const bool same = owners_.of(SwitchId(*at), lid) == owners_.of(SwitchId(next), lid);
        rest_[*at] = same ? rest_[next] : found[next];
        found[*at] = with(SwitchId(*at), to, offset, rest_[*at]);
      }
    }
  }

 private:
  /// What the step of a switch needs of a packet that comes to it there, and then `rest`.
  std::uint32_t with(SwitchId sw, const Endport& to, unsigned offset, std::uint32_t rest) {
    const std::uint8_t place = owners_.of(sw, lid_at(to, offset));
    const PlacedStep& step = steps_[place];
    const Lid own = lid_at(to, step.step->path_bit);
    const Sl sl = step.routes.path_sl.sl(step.at(sw), step.at(to.sw), own);
    auto& row = after_[rest];
    const std::size_t key = place * std::size_t{kSlCount} + sl.value();
    if (row.size() <= key) row.resize(key + 1, kNone);
    if (row[key] == kNone) {
      Needs needs{{place, sl.value()}};
      needs.insert(needs.end(), lists_[rest].begin(), lists_[rest].end());
      lists_.push_back(std::move(needs));
      row[key] = static_cast<std::uint32_t>(lists_.size() - 1);
      after_.emplace_back();
    }
    return after_[rest][key];
  }

  const Fabric& fabric_;
  const PlacedSteps& steps_;
  const Owners& owners_;
  std::vector<Needs> lists_{Needs{}};              // by id; the first is kNone
  std::vector<std::vector<std::uint32_t>> after_;  // by id of the rest, then by step and SL
  std::vector<std::uint32_t> rest_;                // by switch: after its own step
  std::vector<std::uint32_t> way_;
};

/// Lists that are the end of others are served by these: on their ways all switches belong to the
/// steps that they have in common.
std::vector<std::uint8_t> number_sls(const NeedsFinder& finder, const std::vector<bool>& wanted,
                                     std::vector<Needs>& of_sl) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t id = 1; id < finder.count(); ++id)
    if (wanted[id]) order.push_back(id);
  std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
    const Needs& x = finder.list(a);
    const Needs& y = finder.list(b);
    return x.size() != y.size() ? x.size() > y.size() : x < y;
  });
  std::vector<std::uint8_t> sl_of(finder.count(), 0);
  for (const std::uint32_t id : order) {
    const Needs& needs = finder.list(id);
    const auto serves = [&](const Needs& longer) {
      return longer.size() >= needs.size() &&
             std::equal(needs.rbegin(), needs.rend(), longer.rbegin());
    };
    auto found = std::ranges::find_if(of_sl, serves);
    if (found == of_sl.end()) found = of_sl.insert(of_sl.end(), needs);
    sl_of[id] = static_cast<std::uint8_t>(std::min<std::ptrdiff_t>(found - of_sl.begin(), 0xFF));
  }
  return sl_of;
}

class Maps {
 public:
  Maps(const Fabric& fabric, const PlacedSteps& steps, const ChainVls& vls,
       const std::vector<Needs>& of_sl)
      : fabric_(fabric), steps_(steps), vls_(vls), of_sl_(of_sl) {}

  Sl2Vl make() const {
    const SlMap common = map(SwitchId(0), PortNum(0), PortNum(0));
    Sl2Vl result(common);
    for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s) {
      const auto ports = fabric_.ports(SwitchId(s));
      for (const Port& in : ports)
        for (const Port& out : ports) {
          const bool cabled = (in.num == PortNum(0) || in.peer != kNoPort) && out.peer != kNoPort;
          if (!cabled || in.num == out.num) continue;
          if (const SlMap here = map(SwitchId(s), in.num, out.num); here != common)
            result.set(SwitchId(s), in.num, out.num, here);
        }
    }
    return result;
  }

 private:
  SlMap map(SwitchId sw, PortNum in, PortNum out) const {
    SlMap result{};
    for (std::size_t sl = 0; sl < of_sl_.size(); ++sl)
      for (auto need = of_sl_[sl].rbegin(); need != of_sl_[sl].rend(); ++need) {
        const PlacedStep& step = steps_[need->step];
        if (!step.has(sw)) continue;
        const Vl own = step.routes.sl2vl.vl(step.at(sw), port_in(step, sw, in), out, Sl(need->sl));
        result[sl] = static_cast<std::uint8_t>(vls_.first[need->step] + own.value());
        break;
      }
    for (std::size_t sl = of_sl_.size(); sl < result.size(); ++sl)
      result[sl] = of_sl_.empty() ? std::uint8_t{0} : result[sl % of_sl_.size()];
    return result;
  }

  /// Packets that come from another part are new to this one, as if its own host had sent them.
  static PortNum port_in(const PlacedStep& step, SwitchId sw, PortNum in) {
    const Fabric& part = step.step->part;
    const PortId id = part.port_id(Fabric::node_of(step.at(sw)), in);
    return id == kNoPort || part.port(id).peer == kNoPort ? PortNum(0) : in;
  }

  const Fabric& fabric_;
  const PlacedSteps& steps_;
  const ChainVls& vls_;
  const std::vector<Needs>& of_sl_;
};

}  // namespace

ChainVls deal_vls(const PlacedSteps& steps) {
  ChainVls vls;
  std::vector<unsigned> least(steps.size(), 0);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    unsigned first = 0;
    for (std::size_t j = 0; j < i; ++j)
      if (shares_switch(steps[i], steps[j])) {
        first = std::max(first, vls.first[j] + steps[j].routes.vls);
        least[i] = std::max(least[i], least[j] + steps[j].routes.vls_needed);
      }
    vls.first.push_back(first);
    vls.used = std::max(vls.used, first + steps[i].routes.vls);
    vls.needed = std::max(vls.needed, least[i] + steps[i].routes.vls_needed);
  }
  return vls;
}

Status lay_lanes(const Fabric& fabric, const PlacedSteps& steps, const Owners& owners,
                 const ChainVls& vls, Routes& routes) {
  const std::size_t stride = std::size_t{fabric.lid_top().value()} + 1;
  NeedsFinder finder(fabric, steps, owners);
  std::vector<std::uint32_t> ids(fabric.switch_count() * stride, NeedsFinder::kNone);
  const PortMap map(fabric);
  NextHops hops(map);
  std::vector<std::uint32_t> found;
  std::optional<std::size_t> loaded;
  for (const Endport& to : fabric.endports()) {
    if (!to.addressed()) continue;
    for (unsigned offset = 0; offset < lid_count(to); ++offset) {
      const Lid lid = lid_at(to, offset);
      if (const std::size_t block = lid.value() / kLftBlock; loaded != block) {
        hops.load(routes.lfts, block);
        loaded = block;
      }
      finder.find(to, offset, hops, found);
      for (std::uint32_t s = 0; s < found.size(); ++s) ids[s * stride + lid.value()] = found[s];
    }
  }
  std::vector<bool> wanted(finder.count(), false);
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
    if (!fabric.endports_at(SwitchId(s)).empty())
      for (std::size_t lid = 0; lid < stride; ++lid) wanted[ids[s * stride + lid]] = true;
  std::vector<Needs> of_sl;
  const auto sl_of = number_sls(finder, wanted, of_sl);
  if (of_sl.size() > kSlCount)
    return fail(Code::kOutOfVls, "the ways of these steps need {} SLs, there are {}", of_sl.size(),
                kSlCount);
  std::vector<std::uint8_t> table(ids.size());
  std::ranges::transform(ids, table.begin(), [&](std::uint32_t id) { return sl_of[id]; });
  routes.path_sl =
      PathSl::by_switch_and_lid(fabric.switch_count(), fabric.lid_top(), std::move(table));
  routes.sl2vl = Maps(fabric, steps, vls, of_sl).make();
  routes.vls = vls.used;
  routes.vls_needed = vls.needed;
  return {};
}

}  // namespace weft
