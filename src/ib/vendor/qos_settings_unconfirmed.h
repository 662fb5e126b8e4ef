// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Assumptions about masks of ports in SLtoVLMappingTable, for which the headers of NVIDIA's OpenSM
// state no order of bits.
#pragma once

namespace weft::qos_unconfirmed {

/// Bit of port `port`, counted from the most significant bit of a mask of 128 ports: as in the
/// group table of adaptive routing, port p is bit p of the mask as a number.
constexpr unsigned bit_of_port(unsigned port) { return 127 - port; }

}  // namespace weft::qos_unconfirmed
