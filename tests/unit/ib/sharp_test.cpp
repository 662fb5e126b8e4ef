// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The setting of SHARP in ExtendedPortInfo and the capability bit, compared with bytes.
#include "ib/vendor/sharp.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "ib/vendor/device_capabilities.h"
#include "unit/ib/any_bytes.h"

namespace weft {
namespace {

TEST(SharpWire, TheSettingIsBitSixOfByteZero) {
  SmpData data{};
  data[0] = std::byte{0xBF};
  EXPECT_FALSE(is_sharp_enabled(data));
  data[0] = std::byte{0x40};
  EXPECT_TRUE(is_sharp_enabled(data));
}

TEST(SharpWire, TheCapabilityIsBit18OfTheFirstWord) {
  SmpData data{};
  data[1] = std::byte{4};
  EXPECT_TRUE(decode_device_capabilities(data).has(DeviceCapabilities::kSharp));
}

RC_GTEST_PROP(SharpWire, ASettingChangesNoOtherBit, ()) {
  const SmpData before = any_bytes<kSmpDataSize>();
  SmpData data = before;
  set_sharp_enabled(data, !is_sharp_enabled(before));
  RC_ASSERT(data != before);
  set_sharp_enabled(data, is_sharp_enabled(before));
  RC_ASSERT(data == before);
}

}  // namespace
}  // namespace weft
