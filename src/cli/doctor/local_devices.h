// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The InfiniBand devices and the processes of OpenSM of this machine, read from /sys, /dev and
// /proc.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weft::cli {

struct LocalPort {
  unsigned number = 0;
  std::string guid;        // "0x" and 16 digits; empty: unknown
  std::string link_layer;  // "InfiniBand" or "Ethernet"
  std::string state;       // "ACTIVE", "INIT", "DOWN", ..
  std::string phys_state;  // "LinkUp", "Polling", "Disabled", ..
  double gbps = 0;         // nominal rate; 0: unknown
  unsigned lanes = 0;      // lanes of the active width; 0: unknown
  unsigned lid = 0, sm_lid = 0;
  std::string umad, issm;  // paths of the device files of the port; empty: the kernel has none
  bool umad_usable = false, issm_usable = false;  // usable by the user of this program
};

struct LocalDevice {
  std::string name;
  std::string firmware, board;  // firmware version and board id; empty: unknown
  std::vector<LocalPort> ports;
};

struct LocalMachine {
  std::vector<LocalDevice> devices;         // by name
  std::vector<std::string> other_managers;  // running processes of OpenSM: "opensm (process 12)"
};

/// `sys`, `dev`, `proc`: the folders /sys, /dev and /proc, or copies of them. The text of a missing
/// file is empty.
LocalMachine read_local_machine(const std::string& sys, const std::string& dev,
                                const std::string& proc);

}  // namespace weft::cli
