// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Layout of P_Key tables.
#include <algorithm>

#include "sm/partitions/partitions.h"

namespace weft {
namespace {

std::uint16_t base_of(Pkey pkey) { return pkey.value() & kPkeyBaseMask; }
bool is_full(Pkey pkey) { return (pkey.value() & kPkeyFullBit) != 0; }

/// OpenSM compares P_Keys in network byte order as integers of a little-endian processor, so the
/// low byte is compared first.
std::uint16_t sort_key_of(std::uint16_t base) {
  return static_cast<std::uint16_t>(base << 8 | base >> 8);
}
std::uint16_t sort_key_of_pkey(Pkey pkey) { return sort_key_of(base_of(pkey)); }

/// The P_Keys in OpenSM's order; if a base has both memberships, limited membership is first.
std::vector<Pkey> wanted_pkeys(const PortPartitions& partitions, bool allow_both) {
  std::vector<Pkey> wanted;
  for (const PortMember& member : partitions.members) {
    const bool both = member.membership == Membership::kBoth;
    if (member.membership == Membership::kLimited || (both && allow_both))
      wanted.push_back(Pkey(member.base));
    if (member.membership == Membership::kFull || both)
      wanted.push_back(Pkey(static_cast<std::uint16_t>(member.base | kPkeyFullBit)));
  }
  std::ranges::stable_sort(wanted, {}, &sort_key_of_pkey);
  return wanted;
}

class Layout {
 public:
  Layout(const PortPartitions& partitions, std::size_t capacity, bool allow_both)
      : wanted_(wanted_pkeys(partitions, allow_both)),
        placed_(wanted_.size(), false),
        table_(capacity, Pkey(0)),
        index0_(partitions.index0),
        allow_both_(allow_both) {}

  void place_first() {
    if (table_.empty()) return;
    if (const auto configured = find(index0_, false); configured != wanted_.size()) {
      place(configured, 0);
    } else if (const auto default_pkey = find(kDefaultPkeyBase, allow_both_);
               default_pkey != wanted_.size()) {
      place(default_pkey, 0);
    }
  }

  void keep(std::span<const Pkey> held) {
    const std::size_t end = std::min(held.size(), table_.size());
    for (std::size_t i = 0; i < end; ++i) {
      if (held[i] == Pkey(0) || table_[i] != Pkey(0)) continue;
      if (i == 0 && base_of(held[i]) != kDefaultPkeyBase) continue;
      const std::size_t same = find_same(held[i]);
      if (same != wanted_.size() && !placed_[same]) place(same, i);
    }
  }

  PkeyLayout fill() && {
    PkeyLayout result;
    std::size_t next = 1;
    for (std::size_t i = 1; i < table_.size(); ++i)
      if (table_[i] != Pkey(0)) next = i + 1;
    std::size_t gap = 1;
    for (std::size_t i = 0; i < wanted_.size(); ++i) {
      if (placed_[i]) continue;
      if (next < table_.size()) {
        place(i, next++);
        continue;
      }
      while (gap < table_.size() && table_[gap] != Pkey(0)) ++gap;
      if (gap < table_.size()) {
        place(i, gap);
      } else {
        result.left_out.push_back(wanted_[i]);
      }
    }
    while (!table_.empty() && table_.back() == Pkey(0)) table_.pop_back();
    result.table = std::move(table_);
    return result;
  }

 private:
  void place(std::size_t which, std::size_t index) {
    table_[index] = wanted_[which];
    placed_[which] = true;
  }
  /// Index of the first wanted P_Key with this base (with `full`, of the P_Key with full
  /// membership); wanted_.size() if there is none.
  std::size_t find(std::uint16_t base, bool full) const {
    auto at = std::ranges::lower_bound(wanted_, sort_key_of(base), {}, &sort_key_of_pkey);
    while (at != wanted_.end() && base_of(*at) == base && full && !is_full(*at)) ++at;
    return at != wanted_.end() && base_of(*at) == base
               ? static_cast<std::size_t>(at - wanted_.begin())
               : wanted_.size();
  }
  /// Index of the wanted P_Key that equals `held`; wanted_.size() if there is none. With
  /// `allow_both` the two memberships are different P_Keys; otherwise they are equal.
  std::size_t find_same(Pkey held) const {
    const std::size_t at = find(base_of(held), allow_both_ && is_full(held));
    if (at == wanted_.size() || !allow_both_ || wanted_[at] == held) return at;
    return wanted_.size();
  }

  std::vector<Pkey> wanted_;
  std::vector<bool> placed_;
  std::vector<Pkey> table_;
  std::uint16_t index0_;
  bool allow_both_;
};

}  // namespace

PkeyLayout lay_out_pkeys(const PortPartitions& partitions, std::span<const Pkey> held,
                         std::size_t capacity, bool allow_both, bool keep_indexes) {
  Layout layout(partitions, capacity, allow_both);
  layout.place_first();
  if (keep_indexes) layout.keep(held);
  return std::move(layout).fill();
}

std::vector<Pkey> filter_table(std::span<const Pkey> table) {
  std::vector<std::uint16_t> full;
  for (const Pkey pkey : table)
    if (is_full(pkey)) full.push_back(base_of(pkey));
  std::ranges::sort(full);
  std::vector<Pkey> filter;
  for (const Pkey pkey : table)
    if (pkey != Pkey(0) && (is_full(pkey) || !std::ranges::binary_search(full, base_of(pkey))))
      filter.push_back(pkey);
  return filter;
}

}  // namespace weft
