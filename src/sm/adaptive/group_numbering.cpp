// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/adaptive/group_numbering.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "routing/adaptive/notifications.h"

namespace weft {
namespace {

/// LIDs of a switch and of its CAs that have the same groups at all switches with FRN.
struct NumberedClass {
  SwitchId at;
  Lid leader;  // lowest LID
  std::size_t lids = 0;
  bool is_adaptive = false;  // at least one switch has adaptive entries for these LIDs
};

constexpr std::uint32_t kNoClass = 0xFFFFFFFF;

struct LidClasses {
  std::vector<NumberedClass> classes;
  std::vector<std::uint32_t> of_lid;
};

/// The initial classes. A class has the LIDs of a switch and of its CAs.
LidClasses classes_by_destination(const Fabric& fabric) {
  LidClasses found;
  found.of_lid.assign(fabric.lid_top().value() + std::size_t{1}, kNoClass);
  std::vector<std::uint32_t> of_switch(fabric.switch_count(), kNoClass);
  for (std::uint32_t l = 1; l <= fabric.lid_top().value(); ++l) {
    const Lid lid(static_cast<std::uint16_t>(l));
    const EndportId owner = fabric.endport_of(lid);
    if (owner == kNoEndport || fabric.endport(owner).sw == kNoSwitch) continue;
    const SwitchId at = fabric.endport(owner).sw;
    std::uint32_t& of = of_switch[at.value()];
    if (of == kNoClass) {
      of = static_cast<std::uint32_t>(found.classes.size());
      found.classes.push_back({at, lid});
    }
    found.of_lid[l] = of;
  }
  return found;
}

/// Splits the classes by the groups of the switch.
void split_by_groups(const ArTables& tables, SwitchId sw, LidClasses& into) {
  constexpr std::uint32_t kStatic = 0xFFFF;
  const auto group = [&](Lid lid) -> std::uint32_t {
    const ArEntry entry = tables.entry(sw, lid);
    return entry.state == ArState::kStatic ? kStatic : entry.group;
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> parts;  // by class and group
  for (std::size_t l = 1; l < into.of_lid.size(); ++l) {
    std::uint32_t& of = into.of_lid[l];
    if (of == kNoClass) continue;
    const Lid lid(static_cast<std::uint16_t>(l));
    const std::uint32_t own = group(lid);
    if (own != group(into.classes[of].leader)) {
      const auto next = static_cast<std::uint32_t>(into.classes.size());
      const auto [part, is_new] = parts.try_emplace({of, own}, next);
      if (is_new) into.classes.push_back({into.classes[of].at, lid});
      of = part->second;
    }
    if (own != kStatic) into.classes[of].is_adaptive = true;
  }
}

LidClasses find_lid_classes(const Fabric& fabric, const ArTables& tables) {
  LidClasses found = classes_by_destination(fabric);
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
    if (tables.notifications(SwitchId(s)) != nullptr) split_by_groups(tables, SwitchId(s), found);
  for (const std::uint32_t of : found.of_lid)
    if (of != kNoClass) ++found.classes[of].lids;
  return found;
}

/// A class that needs a number. Classes with lower priority, place and GUID, in this order, get a
/// number first.
struct Claim {
  unsigned priority = 0;  // 0: first class of a leaf with CAs, 1: further classes, 2: no CAs
  Guid guid;
  std::size_t place = 0;  // index among the classes of the switch
  std::uint32_t of = 0;   // index of the class
};

std::vector<Claim> find_claims(const Fabric& fabric, const LidClasses& found) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < found.classes.size(); ++i)
    if (found.classes[i].is_adaptive) order.push_back(i);
  std::ranges::sort(order, {}, [&](std::uint32_t i) {
    const NumberedClass& of = found.classes[i];
    return std::tuple(of.at, ~of.lids, of.leader);
  });
  std::vector<Claim> claims;
  std::size_t place = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const SwitchId at = found.classes[order[i]].at;
    place = i > 0 && found.classes[order[i - 1]].at == at ? place + 1 : 0;
    const unsigned priority = fabric.endports_at(at).empty() ? 2 : place > 0 ? 1 : 0;
    claims.push_back({priority, fabric.node(at).node_guid, place, order[i]});
  }
  std::ranges::sort(claims, {}, [](const Claim& claim) {
    return std::tuple(claim.priority, claim.place, claim.guid);
  });
  return claims;
}

/// Numbers from 1 to `highest` that are not assigned, in ascending order.
class FreeNumbers {
 public:
  explicit FreeNumbers(std::uint16_t highest) {
    for (std::uint32_t n = 1; n <= highest; ++n) free_.insert(static_cast<std::uint16_t>(n));
  }
  bool contains(std::uint16_t number) const { return free_.contains(number); }
  bool empty() const { return free_.empty(); }
  bool remove(std::uint16_t number) { return free_.erase(number) > 0; }
  std::uint16_t take() {
    const std::uint16_t lowest = *free_.begin();
    free_.erase(free_.begin());
    return lowest;
  }

