// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Programmable congestion control and DCQCN. Each file in ppcc_algo_dir describes algorithms:
//   algorithm
//     name: reactive
//     id: 0x101
//     version: 1.2
//     parameters: least-rate 100 1 400000, gain 3
//   end-algorithm
// and congestion_control_policy_file selects them by port group (pgrp_policy_file):
//   congestion-control
//     group: compute
//     planes: 1, 3
//     algorithm: reactive
//     sls: 0-3, 8
//     set: gain 5
//   end-congestion-control
// dcqcn_policy.h has the other paragraphs of that file. The headers of NVIDIA's OpenSM have the
// options, but not the format of these files: these formats are Weft's own.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "fabric/fabric.h"
#include "ib/gmps/ppcc.h"
#include "policy/dcqcn_policy.h"
#include "policy/port_groups.h"

namespace weft {

/// Values of the option mlnx_congestion_control.
enum class CongestionUse : std::uint8_t {
  kIgnore,  // no requests
  kDisable,
  kEnable
};

struct CongestionParameter {
  std::string name;
  std::uint32_t value = 0;  // default, for ports without a setting
  std::uint32_t least = 0;
  std::uint32_t most = 0xFFFFFFFF;
  bool operator==(const CongestionParameter&) const = default;
};

struct CongestionAlgorithm {
  std::string name;
  PpccAlgorithmId id{};
  std::vector<CongestionParameter> parameters{};
  bool operator==(const CongestionAlgorithm&) const = default;
};
using CongestionAlgorithms = std::vector<CongestionAlgorithm>;

/// Setting of one algorithm at a port.
struct CongestionSetting {
  std::uint32_t algorithm = 0;  // index in CongestionPolicy::algorithms
  std::uint16_t sls = 0;        // a bit for each SL
  bool traces = false;
  bool counts = false;
  std::vector<std::uint32_t> values{};  // values of all parameters
  bool operator==(const CongestionSetting&) const = default;
};

struct FiledCongestionSetting {
  std::string group;
  std::vector<std::uint32_t> planes;  // numbers of find_planes(); empty: ports in any or no plane
  CongestionSetting setting;
  bool applies_to_all_planes() const { return planes.empty(); }
  bool operator==(const FiledCongestionSetting&) const = default;
};

struct CongestionPolicy {
  CongestionUse use = CongestionUse::kIgnore;
  CongestionAlgorithms algorithms{};
  std::vector<FiledCongestionSetting> settings{};  // in the order of the file
  std::vector<FiledDcqcnSetting> dcqcn{};          // in the order of the file
  PortGroups groups{};
  bool operator==(const CongestionPolicy&) const = default;
};

/// Reads a file, or all regular files of a folder in the order of names, except names that begin
/// with a dot. Fails with kEnvironment if the file or folder cannot be read; with kBadInput, with
/// all errors in the message: an unknown or missing qualifier; a duplicate name of an algorithm or
/// parameter; a duplicate id with the same major version; too many parameters; a malformed
/// version or parameter; a number out of range.
Result<CongestionAlgorithms> read_congestion_algorithms(const std::string& folder);

/// Reads the settings into `policy`, which has the algorithms and groups that the file may name.
/// Fails with kEnvironment if the file cannot be read; with kBadInput, with all errors in the
/// message: an unknown or missing qualifier, an undefined group or algorithm, an unknown parameter,
/// a value out of range, an invalid SL or plane, a value other than on and off, the errors of
/// read_dcqcn_setting().
Status read_congestion_policy(const std::string& path, CongestionPolicy& policy);

/// The settings of each CA port, by port. A setting with planes applies only to ports that are
/// cabled to a switch in one of these planes. `planes_stated`: as `stated` of find_planes(). Of several settings for one algorithm the last one
/// applies. An SL belongs to the last setting that contains the SL, and settings without an SL are
/// left out.
std::map<PortId, std::vector<CongestionSetting>> congestion_settings(const CongestionPolicy& policy,
                                                                     const Fabric& fabric,
                                                                     std::uint32_t planes_stated);

}  // namespace weft
