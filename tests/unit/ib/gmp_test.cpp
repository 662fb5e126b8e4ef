// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// GMPs, compared with bytes written according to chapter 13.4.3.
#include "ib/gmp.h"

#include <gtest/gtest.h>

#include "bytes.h"

namespace weft {
namespace {

TEST(GmpBytes, HaveAHeaderAndData) {
  Gmp gmp;
  gmp.class_version = 2;
  gmp.method = Method::kSet;
  gmp.status = 0x0102;
  gmp.class_specific = 0x0304;
  gmp.transaction_id = 0x05060708090a0b0c;
  gmp.attribute = 0x0d0e;
  gmp.modifier = 0x0f101112;
  gmp.data.front() = std::byte{0x13};
  gmp.data.back() = std::byte{0x14};
  const auto expected = from_hex<kMadSize>(
      "01 03 02 02  01 02 03 04  05 06 07 08 09 0a 0b 0c  0d 0e 00 00"
      "0f 10 11 12  13" +
      std::string(2 * (kGmpDataSize - 2), '0') + "14");
  EXPECT_EQ(encode(gmp), expected) << to_hex(encode(gmp));
  EXPECT_EQ(*decode_gmp(expected), gmp);
}

TEST(GmpBytes, RejectOtherBaseVersionsAndClassesOfSmps) {
  const auto error = [](const char* header) {
    const auto gmp = decode_gmp(from_hex<kMadSize>(header));
    return gmp ? "none" : gmp.error().message;
  };
  EXPECT_EQ(error("01 03"), "none");
  EXPECT_EQ(error("02 03"), "MAD BaseVersion at bit 0 is 2, expected 1");
  EXPECT_EQ(error("01 01"), "MAD MgmtClass at bit 8 is 1, expected a class that is not an SMP's");
  EXPECT_EQ(error("01 81"), "MAD MgmtClass at bit 8 is 129, expected a class that is not an SMP's");
}

}  // namespace
}  // namespace weft