 private:
  std::set<std::uint16_t> free_;
};

std::uint16_t held_number(const GroupNumberMemory& memory, const Claim& claim) {
  const auto found = memory.find(claim.guid);
  return found == memory.end() || claim.place >= found->second.size() ? std::uint16_t{0}
                                                                      : found->second[claim.place];
}

/// Assigns a number from 1 to `highest` to each claim; `highest` must be at least the number of
/// claims. Updates `memory`.
std::vector<std::uint16_t> assign_numbers(std::span<const Claim> claims, std::uint16_t highest,
                                          GroupNumberMemory& memory) {
  std::vector<std::uint16_t> numbers(claims.size(), 0);
  FreeNumbers unused(highest);  // numbers not used by these claims
  for (std::size_t i = 0; i < claims.size(); ++i)
    if (const std::uint16_t held = held_number(memory, claims[i]); unused.remove(held))
      numbers[i] = held;
  FreeNumbers unknown = unused;  // unused numbers that are not in `memory`
  for (const auto& [guid, held] : memory)
    for (const std::uint16_t number : held) unknown.remove(number);
  std::set<std::uint16_t> taken;  // numbers in `memory` that belong to no claim
  for (std::uint16_t& number : numbers) {
    if (number != 0) continue;
    if (!unknown.empty()) {
      unused.remove(number = unknown.take());
    } else {
      taken.insert(number = unused.take());
    }
  }
  for (auto& [guid, held] : memory)
    for (std::uint16_t& number : held)
      if (taken.contains(number)) number = 0;
  for (std::size_t i = 0; i < claims.size(); ++i) {
    auto& held = memory[claims[i].guid];
    if (held.size() <= claims[i].place) held.resize(claims[i].place + 1, 0);
    held[claims[i].place] = numbers[i];
  }
  return numbers;
}

/// Makes entries static if they have no number, or a number above the capacity of the switch.
/// Returns the number of these entries.
std::size_t restrict_entries(const GroupNumbers& numbers, std::span<const std::uint16_t> highest,
                             ArTables& tables) {
  std::size_t restricted = 0;
  for (std::uint32_t s = 0; s < tables.switch_count(); ++s) {
    const SwitchId sw(s);
    if (tables.notifications(sw) == nullptr) continue;
    for (std::uint32_t l = 1; l <= tables.top().value(); ++l) {
      const Lid lid(static_cast<std::uint16_t>(l));
      if (tables.group_of(sw, lid) == nullptr) continue;
      const std::uint16_t number = numbers.number(lid);
      if (number != 0 && number <= highest[s]) continue;
      tables.set(sw, lid, {});
      ++restricted;
    }
  }
  return restricted;
}

}  // namespace

std::size_t number_groups(const Fabric& fabric, std::span<const std::uint16_t> highest,
                          GroupNumberMemory& memory, Routes& routes) {
  if (!routes.adaptive) return 0;
  ArTables& tables = *routes.adaptive;
  std::vector<std::uint8_t> notifies(fabric.switch_count(), 0);
  std::uint16_t top = 0;
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    if (tables.notifications(SwitchId(s)) == nullptr) continue;
    notifies[s] = 1;
    top = std::max(top, highest[s]);
  }
  if (top == 0) {
    tables.set_numbers({});
    return 0;
  }
  const LidClasses found = find_lid_classes(fabric, tables);
  std::vector<Claim> claims = find_claims(fabric, found);
  if (claims.size() > top) claims.resize(top);
  const auto assigned = assign_numbers(claims, top, memory);
  GroupNumbers numbers;
  numbers.lid_of.resize(top + std::size_t{1});
  std::vector<std::uint16_t> of_class(found.classes.size(), 0);
  for (std::size_t i = 0; i < claims.size(); ++i) {
    of_class[claims[i].of] = assigned[i];
    numbers.lid_of[assigned[i]] = found.classes[claims[i].of].leader;
  }
  numbers.of_lid.resize(found.of_lid.size(), 0);
  for (std::size_t l = 0; l < found.of_lid.size(); ++l)
    if (found.of_lid[l] != kNoClass) numbers.of_lid[l] = of_class[found.of_lid[l]];
  const std::size_t restricted = restrict_entries(numbers, highest, tables);
  tables.set_numbers(std::move(numbers));
  if (restricted > 0) tables.set_notifications(plan_notifications(fabric, routes, notifies));
  return restricted;
}

}  // namespace weft
