// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The table of routing engines. An engine is a pure function from an immutable fabric with LIDs to
// routes, or to an error; repeated calls, and calls with another number of threads, return equal
// routes. Fallback to another engine is left to the caller.
//
// An engine fails with kUnroutable if it cannot route the fabric, naming the object and the
// rule; with kOutOfVls if the routes need more VLs than the ports have; with kUsage if the policy
// of chain or the configuration of torus-2QoS is missing; and with kBadField if a plugin returns
// values out of range. It never throws. Its routes may be incomplete: the verifier reports missing
// paths.
#pragma once

#include <span>
#include <string_view>

#include "base/result.h"
#include "fabric/fabric.h"
#include "routes/routes.h"
#include "routing/option_set.h"
#include "routing/options.h"
#include "routing/parameters.h"

namespace weft {

/// Properties of an engine that its callers use, besides its options.
struct EngineTraits {
  /// For an adaptive engine (ar_*, dfp2, kdor-*): the corresponding plain engine; empty for other
  /// engines.
  std::string_view plain{};
  /// The AR groups of this adaptive variant depend on intermediate data of its run. If adaptive
  /// routing is requested for the plain engine, this variant runs instead.
  bool replaces_plain = false;
  /// Position among the engines that -R auto tries on any fabric, fast engines first; 0: the engine
  /// is not among these.
  unsigned automatic = 0;
  /// The files of the engine describe the whole fabric: a fabric of several connected parts is not
  /// routed part by part.
  bool whole_fabric = false;
  /// The tables of the engine are final: connect_switches() does not fill the entries that the
  /// engine left empty.
  bool is_final = false;
  /// run_engine() connects the roots (-z), because the engine does not.
  bool connects_roots_later = false;
};

struct Engine {
  std::string_view name;
  std::string_view summary;
  Result<Routes> (*run)(const Fabric& fabric, const RoutingOptions& options);
  OptionSet supports = OptionSet::all();
  std::span<const EngineParameter> parameters{};
  EngineTraits traits{};
};

/// Runs an engine, or the adaptive variant that replaces it, with the supported options, and then
/// the steps common to all engines: entries for paths between CAs and port 0 of switches that the
/// engine left empty (deadlock/switch_reach.h), unless its tables are final; AR groups if
/// requested; connect_roots for engines with connects_roots_later; calculate_missing_routes; the
/// division of AR groups; FRNs; and the multicast trees of options.groups. Fails as the engine
/// does, and with kBadInput if multicast groups have invalid or duplicate LIDs.
Result<Routes> run_engine(const Engine& engine, const Fabric& fabric,
                          const RoutingOptions& options);

std::span<const Engine> engines();
/// The engine of this name, from the table or from a plugin that was loaded; null if there is none.
const Engine* find_engine(std::string_view name);

/// The parameters of all engines in the order of the table, each once.
std::span<const EngineParameter> engine_parameters();

/// The name of the plain engine of an adaptive variant: "updn" for "ar_updn", "torus-2QoS" for
/// "ar_torus". Other names are returned unchanged.
std::string_view plain_engine(std::string_view name);

}  // namespace weft
