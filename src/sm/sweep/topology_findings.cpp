// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/sweep/topology_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "fabric/formats/read.h"

namespace weft {
namespace {

constexpr std::array<std::string_view, 8> kFindingNames{
    "missing node", "unexpected node", "node with another name", "another kind of node",
    "another LID",  "missing link",    "unexpected link",        "link with another rate"};

bool has_rates(const Fabric& fabric) {
  for (std::uint32_t p = 0; p < fabric.port_count(); ++p) {
    const Port& port = fabric.port(PortId(p));
    if (port.peer != kNoPort && (port.width != LinkWidth::k4x || port.speed != LinkSpeed::kSdr))
      return true;
  }
  return false;
}

}  // namespace

Result<ExpectedTopology> read_topology(const std::string& path,
                                       std::vector<std::string>& warnings) {
  auto read = read_fabric(path);
  if (!read) return forward(read);
  warnings.insert(warnings.end(), read->warnings.begin(), read->warnings.end());
  return ExpectedTopology{path, std::move(read->fabric)};
}

std::vector<FabricChange> topology_findings(const Fabric& expected, const Fabric& found) {
  std::vector<FabricChange> findings = summarize_changes(compare(expected, found));
  const bool compares_rates = has_rates(expected);
  std::erase_if(findings, [&](const FabricChange& finding) {
    return finding.kind == FabricChange::Kind::kLidChanged ||
           (finding.kind == FabricChange::Kind::kLinkRate && !compares_rates);
  });
  return findings;
}

std::string_view finding_name(FabricChange::Kind kind) {
  return kFindingNames[static_cast<std::size_t>(kind)];
}

std::vector<std::string> topology_warnings(const ExpectedTopology& expected,
                                           const std::vector<FabricChange>& findings) {
  std::vector<std::string> warnings;
  const std::size_t named = std::min(findings.size(), kTopologyWarningsMax);
  for (std::size_t i = 0; i < named; ++i)
    warnings.push_back(fmt::format("topology differs from {}: {}: {}", expected.path,
                                   finding_name(findings[i].kind), findings[i].what));
  if (findings.size() > named)
    warnings.push_back(fmt::format("topology differs from {}: {} more findings", expected.path,
                                   findings.size() - named));
  return warnings;
}

}  // namespace weft
