// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "ib/vendor/ar_settings.h"

#include "ib/wire.h"

namespace weft {
namespace {

template <class Op, class Config>
void layout_hbf(Op field, Config& config) {
  field(0, 4, config.hash);
  field(6, 2, config.seed_type);
  field(8 * 8, 32, config.seed);
  field(8 * 12, 64, config.fields);
}

template <class Op, class Block>
void layout_whbf(Op field, Block& block) {
  for (unsigned group = 0; group < WhbfBlock::kGroups; ++group)
    for (unsigned i = 0; i < WhbfBlock::kSubGroups; ++i)
      field(32 * group + 8 * (i + 1), 8, block.weights[group][i]);
}

template <class Op, class Config>
void layout_pfrn(Op field, Config& config) {
  field(8 * 3 + 7, 1, config.selects_policy);
  field(8 * 8, 4, config.sl);
  field(8 * 11 + 4, 4, config.policy);
  field(8 * 12, 16, config.force_clear_s);
  field(8 * 14, 16, config.clear_s);
}

}  // namespace

SmpData encode(const HbfConfig& config) {
  SmpData data{};
  layout_hbf(wire::FieldWriter(data.data()), config);
  return data;
}

HbfConfig decode_hbf_config(std::span<const std::byte, kSmpDataSize> data) {
  HbfConfig config;
  layout_hbf(wire::FieldReader(data.data()), config);
  return config;
}

SmpData encode(const WhbfBlock& block) {
  SmpData data{};
  layout_whbf(wire::FieldWriter(data.data()), block);
  return data;
}

WhbfBlock decode_whbf_block(std::span<const std::byte, kSmpDataSize> data) {
  WhbfBlock block;
  layout_whbf(wire::FieldReader(data.data()), block);
  return block;
}

SmpData encode(const PfrnConfig& config) {
  SmpData data{};
  layout_pfrn(wire::FieldWriter(data.data()), config);
  return data;
}

PfrnConfig decode_pfrn_config(std::span<const std::byte, kSmpDataSize> data) {
  PfrnConfig config;
  layout_pfrn(wire::FieldReader(data.data()), config);
  return config;
}

}  // namespace weft
