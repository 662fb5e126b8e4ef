// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Management classes with a key in each MAD: congestion control, vendor-specific class 0x0A (VS),
// and class 0x0C between nodes (N2N). KeyInfo sets the key of a port; a protected port ignores MADs
// with another key. Layout: InfiniBand Architecture Specification, volume 1, annex A10.4, and
// headers of NVIDIA's OpenSM; class_keys_unconfirmed.h has the assumptions where both sources state
// nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "ib/gmp.h"

namespace weft {

enum class KeyedClass : std::uint8_t { kCongestion, kVendor, kNodeToNode };
inline constexpr std::size_t kKeyedClasses = 3;

/// The properties in which the classes differ.
struct KeyedClassForm {
  std::string_view name;
  MgmtClass mgmt_class{};
  std::uint8_t version = 1;
  std::uint16_t key_info = 0;      // attribute id
  std::size_t data_offset = 0;     // offset of an attribute within Gmp::data, after the key
  std::uint16_t announced_by = 0;  // bit mask of ClassPortInfo's CapabilityMask; 0: none
  bool is_of_switches_only = false;
};
const KeyedClassForm& form_of(KeyedClass keyed);

inline constexpr std::uint16_t kClassPortInfoAttribute = 0x0001;

struct ClassKeyInfo {
  static constexpr std::size_t kSize = 16;
  std::uint64_t key = 0;              // 0 in a response if the key is protected
  bool is_protected = false;          // MADs with another key are ignored, and the key is hidden
  std::uint16_t lease = 0;            // seconds until the protection ends; 0: never
  std::uint16_t violations = 0;       // read only
  std::uint16_t node_violations = 0;  // read only; of class N2N only
  bool operator==(const ClassKeyInfo&) const = default;
};
using ClassKeyBytes = std::array<std::byte, ClassKeyInfo::kSize>;
ClassKeyBytes encode(const ClassKeyInfo& info);
ClassKeyInfo decode_class_key_info(std::span<const std::byte, ClassKeyInfo::kSize> data);

/// NeighborsInfo of class 0x0C: the switches to which a switch sends MADs of the class, with their
/// keys. Modifier: the block, 4 bits.
inline constexpr std::uint16_t kNeighborsInfoAttribute = 0x0010;
struct NeighborsBlock {
  static constexpr std::size_t kNeighbors = 14;
  static constexpr std::size_t kSize = 16 * kNeighbors;
  static constexpr std::size_t kBlocksMax = 16;
  struct Neighbor {
    std::uint8_t type = 0;  // 3 bits, as in NodeInfo; 0: none
    std::uint16_t lid = 0;
    std::uint64_t key = 0;
    bool operator==(const Neighbor&) const = default;
  };
  std::array<Neighbor, kNeighbors> neighbors{};
  bool operator==(const NeighborsBlock&) const = default;
};
using NeighborsBytes = std::array<std::byte, NeighborsBlock::kSize>;
NeighborsBytes encode(const NeighborsBlock& block);
NeighborsBlock decode_neighbors_block(std::span<const std::byte, NeighborsBlock::kSize> data);

/// The key that a MAD of a KeyedClass carries.
std::uint64_t class_key(const Gmp& gmp);
void set_class_key(Gmp& gmp, std::uint64_t key);

}  // namespace weft
