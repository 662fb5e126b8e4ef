// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The kinds of `weft export` that contain the topology and its routes.
#pragma once

#include <string>

#include "cli/routes/routing_request.h"
#include "exports/names.h"

namespace weft::cli {

struct ExportOptions {
  std::string kind;
  FabricArgument fabric;
  std::string output = "-";
  std::string names;
  std::string only;
  std::string plugin = "tree";
  bool as_cabled = false;
  std::uint32_t block_size = 0;
  unsigned port = 9100;
  // Of topologies:
  Assignments assignments;
  std::string lfts;
  bool switches_only = false;
};

/// Reads --names; a warning for each node that the fabric does not have.
Result<NamesByGuid> read_export_names(const ExportOptions& options, const Fabric& fabric);

/// Each writes its file and returns the exit status.
int export_graphml(const ExportOptions& options);

}  // namespace weft::cli
