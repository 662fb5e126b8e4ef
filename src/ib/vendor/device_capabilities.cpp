// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "ib/vendor/device_capabilities.h"

#include "ib/wire.h"

namespace weft {
namespace {

template <class Op, class Capabilities>
void layout_device_capabilities(Op field, Capabilities& capabilities) {
  for (unsigned i = 0; i < capabilities.words.size(); ++i) field(32 * i, 32, capabilities.words[i]);
}

}  // namespace

SmpData encode(const DeviceCapabilities& capabilities) {
  SmpData data{};
  layout_device_capabilities(wire::FieldWriter(data.data()), capabilities);
  return data;
}

DeviceCapabilities decode_device_capabilities(std::span<const std::byte, kSmpDataSize> data) {
  DeviceCapabilities capabilities;
  layout_device_capabilities(wire::FieldReader(data.data()), capabilities);
  return capabilities;
}

}  // namespace weft
