// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/adaptive/tree_masks.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <utility>

#include "base/parallel.h"

namespace weft {
namespace {

/// Number of passes in which the remaining LIDs of each switch form a class. After these passes,
/// each remaining LID is a class.
constexpr unsigned kPassesBySwitch = 2;
constexpr std::size_t kChunksAtOnce = 16;
constexpr std::size_t kSwitchesPerTask = 64;

/// Returns a mask; bit i: the i-th bytes of `a` and `b` are equal.
std::uint64_t equal_bytes(ClassPaths::Row a, ClassPaths::Row b) {
  static_assert(std::endian::native == std::endian::little, "the first byte is the lowest");
  std::array<std::uint8_t, kClassesAtOnce> equal;
  for (std::size_t i = 0; i < kClassesAtOnce; ++i) equal[i] = a.data()[i] == b.data()[i] ? 1 : 0;
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < kClassesAtOnce; i += 8) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, equal.data() + i, sizeof eight);
    bits |= (eight * 0x0102040810204080U >> 56) << i;  // the lowest bit of each byte
  }
  return bits;
}

/// By port number, 1 if the port is in a mask.
using PortTable = std::array<std::uint8_t, 256>;

class Chooser {
 public:
  /// `differs`: by LID, set to 1 for LIDs with other paths than the leader of their class.
  Chooser(const TreeMasksInput& in, std::vector<std::uint8_t>& differs)
      : in_(in), differs_(differs) {}

  /// Appends the masks of up to 64 classes at one switch.
  void choose(SwitchId sw, const ClassPaths& paths, std::span<const LidClass> classes,
              TreeMasks::OfSwitch& into) const {
    const auto channels = in_.fabric.channels_from(sw);
    const std::uint32_t first = in_.fabric.first_channel(sw).value();
    std::array<std::uint64_t, 256> serves;  // by channel from `first`: mask of classes
    for (std::size_t c = 0; c < channels.size(); ++c)
      serves[c] = in_.up[first + c] != 0
                      ? equal_bytes(paths.hops(channels[c].to), paths.up_wanted(sw))
                      : equal_bytes(paths.down_hops(channels[c].to), paths.down_wanted(sw));
    const std::size_t before = into.of_class.size();
    into.of_class.resize(before + classes.size());
    const auto numbers = std::span(into.of_class).subspan(before);
    std::uint64_t left = ~std::uint64_t{0} >> (kClassesAtOnce - classes.size());
    while (left != 0) {  // the lowest remaining class and all classes with the same channels
      const int lowest = std::countr_zero(left);
      std::uint64_t same = left;
      PortMask mask;
      for (std::size_t c = 0; c < channels.size(); ++c) {
        const bool set = (serves[c] >> lowest & 1) != 0;
        same &= set ? serves[c] : ~serves[c];
        if (set) mask.set(channels[c].from_port.value());
      }
      if (mask.none())
        fix(sw, classes, same, into.masks, numbers);
      else if (in_.hop_weights.empty())
        take(sw, mask, classes, same, into.masks, numbers);
      else
        take_weighed(sw, mask, classes, same, into.masks, numbers);
      left &= ~same;
    }
  }

 private:
  template <class Body>
  static void each(std::uint64_t bits, const Body& body) {
    for (; bits != 0; bits &= bits - 1) body(static_cast<std::size_t>(std::countr_zero(bits)));
  }

  bool takes_one_port(SwitchId sw) const {
    return !in_.one_port.empty() && in_.one_port[sw.value()] != 0;
  }
  std::uint16_t number(SwitchId sw, const PortMask& mask, SwitchMasks& masks) const {
    const std::size_t least = takes_one_port(sw) ? 1 : 2;
    return mask.count() < least ? SwitchMasks::kNone : masks.number(mask);
  }

  /// Makes the entries static, or groups of one port if the switch requests such groups, and marks
  /// the LIDs with another port than the leader.
  void fix(SwitchId sw, std::span<const LidClass> classes, std::uint64_t members,
           SwitchMasks& masks, std::span<std::uint16_t> numbers) const {
    const bool one_port = takes_one_port(sw);
    each(members, [&](std::size_t i) {
      numbers[i] = one_port ? own_port(sw, classes[i].leader(), masks) : SwitchMasks::kNone;
      if (classes[i].has_one_lid() || classes[i].destination == sw) return;
      PortTable allowed{};
      allowed[in_.lfts.port(sw, classes[i].leader()).value()] = 1;
      compare(sw, classes[i], allowed);
    });
  }
  std::uint16_t own_port(SwitchId sw, Lid lid, SwitchMasks& masks) const {
    const PortNum port = in_.lfts.port(sw, lid);
    PortMask own;
    if (in_.fabric.channel_at(sw, port) != kNoChannel) own.set(port.value());
    return number(sw, own, masks);
  }

