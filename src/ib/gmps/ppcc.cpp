// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "ib/gmps/ppcc.h"

#include <algorithm>

#include "ib/gmps/ppcc_unconfirmed.h"
#include "ib/wire.h"

namespace weft {
namespace {

constexpr std::size_t kContentAt = 16;  // offset in bytes, of the content and of the parameters
constexpr unsigned kBitsOfAlgorithm = 32;

template <class Op, class Info>
void enhanced_info_layout(Op field, Info& info) {
  field(0, 1, info.has_dcqcn);
  field(1, 1, info.has_ppcc);
  field(64, 64, info.capabilities);
}

template <class Op, class Config>
void ppcc_config_layout(Op field, Config& config) {
  field(0, 1, config.is_enabled);
  field(1, 1, config.status);
  field(2, 1, config.traces);
  field(3, 1, config.counts);
  field(32, 16, config.sls);
  field(48, 8, config.length);
  field(56, 8, config.type);
}

template <class Op, class Algorithm>
void algorithm_layout(Op field, unsigned slot, Algorithm& algorithm) {
  const unsigned at = kBitsOfAlgorithm * slot;
  field(at, 16, algorithm.id);
  field(at + 16, 8, algorithm.major);
  field(at + 24, 8, algorithm.minor);
}

template <class Op, class Parameters>
void parameters_layout(Op field, Parameters& parameters) {
  field(32, 16, parameters.sls);
  field(48, 8, parameters.length);
  field(56, 8, parameters.type);
  for (unsigned i = 0; i < PpccParameters::kValues; ++i)
    field(kContentAt * 8 + 32 * i, 32, parameters.values[i]);
}

}  // namespace

std::array<PpccAlgorithmId, PpccConfig::kSlots> algorithms_of(const PpccConfig& config) {
  std::array<PpccAlgorithmId, PpccConfig::kSlots> algorithms{};
  if (config.type != PpccConfig::kList) return algorithms;
  for (unsigned slot = 0; slot < algorithms.size(); ++slot)
    algorithm_layout(wire::FieldReader(config.content.data()), slot, algorithms[slot]);
  return algorithms;
}

void set_algorithms(PpccConfig& config, std::span<const PpccAlgorithmId> algorithms) {
  config.type = PpccConfig::kList;
  config.length = ppcc_unconfirmed::length_of_list(algorithms.size());
  config.content = {};
  for (unsigned slot = 0; slot < std::min(algorithms.size(), PpccConfig::kSlots); ++slot)
    algorithm_layout(wire::FieldWriter(config.content.data()), slot, algorithms[slot]);
}

CongestionData encode(const EnhancedCongestionInfo& info) {
  CongestionData data{};
  enhanced_info_layout(wire::FieldWriter(data.data()), info);
  return data;
}

CongestionData encode(const PpccConfig& config) {
  CongestionData data{};
  ppcc_config_layout(wire::FieldWriter(data.data()), config);
  std::ranges::copy(config.content, data.begin() + kContentAt);
  return data;
}

CongestionData encode(const PpccParameters& parameters) {
  CongestionData data{};
  parameters_layout(wire::FieldWriter(data.data()), parameters);
  return data;
}

EnhancedCongestionInfo decode_enhanced_congestion_info(
    std::span<const std::byte, kCongestionDataSize> data) {
  EnhancedCongestionInfo info;
  enhanced_info_layout(wire::FieldReader(data.data()), info);
  return info;
}

PpccConfig decode_ppcc_config(std::span<const std::byte, kCongestionDataSize> data) {
  PpccConfig config;
  ppcc_config_layout(wire::FieldReader(data.data()), config);
  std::ranges::copy(data.subspan<kContentAt, PpccConfig::kContent>(), config.content.begin());
  return config;
}

PpccParameters decode_ppcc_parameters(std::span<const std::byte, kCongestionDataSize> data) {
  PpccParameters parameters;
  parameters_layout(wire::FieldReader(data.data()), parameters);
  return parameters;
}

}  // namespace weft
