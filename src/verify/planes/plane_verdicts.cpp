// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "verify/planes/plane_verdicts.h"

#include <fmt/format.h>

#include <utility>

namespace weft {
namespace {

/// Collects the data of the planes while their verdicts are computed.
class PlaneTally {
 public:
  PlaneTally(const Fabric& fabric, const Verdict& verdict, std::uint32_t stated)
      : fabric_(fabric), verdict_(verdict), planes_(find_planes(fabric, stated)) {
    for (std::uint32_t i = 0; i < planes_.planes.size(); ++i) {
      result_.emplace_back().number = i + 1;
      result_[i].size = planes_.planes[i];
      result_[i].hosts = planes_.hosts;
    }
  }

  std::vector<PlaneVerdict> conclude() {
    if (result_.empty()) return {};
    count_pairs();
    count_failures();
    for (PlaneVerdict& plane : result_) plane.state = state_of(plane);
    return std::move(result_);
  }

 private:
  PlaneVerdict* at(SwitchId sw) {
    const std::uint32_t number = planes_.of(sw);
    return number == 0 ? nullptr : &result_[number - 1];
  }

  void count_pairs() {
    const std::vector<std::uint32_t> part = connected_parts(fabric_);
    std::vector<std::uint64_t> ports(fabric_.switch_count(), 0);  // number of CA ports by part
    for (const EndportId id : fabric_.hosts()) ++ports[part[fabric_.endport(id).sw.value()]];
    std::vector<std::uint64_t> all(result_.size(), 0);  // number of CA ports by plane
    for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s)
      if (const std::uint32_t plane = planes_.of(SwitchId(s)); plane > 0)
        all[plane - 1] += ports[s];
    for (const EndportId id : fabric_.hosts()) {
      const Endport& endport = fabric_.endport(id);
      PlaneVerdict* const plane = at(endport.sw);
      if (plane == nullptr) continue;
      const std::uint64_t lids = std::uint64_t{1} << endport.lmc;
      plane->pairs += lids * (all[plane->number - 1] - 1);
      plane->cut_off += lids * (all[plane->number - 1] - ports[part[endport.sw.value()]]);
    }
  }

  void count_failures() {
    for (const BrokenSwitch& broken : verdict_.broken)
      if (PlaneVerdict* const plane = at(broken.sw)) plane->failures += broken.walks;
    for (const LaneFailure& lane : verdict_.lane_failures) {
      const Port& port = fabric_.port(lane.port);
      const EndportId host = fabric_.endport_at(lane.port);
      const SwitchId sw =
          fabric_.is_switch(port.node) ? SwitchId(port.node.value()) : fabric_.endport(host).sw;
      if (sw == kNoSwitch) continue;
      if (PlaneVerdict* const plane = at(sw)) plane->lanes_missing = true;
    }
    for (const auto* loop :
         {&verdict_.credit_loop, &verdict_.switch_credit_loop, &verdict_.multicast_credit_loop})
      for (const CycleHop& hop : *loop)
        if (PlaneVerdict* const plane = at(fabric_.channel(hop.channel).from))
          plane->credit_loop = true;
  }

  /// Whether faults may be missing from the lists of the verdict: the search for credit loops ends
  /// at the first credit loop, and the list of missing VLs has a limit.
  bool may_lack_faults() const {
    return verdict_.has_credit_loop() || !verdict_.switch_credit_loop.empty() ||
           !verdict_.multicast_credit_loop.empty() ||
           verdict_.lanes_missing > verdict_.lane_failures.size();
  }

  PlaneState state_of(const PlaneVerdict& plane) const {
    if (plane.size.ports == 0) return PlaneState::kDown;
    if (!verdict_.verified) return PlaneState::kNotVerified;
    if (plane.failures > 0 || plane.credit_loop || plane.lanes_missing) return PlaneState::kFailed;
    if (may_lack_faults()) return PlaneState::kNotVerified;
    return plane.cut_off > 0 ? PlaneState::kPartitioned : PlaneState::kVerified;
  }

  const Fabric& fabric_;
  const Verdict& verdict_;
  const Planes planes_;
  std::vector<PlaneVerdict> result_;
};

}  // namespace

std::string_view name(PlaneState state) {
  switch (state) {
    case PlaneState::kVerified:
      return "verified";
    case PlaneState::kPartitioned:
      return "partitioned";
    case PlaneState::kFailed:
      return "failed";
    case PlaneState::kNotVerified:
      return "not verified";
    case PlaneState::kDown:
      return "down";
  }
  return "";
}

std::vector<PlaneVerdict> plane_verdicts(const Fabric& fabric, const Verdict& verdict,
                                         std::uint32_t stated) {
  return PlaneTally(fabric, verdict, stated).conclude();
}

std::string describe(const PlaneVerdict& plane) {
  std::string text =
      fmt::format("plane {}: {}, {} of {} hosts, {} switches", plane.number, name(plane.state),
                  plane.size.hosts, plane.hosts, plane.size.switches);
  if (plane.cut_off > 0)
    text += fmt::format(", {} of {} pairs without a path", plane.cut_off, plane.pairs);
  if (plane.failures > 0)
    text += fmt::format(", {} pairs of a switch and a LID with packets that do not arrive",
                        plane.failures);
  if (plane.credit_loop) text += ", a credit loop";
  if (plane.lanes_missing) text += ", packets on VLs that at least one link of the plane lacks";
  return text;
}

}  // namespace weft