  void take(SwitchId sw, const PortMask& mask, std::span<const LidClass> classes,
            std::uint64_t members, SwitchMasks& masks, std::span<std::uint16_t> numbers) const {
    const std::uint16_t known = number(sw, mask, masks);
    PortTable allowed{};
    for_each_port(mask, [&](PortNum port) { allowed[port.value()] = 1; });
    each(members, [&](std::size_t i) {
      numbers[i] = known;
      if (!classes[i].has_one_lid()) compare(sw, classes[i], allowed);
    });
  }

  /// Assigns groups without channels that have a greater weight than the channel in the table.
  void take_weighed(SwitchId sw, const PortMask& mask, std::span<const LidClass> classes,
                    std::uint64_t members, SwitchMasks& masks,
                    std::span<std::uint16_t> numbers) const {
    const auto weight = [&](PortNum port) {
      return in_.hop_weights[in_.fabric.channel_at(sw, port).value()];
    };
    each(members, [&](std::size_t i) {
      const std::uint64_t own = weight(in_.lfts.port(sw, classes[i].leader()));
      PortMask light;
      PortTable allowed{};
      for_each_port(mask, [&](PortNum port) {
        if (weight(port) <= own) light.set(port.value());
        if (weight(port) == own) allowed[port.value()] = 1;
      });
      numbers[i] = number(sw, light, masks);
      if (!classes[i].has_one_lid()) compare(sw, classes[i], allowed);
    });
  }

  /// Marks the LIDs with a port that is not in `allowed`.
  void compare(SwitchId sw, const LidClass& lids, const PortTable& allowed) const {
    const std::uint8_t* const row = in_.lfts.row(sw).data();
    for (const LidRun run : lids.runs) {
      std::uint8_t all = 1;
      for (std::size_t lid = run.first; lid < std::size_t{run.first} + run.count; ++lid)
        all &= allowed.data()[row[lid]];
      if (all != 0) continue;
      for (std::size_t lid = run.first; lid < std::size_t{run.first} + run.count; ++lid)
        if (allowed[row[lid]] == 0)
          std::atomic_ref(differs_[lid]).store(1, std::memory_order_relaxed);
    }
  }

  const TreeMasksInput& in_;
  std::vector<std::uint8_t>& differs_;
};

/// Appends the masks of the classes at all switches.
void choose_all(const TreeMasksInput& in, const PortMap& map, std::span<const LidClass> classes,
                std::vector<std::uint8_t>& differs, TreeMasks& into) {
  const Chooser chooser(in, differs);
  constexpr std::size_t kAtOnce = kChunksAtOnce * kClassesAtOnce;
  std::vector<ClassPaths> paths(std::min(kChunksAtOnce, classes.size() / kClassesAtOnce + 1),
                                ClassPaths(in.fabric.switch_count()));
  for (std::size_t begin = 0; begin < classes.size(); begin += kAtOnce) {
    const auto some = classes.subspan(begin, std::min(kAtOnce, classes.size() - begin));
    const auto chunk = [&](std::size_t i) {
      return some.subspan(i * kClassesAtOnce,
                          std::min(kClassesAtOnce, some.size() - i * kClassesAtOnce));
    };
    const std::size_t chunks = (some.size() + kClassesAtOnce - 1) / kClassesAtOnce;
    parallel_for(chunks, in.threads, [&](std::size_t i) {
      find_class_paths(in.fabric, in.lfts, map, in.up, in.static_entries, chunk(i), paths[i],
                       into.turns_up);
    });
    parallel_blocks(in.fabric.switch_count(), kSwitchesPerTask, in.threads,
                    [&](std::size_t first, std::size_t end) {
                      for (std::size_t i = 0; i < chunks; ++i)
                        for (std::size_t s = first; s < end; ++s)
                          chooser.choose(SwitchId(static_cast<std::uint32_t>(s)), paths[i],
                                         chunk(i), into.switches[s]);
                    });
  }
}

}  // namespace

TreeMasks find_tree_masks(const TreeMasksInput& input) {
  const Fabric& fabric = input.fabric;
  const PortMap map(fabric);
  TreeMasks found;
  found.switches.resize(fabric.switch_count());
  found.turns_up.assign(fabric.channel_count(), 0);
  std::vector<std::uint8_t> differs(fabric.lid_top().value() + std::size_t{1}, 0);
  std::vector<Lid> lids = routable_lids(fabric, input.lfts);
  for (unsigned pass = 0; !lids.empty(); ++pass) {
    std::vector<LidClass> classes =
        pass < kPassesBySwitch ? classes_by_switch(fabric, lids) : classes_of_one_lid(fabric, lids);
    choose_all(input, map, classes, differs, found);
    lids.clear();
    for (LidClass& one : classes) remove_lids(differs, one, lids);
    std::ranges::sort(lids);
    std::ranges::fill(differs, std::uint8_t{0});
    std::ranges::move(classes, std::back_inserter(found.classes));
  }
  return found;
}

}  // namespace weft
