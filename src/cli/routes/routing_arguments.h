// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The OpenSM options shared by `weft route` and `weft sm`, and routing results as text and JSON.
#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <string>
#include <vector>

#include "cli/common.h"
#include "policy/route_chain.h"
#include "service/config/command_line.h"

namespace weft::cli {

/// Command-line options that set configuration keys, in the order given.
using Assignments = std::vector<Assignment>;

/// Declares options that set configuration keys; parsing appends to `assignments`. The help shows
/// the values of `defaults`.
void add_command_options(CLI::App& app, std::span<const CommandOption> options,
                         Assignments& assignments, const Settings& defaults = {});

/// The requested engines as written, or the default.
std::string requested_engines(const Settings& settings, const EngineChoice& choice);

/// The `fallbacks` array of the JSON output: [{engine, reason}], in the order tried.
Json attempts_json(const std::vector<EngineAttempt>& attempts);

/// The steps of a chain, in the order tried: [{id, engine, topology, switches, hosts, failed}].
Json steps_json(const std::vector<RoutedStep>& steps);
/// The steps of a chain as text, one line per step.
std::string steps_text(const std::vector<RoutedStep>& steps);

/// Connected parts, most CAs first: [{switches, cas, engine, choice}].
Json parts_json(const std::vector<RoutedPart>& parts);
/// The number of CA pairs in different parts, and one line for each of the largest connected parts;
/// empty if the fabric is connected.
std::string parts_text(const ChainResult& chain);

}  // namespace weft::cli
