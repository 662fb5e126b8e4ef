// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The options of `weft export`, and its kinds that contain the topology and its routes.
#pragma once

#include <string>
#include <vector>

#include "cli/routes/routing_request.h"
#include "exports/names.h"

namespace weft::cli {

struct ExportOptions {
  std::string kind;
  FabricArgument fabric;
  std::vector<std::string> more_fabrics;
  std::string output = "-";
  std::string names;
  std::string only;
  std::vector<std::string> plugins{"tree"};
  std::vector<std::string> topologies;
  std::string prefix = "fabric.topograph.run";
  std::vector<std::string> objects{"labels", "kueue", "volcano"};
  bool as_cabled = false;
  std::uint32_t block_size = 0;
  unsigned port = 9100;
  // Options of the kinds that contain routes
  Assignments assignments;
  std::string lfts;
  bool switches_only = false;
  double delay_ns = 500;
  std::string gpu_type = "H100";
  double nvlink_gbps = 2880;
};

struct NamedFabric {
  Fabric fabric;
  NamesByGuid names;
};

/// Reads the fabric and --names; warns of each named node that is not in the fabric.
Result<NamedFabric> read_named_fabric(const ExportOptions& options);

/// The functions below write the file, or the folder of files, and return the exit status.
int export_graphml(const ExportOptions& options);
int export_ns3(const ExportOptions& options);
int export_simai(const ExportOptions& options);
int export_simgrid(const ExportOptions& options);
int export_codes(const ExportOptions& options);
int export_astra_sim(const ExportOptions& options);

}  // namespace weft::cli
