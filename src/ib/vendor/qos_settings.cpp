// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "ib/vendor/qos_settings.h"

#include "ib/vendor/qos_settings_unconfirmed.h"
#include "ib/wire.h"

namespace weft {
namespace {

template <class Op, class Config>
void layout_qos_sl(Op field, Config& config) {
  for (unsigned sl = 0; sl < kSlCount; ++sl) {
    field(32 * sl, 12, config.sls[sl].share);
    field(32 * sl + 12, 20, config.sls[sl].rate_limit);
  }
}

template <class Op, class Config>
void layout_qos_vl(Op field, Config& config) {
  for (unsigned vl = 0; vl < QosConfigVl::kVls; ++vl) {
    field(32 * vl, 8, config.vls[vl].buffer_weight);
    field(32 * vl + 8, 16, config.vls[vl].data_types);
    field(32 * vl + 31, 1, config.vls[vl].head_of_queue_life_off);
  }
}

constexpr unsigned kInputsAt = 8 * 32, kOutputsAt = 8 * 48;  // first bit of the masks

}  // namespace

SmpData encode(const QosConfigSl& value) {
  SmpData data{};
  layout_qos_sl(wire::FieldWriter(data.data()), value);
  return data;
}

QosConfigSl decode_qos_config_sl(std::span<const std::byte, kSmpDataSize> data) {
  QosConfigSl value;
  layout_qos_sl(wire::FieldReader(data.data()), value);
  return value;
}

SmpData encode(const QosConfigVl& value) {
  SmpData data{};
  layout_qos_vl(wire::FieldWriter(data.data()), value);
  return data;
}

QosConfigVl decode_qos_config_vl(std::span<const std::byte, kSmpDataSize> data) {
  QosConfigVl value;
  layout_qos_vl(wire::FieldReader(data.data()), value);
  return value;
}

SmpData encode(const SlToVlOfPorts& table) {
  SmpData data = encode(table.map);
  for (unsigned port = 0; port < table.inputs.size(); ++port) {
    const unsigned bit = qos_unconfirmed::bit_of_port(port);
    wire::write_bits(data.data(), kInputsAt + bit, 1, table.inputs.test(port) ? 1 : 0);
    wire::write_bits(data.data(), kOutputsAt + bit, 1, table.outputs.test(port) ? 1 : 0);
  }
  return data;
}

SlToVlOfPorts decode_sl_to_vl_of_ports(std::span<const std::byte, kSmpDataSize> data) {
  SlToVlOfPorts table{*decode_sl_to_vl_table(data), {}, {}};
  for (unsigned port = 0; port < table.inputs.size(); ++port) {
    const unsigned bit = qos_unconfirmed::bit_of_port(port);
    table.inputs.set(port, wire::read_bits(data.data(), kInputsAt + bit, 1) != 0);
    table.outputs.set(port, wire::read_bits(data.data(), kOutputsAt + bit, 1) != 0);
  }
  return table;
}

}  // namespace weft
