// weft simulate FABRIC -R ENGINE --failures K --repair all: what switches repair by themselves.
#pragma once

#include <string>

#include "cli/what_if.h"

namespace weft::cli {

/// Plays the failures through on emulated fabrics, and writes to `output` (-: standard output); the
/// exit status of the contract.
int run_repair(const FabricArgument& fabric, const Assignments& assignments, Settings settings,
               const WhatIfArguments& arguments, bool json, const std::string& output);

}  // namespace weft::cli
