// Laying pairs of switches on layers: both paths between two switches on one, as few layers as go,
// then about as many pairs on each. What lash is made of.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "routing/shared/turns.h"

namespace weft {

/// The channel toward each destination switch, row by destination; kNoWay where there is none.
class SwitchTrees {
 public:
  static constexpr std::uint32_t kNoWay = 0xFFFFFFFF;

  explicit SwitchTrees(std::uint32_t switches)
      : switches_(switches), next_(std::size_t{switches} * switches, kNoWay) {}
  std::uint32_t switches() const { return switches_; }
  std::span<std::uint32_t> toward(std::uint32_t destination) {
    return std::span(next_).subspan(std::size_t{destination} * switches_, switches_);
  }
  std::span<const std::uint32_t> toward(std::uint32_t destination) const {
    return std::span(next_).subspan(std::size_t{destination} * switches_, switches_);
  }

 private:
  std::uint32_t switches_;
  std::vector<std::uint32_t> next_;
};

struct Layers {
  std::vector<std::uint8_t> of_pair;  // switches * switches, symmetric
  unsigned count = 1;
};

/// Pairs of which at least one has hosts. Nothing where more than `layers_max` are needed.
std::optional<Layers> lay_pairs(const Fabric& fabric, const Turns& turns, const SwitchTrees& trees,
                                unsigned layers_max);

}  // namespace weft
