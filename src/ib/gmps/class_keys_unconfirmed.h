// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Assumptions about the keys of classes that no source confirms. A correction for a real device
// changes only this file, or the table in class_keys.cpp.
#pragma once

namespace weft::class_keys_unconfirmed {

// Classes 0x0A and 0x0C have version 1. Their ClassPortInfo has the layout of the specification
// after the key. A port responds to ClassPortInfo with any key in the request, even if the port is
// protected.

// Bit 8 of CapabilityMask in ClassPortInfo of class 0x0A announces KeyInfo; a port of the other two
// classes supports KeyInfo if it responds to ClassPortInfo. Only switches have class 0x0C.

// As for M_Keys, the protection ends after a MAD with a wrong key when the lease has passed, unless
// a MAD with the right key arrives before.

// NeighborsInfo lists neighbors in any order, each once; unused entries are zeros.

}  // namespace weft::class_keys_unconfirmed
