// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// MTUs and rates of partitions, as numbers of UFM's interface and as codes of the specification.
#pragma once

#include <cstdint>
#include <optional>

namespace weft::ufm {

/// 2 or 4 kB.
std::optional<std::uint8_t> mtu_code(double kilobytes);
/// At least 1.
unsigned mtu_kilobytes(std::uint8_t code);
/// Nominal rates from 2.5 to 300 Gbit/s.
std::optional<std::uint8_t> rate_code_of(double gbps);
/// 0 for a code without a number in UFM's interface.
double rate_gbps(std::uint8_t code);

}  // namespace weft::ufm
