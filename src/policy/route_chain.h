// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Computes routes by a list of engines such as "-R updn,minhop,no_fallback": tries the engines in
// order and verifies each result. The result lists failed engines with the reason. Used by the
// subnet manager, by commands such as `weft route`, and by the Python package.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "congestion/quality/objective.h"
#include "fabric/fabric.h"
#include "routes/routes.h"
#include "routing/engine.h"
#include "routing/parts/part_sizes.h"
#include "routing/supported_options.h"
#include "verify/incremental_verifier.h"
#include "verify/verify.h"

namespace weft {

/// Handling of routes that fail verification.
enum class VerifyMode {
  kEnforce,  // rejected: the next engine is tried
  kWarn,     // used, with the verdict
  kOff,      // no verification
};

struct EngineChoice {
  std::vector<std::string> engines;            // in the order to try; never empty
  bool fallback = true;                        // after the last engine, try kFallbackEngine
  Objective objective = Objective::kBalanced;  // objective of "auto" and of --reweight auto
  bool is_default = false;                     // no engine is configured
  bool operator==(const EngineChoice&) const = default;
};

inline constexpr std::string_view kDefaultEngine = "minhop";
/// The default engine of a manager if all switches support adaptive routing.
inline constexpr std::string_view kAdaptiveDefaultEngine = "ar_updn";
/// OpenSM falls back to minhop, but minhop routes may have credit loops, which the verifier
/// rejects; nue is deadlock-free on any fabric and with any number of VLs.
inline constexpr std::string_view kFallbackEngine = "nue";

/// Parses the value of -R: names separated by commas, optionally with "no_fallback". Fails with
/// kUsage; the message names the unknown engine and the known ones.
Result<EngineChoice> parse_engine_choice(std::string_view text);

/// The choice with kAdaptiveDefaultEngine as the first engine.
EngineChoice adaptive_first(EngineChoice choice);

struct EngineAttempt {
  std::string engine;
  std::string reason;  // why the engine failed
};

/// A connected part of a partitioned fabric; the part with the most CAs is the first.
struct RoutedPart {
  std::uint32_t switches = 0;
  std::uint32_t cas = 0;
  std::string engine;
  std::string choice{};  // by -R auto: the selected engine and the reason
  bool operator==(const RoutedPart&) const = default;
};

/// Result of route_by_chain(); `failed` lists every failed attempt, even if another attempt
/// succeeded. The failures of all candidates of "auto" are one attempt.
struct ChainResult {
  Status status;  // kUnroutable with all attempts if every engine failed
  Routes routes;
  Verdict verdict;  // empty if the routes were not verified
  std::vector<EngineAttempt> failed;
  std::string choice;                 // by -R auto: engine, reason, and second-best engine
  std::vector<RoutedPart> parts;      // more than one if the fabric is partitioned
  std::vector<std::string> warnings;  // about options, SL2VL and AR groups that are not used
  /// For later verification of route changes by ChainVerification::verifier.
  std::optional<Dependencies> dependencies{};
  bool verified_changes_only = false;
  double route_seconds = 0;  // time of the successful engine
  double verify_seconds = 0;
};

/// The administrator's SL2VL, for routes without maps by port. Routes are verified with this SL2VL,
/// as it is programmed; if the routes fail, and with the engine's SL2VL pass or fail for other
/// reasons, the engine's SL2VL is used and a warning names the key. Without verification, the
/// administrator's SL2VL is used for routes on one VL, or if it assigns the engine's VLs.
struct WantedMaps {
  Sl2Vl sl2vl;
  std::string key;
};

/// Parameters of the verification of routes.
struct ChainVerification {
  const WantedMaps* wanted = nullptr;       // null: the engine's SL2VL
  IncrementalVerifier* verifier = nullptr;  // null: every verification is complete
};

/// Lookup of engines by name: in the table of routing/engine.h, among the engines of a Python task,
/// or in a table of a test.
using EngineFinder = const Engine* (*)(std::string_view);

/// Whether all failures of the verdict are pairs of CAs in different parts of a partitioned fabric.
bool serves(Verdict verdict);

/// Tries the engines in order, then the fallback engine if `choice` has it. A partitioned fabric is
/// routed as a whole by engines that support it, otherwise part by part; "auto" selects an engine
/// for each part. options.previous applies only to the engine that computed it; if incremental
/// routes fail verification, the engine computes all routes again. "auto" selects the best engine
/// (automatic.h) of those with verified routes, whatever `mode` is, and keeps
/// options.previous_engine if it is a candidate with verified routes. If only AR groups fail
/// verification, the plain tables are used, with a warning. `given`: the options that are set;
/// there is a warning for each option that the successful engine does not support.
ChainResult route_by_chain(const Fabric& fabric, const EngineChoice& choice, RoutingOptions options,
                           VerifyMode mode, EngineFinder find = &find_engine,
                           std::span<const Option> given = {},
                           const ChainVerification& verification = {});

/// Returns a text such as "3 parts that no cables join: 9 switches and 18 CAs by ftree; 6 switches
/// and 12 CAs by ftree; ..; 252 CA pairs are in different parts". After the eighth part only the
/// number of smaller parts is given.
std::string describe_parts(const ChainResult& chain);

/// Returns a text such as "ftree on topology 1: 12 switches, 32 hosts", or the reason for which the
/// engine failed on the topology.
std::string describe(const RoutedStep& step);

}  // namespace weft
