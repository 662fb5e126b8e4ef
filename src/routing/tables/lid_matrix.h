// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Lid matrices ("min hops tables"): for each pair of switches the fewest hops, and the output ports
// of the paths with this hop count. FiledMatrix is the content of a file (opensm-lid-matrix.dump),
// LidMatrix is the matrix for one fabric.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "fabric/fabric.h"
#include "routing/shapes/hop_dag.h"

namespace weft {

/// The matrix of one fabric. A pair without a call of set() has no ports.
class LidMatrix {
 public:
  explicit LidMatrix(std::uint32_t switches)
      : switches_(switches), cells_(std::size_t{switches} * switches) {}

  void set(SwitchId from, SwitchId to, std::uint8_t hops, std::span<const std::uint8_t> ports);

  /// The hop count; HopDag::kUnreached if the pair has no ports.
  std::uint16_t hops(SwitchId from, SwitchId to) const;
  std::span<const std::uint8_t> ports(SwitchId from, SwitchId to) const;

 private:
  struct Cell {
    std::size_t begin = 0;  // in ports_
    std::uint8_t count = 0;
    std::uint8_t hops = 0;
  };
  const Cell& cell(SwitchId from, SwitchId to) const {
    return cells_[std::size_t{from.value()} * switches_ + to.value()];
  }
  std::uint32_t switches_;
  std::vector<Cell> cells_;
  std::vector<std::uint8_t> ports_;
};

/// The next hops toward a switch that the matrix allows: its ports of least hops to a neighbor with
/// fewer hops in the same matrix. A contradictory matrix results in fewer next hops, but never in a
/// loop.
void make_matrix_dag(const Fabric& fabric, const LidMatrix& matrix, SwitchId destination,
                     HopDag& dag);

/// The content of a file, without a fabric.
struct FiledMatrix {
  struct Row {
    std::uint16_t lid = 0;
    Guid owner;  // the port GUID that the line names, or 0
    std::uint8_t hops = 0;
    std::uint8_t count = 0;
    std::size_t begin = 0;  // in ports
  };
  struct Table {
    Guid sw;
    std::size_t line = 0;
    std::size_t begin = 0;  // first row; the rows end where the next table begins
  };
  std::string path;
  std::vector<Table> tables;
  std::vector<Row> rows;
  std::vector<std::uint8_t> ports;
};

/// Fails with kEnvironment if the file cannot be read, and with kBadInput "FILE:LINE:COLUMN: .."
/// on a header or row that is malformed or out of range, and "FILE: .." for a file without any
/// table. Appends a warning for each unknown line.
Result<FiledMatrix> read_lid_matrix(const std::string& path, std::vector<std::string>& warnings);

/// The matrix with the switches of a fabric, found by port GUID, or by LID if a row has no GUID.
/// Rows for LIDs of hosts repeat the row of their switch and are ignored. Switches and LIDs that
/// are not in the fabric are left out with a warning.
LidMatrix match_lid_matrix(const FiledMatrix& filed, const Fabric& fabric,
                           std::vector<std::string>& warnings);

}  // namespace weft
