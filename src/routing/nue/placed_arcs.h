// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// An order of arcs that changes arc by arc, with the arcs at each switch sorted by the order. A
// packet may continue to an arc from the earlier arcs into the tail of the arc, and from an arc to
// the later arcs out of its head.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "routing/nue/arcs.h"
#include "routing/nue/order.h"

namespace weft::nue {

/// Position of an arc, with gaps for insertion. Two arcs at equal positions make no turn.
using Place = std::uint32_t;

class PlacedArcs {
 public:
  static constexpr unsigned kGapShift = 10;
  static constexpr std::uint32_t kArcsEnd = 1u << (31 - kGapShift);  // fewer arcs than this
  static constexpr std::uint32_t kSwitchesEnd = 1u << 16;
  static constexpr std::uint32_t kDegreeMost = 255;
  static constexpr std::size_t kBlock = 16;  // elements of Side::sw that may be read beyond the end

  /// Arcs into or out of a switch, earliest first, with their other ends.
  struct Side {
    const std::uint32_t* arc = nullptr;
    const std::uint16_t* sw = nullptr;
    std::uint32_t count = 0;
  };

  /// `arcs` must outlive this object, and have a number and degree below the limits.
  explicit PlacedArcs(const Arcs& arcs)
      : arcs_(arcs),
        place_(arcs.count()),
        before_(arcs.count()),
        passed_(arcs.count()),
        in_(arcs.count()),
        out_(arcs.count()) {}

  void start(const Order& order) {
    sequence_.resize(arcs_.count());
    for (std::uint32_t a = 0; a < arcs_.count(); ++a) sequence_[order[a]] = a;
    number();
  }
  /// Restores the full distance between positions, in the same order. Equal positions are ordered
  /// by id. Returns the arcs, earliest first; valid until the next call.
  std::span<const std::uint32_t> renumber() {
    std::ranges::sort(sequence_, {}, [this](std::uint32_t a) { return std::pair(place_[a], a); });
    number();
    return sequence_;
  }
  void move(std::uint32_t arc, Place place);

  static Place at(std::size_t index) { return static_cast<Place>((index + 1) << kGapShift); }
  Place end() const { return at(arcs_.count()); }
  Place operator[](std::uint32_t arc) const { return place_.data()[arc]; }
  Side into(std::uint32_t sw) const { return side(in_, sw); }
  Side out_of(std::uint32_t sw) const { return side(out_, sw); }
  /// Number of arcs into the tail of `arc` that precede `arc`.
  std::uint32_t before(std::uint32_t arc) const { return before_.data()[arc]; }
  /// Number of arcs out of the head of `arc` that do not follow `arc`.
  std::uint32_t passed(std::uint32_t arc) const { return passed_.data()[arc]; }

 private:
  struct Ends {
    explicit Ends(std::size_t arcs) : arc(arcs), sw(arcs + kBlock) {}
    // By switch: indices as in Arcs::begin.
    std::vector<std::uint32_t> arc;
    std::vector<std::uint16_t> sw;
  };

  Side side(const Ends& ends, std::uint32_t sw) const {
    const std::uint32_t* const begin = arcs_.begin.data() + sw;
    return {ends.arc.data() + begin[0], ends.sw.data() + begin[0], begin[1] - begin[0]};
  }
  void number();
  void shift(Ends& ends, std::uint32_t sw, std::uint32_t arc);

  const Arcs& arcs_;
  std::vector<std::uint32_t> sequence_;
  std::vector<Place> place_;          // by arc
  std::vector<std::uint8_t> before_;  // by arc
  std::vector<std::uint8_t> passed_;  // by arc
  Ends in_;
  Ends out_;
};

inline void PlacedArcs::number() {
  std::vector<std::uint32_t> in_end(arcs_.begin.begin(), arcs_.begin.end() - 1);
  std::vector<std::uint32_t> out_end = in_end;
  for (std::uint32_t i = 0; i < arcs_.count(); ++i) {
    const std::uint32_t arc = sequence_[i];
    const std::uint32_t tail = arcs_.tail[arc];
    const std::uint32_t head = arcs_.head[arc];
    place_[arc] = at(i);
    before_[arc] = static_cast<std::uint8_t>(in_end[tail] - arcs_.begin[tail]);
    passed_[arc] = static_cast<std::uint8_t>(out_end[head] - arcs_.begin[head]);
    in_.arc[in_end[head]] = arc;
    in_.sw[in_end[head]++] = static_cast<std::uint16_t>(tail);
    out_.arc[out_end[tail]] = arc;
    out_.sw[out_end[tail]++] = static_cast<std::uint16_t>(head);
  }
}

inline void PlacedArcs::move(std::uint32_t arc, Place place) {
  const Place from = std::exchange(place_[arc], place);
  const std::uint32_t tail = arcs_.tail[arc];
  const std::uint32_t head = arcs_.head[arc];
  shift(in_, head, arc);
  shift(out_, tail, arc);
  std::uint32_t before = 0;
  std::uint32_t passed = 0;
  for (std::uint32_t i = arcs_.begin[tail]; i < arcs_.begin[tail + 1]; ++i) {
    const std::uint32_t in = in_.arc[i];
    const Place other = place_[in];
    before += other < place ? 1 : 0;
    passed_[in] = static_cast<std::uint8_t>(passed_[in] + (place <= other) - (from <= other));
  }
  for (std::uint32_t i = arcs_.begin[head]; i < arcs_.begin[head + 1]; ++i) {
    const std::uint32_t out = out_.arc[i];
    const Place other = place_[out];
    passed += other <= place ? 1 : 0;
    before_[out] = static_cast<std::uint8_t>(before_[out] + (place < other) - (from < other));
  }
  before_[arc] = static_cast<std::uint8_t>(before);
  passed_[arc] = static_cast<std::uint8_t>(passed);
}

/// Sorts the arcs at a switch again after the position of one arc changed. Equal positions are
/// ordered by id.
inline void PlacedArcs::shift(Ends& ends, std::uint32_t sw, std::uint32_t arc) {
  std::uint32_t* const arcs = ends.arc.data();
  std::uint16_t* const others = ends.sw.data();
  const auto key = [this](std::uint32_t a) { return std::pair(place_[a], a); };
  std::uint32_t i = arcs_.begin[sw];
  while (arcs[i] != arc) ++i;
  const auto swap_with = [&](std::uint32_t next) {
    std::swap(arcs[i], arcs[next]);
    std::swap(others[i], others[next]);
    i = next;
  };
  while (i > arcs_.begin[sw] && key(arc) < key(arcs[i - 1])) swap_with(i - 1);
  while (i + 1 < arcs_.begin[sw + 1] && key(arcs[i + 1]) < key(arc)) swap_with(i + 1);
}

}  // namespace weft::nue
