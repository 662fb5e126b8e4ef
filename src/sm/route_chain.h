// From "-R updn,minhop,no_fallback" to routes: engines are tried in order, each result is judged,
// and what was tried, why each failed and what routed in the end is part of the answer. Used by the
// subnet manager and by `weft route`.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "fabric/fabric.h"
#include "routes/routes.h"
#include "routing/engine.h"
#include "routing/heeded.h"
#include "routing/parts/part_sizes.h"
#include "verify/verify.h"

namespace weft {

/// What happens to routes that the verifier finds wanting.
enum class VerifyMode {
  kEnforce,  // they are not used: the next engine is tried
  kWarn,     // they are used, and the verdict says so
  kOff,      // nobody looks
};

struct EngineChoice {
  std::vector<std::string> engines;  // in the order to try; never empty
  bool fallback = true;              // after the last, try kFallbackEngine
  bool operator==(const EngineChoice&) const = default;
};

inline constexpr std::string_view kDefaultEngine = "minhop";
/// OpenSM falls back to minhop, whose routes may deadlock and then be refused; nue's cannot, on any
/// fabric and within any number of VLs.
inline constexpr std::string_view kFallbackEngine = "nue";

/// Reads the value of -R: names separated by commas, "no_fallback" among them or not. Fails with
/// kUsage naming an unknown engine and those there are.
Result<EngineChoice> parse_engine_choice(std::string_view text);

struct EngineAttempt {
  std::string engine;
  std::string reason;  // why it did not serve
};

/// One of the parts of a fabric that no cables join, the one with most CAs first.
struct RoutedPart {
  std::uint32_t switches = 0;
  std::uint32_t cas = 0;
  std::string engine;
  std::string choice{};  // by -R auto: what is chosen for the part, and why
  bool operator==(const RoutedPart&) const = default;
};

/// What came of a chain; `failed` tells every attempt that did not serve, whether another did or
/// not.
struct ChainResult {
  Status status;  // kUnroutable with every attempt where no engine served: then there are no routes
  Routes routes;
  Verdict verdict;  // empty under VerifyMode::kOff
  std::vector<EngineAttempt> failed;
  std::string choice;                 // by -R auto: what, why, and what would be next
  std::vector<RoutedPart> parts;      // more than one where no cables join them
  std::vector<std::string> warnings;  // about options that the engine does not heed
  double route_seconds = 0;           // of the engine that served
  double verify_seconds = 0;
};

/// SL2VL that the administrator wants for whatever routes have no maps by port of their own. Routes
/// are judged with it as it would be programmed; where they fail and with their engine's own do
/// not, that one is used and a warning names the key.
struct WantedMaps {
  Sl2Vl sl2vl;
  std::string key;
};

/// Where engines are looked up by name: the table of routing/engine.h, unless a test has its own.
using EngineFinder = const Engine* (*)(std::string_view);

/// True where the verifier finds nothing wrong but pairs of CAs that no cables join.
bool serves(Verdict verdict);

/// Tries the engines in order. A fabric in parts that no cables join is routed in one by engines
/// that can, else part by part; "auto" chooses for each part. options.previous is for the engine
/// that made it; if its routes fail the proof with what was kept, it routes once more without.
/// "auto" stands for the best of all (automatic.h); with options.previous_engine among its
/// candidates it stays with that one. `given` are the options that were given: of these,
/// the engine that served may not heed all.
ChainResult route_by_chain(const Fabric& fabric, const EngineChoice& choice, RoutingOptions options,
                           VerifyMode mode, EngineFinder find = &find_engine,
                           std::span<const Option> given = {}, const WantedMaps* wanted = nullptr);

/// "3 parts that no cables join: 9 switches and 18 CAs by ftree; 6 switches and 12 CAs by ftree;
/// ..; 252 of 870 CA pairs lie in different parts", parts beyond the eighth counted only.
std::string describe_parts(const ChainResult& chain);

/// "ftree on topology 1: 12 switches, 32 hosts", or why the engine did not serve there.
std::string describe(const RoutedStep& step);

}  // namespace weft
