// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The service level that each path must use. Routes are deadlock-free only if path records have
// these SLs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "ib/ids.h"

namespace weft {

class PathSl {
 public:
  enum class Kind { kUniform, kByDestination, kBySwitchPair, kBySwitchAndLid };

  PathSl() = default;
  /// One SL per destination LID, for instance of nue with --replies=ignore.
  static PathSl by_destination(std::vector<std::uint8_t> sl_of_lid);
  /// One SL per source and destination switch, row by source, for instance of lash. `table` has
  /// switches * switches entries.
  static PathSl by_switch_pair(std::uint32_t switches, std::vector<std::uint8_t> table);
  /// One SL per source switch and destination LID, row by source, for instance of dfsssp. Rows are
  /// from LID 0 to `top`.
  static PathSl by_switch_and_lid(std::uint32_t switches, Lid top, std::vector<std::uint8_t> table);

  Kind kind() const { return kind_; }
  /// SL of packets that enter the switch fabric at `source` and have the destination `lid`, an
  /// endport at switch `destination`.
  Sl sl(SwitchId source, SwitchId destination, Lid lid) const {
    switch (kind_) {
      case Kind::kUniform:
        return Sl(0);
      case Kind::kByDestination:
        return Sl(table_[lid.value()]);
      case Kind::kBySwitchPair:
        return Sl(table_[source.value() * stride_ + destination.value()]);
      case Kind::kBySwitchAndLid:
        return Sl(table_[source.value() * stride_ + lid.value()]);
    }
    return Sl(0);
  }
  /// SL of packets between two endports that are cabled to switches.
  Sl sl(const Fabric& fabric, EndportId source, Lid lid) const;

  /// The SLs of packets that enter the switch fabric at a switch: by LID or by destination switch,
  /// as kind() states, followed by the rows of the next switches; empty if all SLs are 0.
  std::span<const std::uint8_t> row(SwitchId source) const {
    return std::span(table_).subspan(source.value() * stride_);
  }

  bool operator==(const PathSl&) const = default;

 private:
  Kind kind_ = Kind::kUniform;
  std::size_t stride_ = 0;
  std::vector<std::uint8_t> table_;
};

}  // namespace weft
