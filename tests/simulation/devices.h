// Hardware of several generations for a world: what the devices of real fabrics do that the
// emulator's do not, each drawn for a node from a few kinds that the world has.
#pragma once

#include <cstdint>

#include "emulator/emulated_fabric.h"

namespace weft::simulation {

/// Gives every node the quirks of one kind of device, as the seed draws them.
void give_quirks(EmulatedFabric& emulated, std::uint64_t seed);

}  // namespace weft::simulation
