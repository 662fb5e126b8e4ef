// OpenSM's options as `weft route` and `weft sm` share them.
#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <string>
#include <vector>

#include "cli/common.h"
#include "service/command_line.h"
#include "sm/route_chain.h"

namespace weft::cli {

/// Options that are keys of the configuration file, as they were given.
using Assignments = std::vector<Assignment>;

/// Declares options that set keys; what is given of them is added to `assignments`. The help shows
/// `defaults` as what holds without them.
void add_command_options(CLI::App& app, std::span<const CommandOption> options,
                         Assignments& assignments, const Settings& defaults = {});

/// What was asked for, as it was written, or the default.
std::string requested_engines(const Settings& settings, const EngineChoice& choice);

/// The contract's `fallbacks`: [{engine, reason}], in the order tried.
Json attempts_json(const std::vector<EngineAttempt>& attempts);

/// The steps of a chain, in the order tried: [{id, engine, topology, switches, hosts, failed}].
Json steps_json(const std::vector<RoutedStep>& steps);
/// The same as text, a line each.
std::string steps_text(const std::vector<RoutedStep>& steps);

/// The parts that no cables join, most CAs first: [{switches, cas, engine, choice}]; one where
/// cables join all.
Json parts_json(const std::vector<RoutedPart>& parts);
/// A line on each part of several, and one on the pairs apart; empty where cables join all.
std::string parts_text(const ChainResult& chain);

}  // namespace weft::cli
