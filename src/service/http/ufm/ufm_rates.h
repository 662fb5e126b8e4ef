// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// MTUs and rates of partitions, as numbers of UFM's interface and as codes of the specification.
#pragma once

#include <cstdint>
#include <optional>

namespace weft::ufm {

/// Code of an MTU of 2 or 4 kB; empty for other MTUs.
std::optional<std::uint8_t> mtu_code(double kilobytes);
/// MTU in kB: 1 (also for smaller MTUs), 2 or 4.
unsigned mtu_kilobytes(std::uint8_t code);
/// Code of a nominal rate from 2.5 to 300 Gbit/s; empty for other rates.
std::optional<std::uint8_t> rate_code_of(double gbps);
/// Nominal rate in Gbit/s; 0 for a code without a number in UFM's interface.
double rate_gbps(std::uint8_t code);

}  // namespace weft::ufm
