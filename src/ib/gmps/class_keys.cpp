// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "ib/gmps/class_keys.h"

#include "ib/gmps/congestion.h"
#include "ib/wire.h"

namespace weft {
namespace {

constexpr std::size_t kAfterKey = 8;
constexpr std::array<KeyedClassForm, kKeyedClasses> kKeyedClassForms{
    KeyedClassForm{"CC", kCongestionClass, kCongestionClassVersion, 0x0012, kCongestionDataOffset},
    KeyedClassForm{"VS", MgmtClass{0x0A}, 1, 0x000F, kAfterKey, 1u << 8},
    KeyedClassForm{"N2N", MgmtClass{0x0C}, 1, 0x000F, kAfterKey, 0, true}};

template <class Op, class Info>
void class_key_layout(Op field, Info& info) {
  field(0, 64, info.key);
  field(64, 1, info.is_protected);
  field(80, 16, info.lease);
  field(96, 16, info.violations);
  field(112, 16, info.node_violations);
}

template <class Op, class Block>
void neighbors_layout(Op field, Block& block) {
  for (unsigned i = 0; i < NeighborsBlock::kNeighbors; ++i) {
    const unsigned at = 128 * i;
    field(at, 3, block.neighbors[i].type);
    field(at + 16, 16, block.neighbors[i].lid);
    field(at + 64, 64, block.neighbors[i].key);
  }
}

}  // namespace

const KeyedClassForm& form_of(KeyedClass keyed) {
  return kKeyedClassForms[static_cast<std::size_t>(keyed)];
}

ClassKeyBytes encode(const ClassKeyInfo& info) {
  ClassKeyBytes data{};
  class_key_layout(wire::FieldWriter(data.data()), info);
  return data;
}

ClassKeyInfo decode_class_key_info(std::span<const std::byte, ClassKeyInfo::kSize> data) {
  ClassKeyInfo info;
  class_key_layout(wire::FieldReader(data.data()), info);
  return info;
}

NeighborsBytes encode(const NeighborsBlock& block) {
  NeighborsBytes data{};
  neighbors_layout(wire::FieldWriter(data.data()), block);
  return data;
}

NeighborsBlock decode_neighbors_block(std::span<const std::byte, NeighborsBlock::kSize> data) {
  NeighborsBlock block;
  neighbors_layout(wire::FieldReader(data.data()), block);
  return block;
}

std::uint64_t class_key(const Gmp& gmp) { return wire::read_bits(gmp.data.data(), 0, 64); }
void set_class_key(Gmp& gmp, std::uint64_t key) { wire::write_bits(gmp.data.data(), 0, 64, key); }

}  // namespace weft
