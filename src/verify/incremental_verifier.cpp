// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "verify/incremental_verifier.h"

#include <utility>

#include "verify/failure_text.h"

namespace weft {
namespace {

/// Describes the first difference between two proofs of the same routes; empty: none.
std::string difference_of(const Proof& changes, const Proof& whole) {
  const std::string found = all_failures(changes.verdict);
  const std::string wanted = all_failures(whole.verdict);
  if (found != wanted)
    return fmt::format("the verdict is '{}', expected '{}'", found.empty() ? "pass" : found,
                       wanted.empty() ? "pass" : wanted);
  if (!changes.dependencies.cas.same_edges(whole.dependencies.cas) ||
      !changes.dependencies.switches.same_edges(whole.dependencies.switches))
    return fmt::format(
        "the dependencies differ: {} and {} between channels, expected {} and {}",
        changes.dependencies.cas.edge_count(), changes.dependencies.switches.edge_count(),
        whole.dependencies.cas.edge_count(), whole.dependencies.switches.edge_count());
  if (changes.verdict.single_sls != whole.verdict.single_sls)
    return fmt::format("all traffic may use SLs {}, expected {}",
                       sl_ranges(changes.verdict.single_sls), sl_ranges(whole.verdict.single_sls));
  return changes.verdict == whole.verdict ? "" : "the counts of the verdict differ";
}

}  // namespace

IncrementalVerifier::Result IncrementalVerifier::verify(const Fabric& fabric, const Routes& routes,
                                                        const VerifyOptions& options) {
  if (!routes.sl2vl.uniform()) return {weft::verify(fabric, routes, options)};
  std::optional<Proof> changes;
  if (before_) changes = prove_changes(*before_, fabric, routes, options);
  const bool only_changes = changes.has_value();
  Proof proof = only_changes && !compares_ ? std::move(*changes) : prove(fabric, routes, options);
  if (only_changes && compares_ && difference_.empty())
    difference_ = difference_of(*changes, proof);
  Result result{std::move(proof.verdict), std::nullopt, only_changes};
  if (is_complete(result.verdict)) result.dependencies.emplace(std::move(proof.dependencies));
  return result;
}

}  // namespace weft
