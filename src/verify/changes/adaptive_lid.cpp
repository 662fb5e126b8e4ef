// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "verify/changes/adaptive_lid.h"

#include <algorithm>

#include "base/check.h"
#include "verify/step.h"

namespace weft {

AdaptiveLid::AdaptiveLid(const Fabric& fabric, const Routes& routes)
    : fabric_(fabric),
      routes_(routes),
      known_(fabric.switch_count(), 0),
      passes_(fabric.switch_count(), 0) {}

void AdaptiveLid::select(Lid lid) {
  lid_ = lid;
  owner_ = fabric_.endport_of(lid);
  CHECK(owner_ != kNoEndport);
  of_switch_ = fabric_.is_switch(fabric_.endport(owner_).node);
  ++round_;
}

bool AdaptiveLid::leads_on(SwitchId sw) const {
  bool leads = true;
  for_each_port(choices(sw), [&](PortNum port) {
    const Step next = step(fabric_, sw, port, owner_);
    leads = leads && (next.channel != kNoChannel || next.end == WalkEnd::kArrived);
  });
  return leads;
}

template <class Ends>
std::vector<SwitchId> AdaptiveLid::settled_switches(const Ends& ends) const {
  std::vector<std::uint32_t> waiting(fabric_.switch_count(),
                                     0);  // by switch: number of unsettled choices
  std::vector<SwitchId> found;
  for (std::uint32_t s = 0; s < waiting.size(); ++s) {
    for_each_port(choices(SwitchId(s)), [&](PortNum port) {
      const Step next = step(fabric_, SwitchId(s), port, owner_);
      waiting[s] += next.channel != kNoChannel || !ends(next) ? 1 : 0;
    });
    if (waiting[s] == 0) found.push_back(SwitchId(s));
  }
  for (std::size_t head = 0; head < found.size(); ++head)
    find_sender(found[head], [&](SwitchId sender, PortNum) {
      if (--waiting[sender.value()] == 0) found.push_back(sender);
      return false;
    });
  return found;
}

bool AdaptiveLid::may_loop() const {
  return settled_switches([](const Step&) { return true; }).size() < fabric_.switch_count();
}

AdaptiveLid::Arrivals AdaptiveLid::arrivals() const {
  const auto arrive =
      settled_switches([](const Step& last) { return last.end == WalkEnd::kArrived; });
  std::size_t with_cas = 0;
  for (const SwitchId sw : arrive) with_cas += has_cas(sw) ? 1 : 0;
  for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s)
    with_cas -= has_cas(SwitchId(s)) ? 1 : 0;
  return {static_cast<std::uint32_t>(arrive.size()), with_cas == 0};
}

AdaptiveLid::Kinds AdaptiveLid::kinds(SwitchId sw) {
  const bool of_cas = passes_cas(sw);
  if (of_switch_) return of_cas ? kOfAll : Kinds{0};  // no traffic between switches
  return static_cast<Kinds>(of_cas ? kOfCas | kOfAll : kOfAll);
}

/// Searches against the direction of packets. If the result is false, all switches that may send to
/// a visited switch have been visited.
bool AdaptiveLid::passes_cas(SwitchId sw) {
  if (has_cas(sw)) return true;
  if (known_[sw.value()] == round_) return passes_[sw.value()] != 0;
  const auto visit = [&](SwitchId at) {
    known_[at.value()] = round_;
    passes_[at.value()] = 0;
    visited_.push_back(at);
    open_.push_back(at);
  };
  visited_.clear();
  open_.clear();
  visit(sw);
  bool found = false;
  while (!found && !open_.empty()) {
    const SwitchId at = open_.back();
    open_.pop_back();
    found = find_sender(at, [&](SwitchId sender, PortNum) {
      if (has_cas(sender)) return true;
      if (known_[sender.value()] == round_) return passes_[sender.value()] != 0;
      visit(sender);
      return false;
    });
  }
  if (!found) return false;
  for (const SwitchId at : visited_) known_[at.value()] = 0;  // packets of CAs may pass them too
  known_[sw.value()] = round_;
  passes_[sw.value()] = 1;
  return true;
}

}  // namespace weft
