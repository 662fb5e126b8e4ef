// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Parameters of an emulated fabric: table sizes, times, supported features and faults. Only the
// faults may change after the fabric is switched on.
#pragma once

#include <cstdint>

#include "base/clock.h"
#include "emulator/devices/device_profiles.h"

namespace weft {

/// Probabilities of faults for each SMP, responses included, and for each GMP that a program sends.
struct FaultRates {
  double lost = 0;
  double doubled = 0;                                  // delivered twice
  double late = 0;                                     // delayed
  TimeNs late_by_max{std::chrono::milliseconds(500)};  // maximum delay of late packets
  bool operator==(const FaultRates&) const = default;
};

/// Handling of MLNX ExtendedPortInfo by nodes with device ids that may support it.
enum class ExtendedPorts : std::uint8_t {
  kAnswered,  // supported; FDR10 on nodes with an FDR10 cable in the fabric file
  kRefused,   // refused as an unsupported attribute
  kIgnored    // no response
};

/// Handling of the attributes of adaptive routing by switches. Switches with device ids that cannot
/// support adaptive routing refuse the attributes, except with kIgnored.
enum class AdaptiveSwitches : std::uint8_t {
  kRefused,   // refused as unsupported attributes
  kAnswered,  // all are AR-capable
  kMixed,     // by switch in turn: AR-capable, no groups, few groups, older AR only, refused
  kIgnored    // no response
};

inline constexpr std::uint16_t kArGroupsFew = 3;  // group 0 included

/// Handling of the attributes of virtualization by CAs with virtual ports.
enum class VirtualCas : std::uint8_t {
  kAnswered,  // all attributes supported by all CAs
  kMixed,     // by CA in turn: all, not announced, no descriptions and GUID tables, no response
  kIgnored    // announced, but no response
};

/// Handling of HierarchyInfo and related attributes by planarized devices (with ports in several
/// planes).
enum class PlanarSupport : std::uint8_t {
  kNone,   // not announced
  kAll,    // supported by all devices
  kMixed,  // by device in turn: all, not announced, HierarchyInfo only, no response
  kSilent  // announced, but no response
};

/// Handling of SwitchPortStateTable by switches.
enum class PortStateTables : std::uint8_t {
  kNone,      // not announced
  kAnswered,  // supported by all switches
  kMixed,     // by switch in turn: supported, not announced, announced but refused, no response
  kIgnored    // announced, but no response
};

/// Which devices have a vendor-specific feature. With kMixed, the support differs between devices:
/// kMixedSupport in feature_support.h.
enum class FeatureDevices : std::uint8_t { kNone, kAll, kMixed, kSilent };

struct EmulatorOptions {
  std::uint64_t seed = 1;  // seed of the faults
  FaultRates faults;

  TimeNs hop_latency{200};
  TimeNs sma_time{std::chrono::microseconds(2)};  // time of an SMA for one SMP
  /// Time of an agent for one GMP. A node handles its GMPs and SMPs one after the other. 0: each
  /// GMP takes sma_time, independent of other packets.
  TimeNs gma_time{0};
  TimeNs notification_time{100};                        // time of a switch for one FRN
  TimeNs training_time{std::chrono::milliseconds(10)};  // time from both ends enabled to INIT
  TimeNs trap_interval{std::chrono::seconds(1)};        // time between repetitions of a trap
  unsigned trap_repeats_max = 10;                       // maximum repetitions of a trap
  unsigned hops_max = 64;  // maximum hops of a LID-routed SMP; then it is dropped

  std::uint16_t linear_fdb_cap = 0xC000;  // entries of each switch
  std::uint16_t multicast_fdb_cap = 0x1000;
  std::uint16_t switch_pkey_cap = 32;  // entries of each switch port
  std::uint16_t ca_pkey_cap = 128;     // entries of each CA port
  std::uint8_t guid_cap = 8;
  std::uint8_t vl_arb_cap = 8;            // entries of the low table, and of the high table
  std::uint8_t response_time_value = 16;  // 4.096 us * 2^n
  ExtendedPorts extended_ports = ExtendedPorts::kAnswered;
  bool fdr10_enabled = true;  // state after power-up
  AdaptiveSwitches adaptive = AdaptiveSwitches::kRefused;
  std::uint16_t ar_groups = 1024;  // of each switch; with few groups, kArGroupsFew
  bool notifications = false;      // AR-capable switches send FRNs
  bool optimized_sl2vl = false;    // switches support OptimizedSLtoVLMappingProgramming
  std::uint16_t vports = 0;        // vports of each CA port after power-up; 0: no virtualization
  std::uint16_t vport_cap = 254;   // maximum vports of each CA port, index 0 included
  std::uint16_t vport_pkey_cap = 32;
  VirtualCas virtual_cas = VirtualCas::kAnswered;
  bool virtualization_enabled = true;  // state after power-up
  PlanarSupport planar = PlanarSupport::kNone;
  bool shared_aport_guids = false;  // all ports of a planarized CA report the GUID of port 1
  PortStateTables port_states = PortStateTables::kNone;
  FeatureDevices sharp = FeatureDevices::kNone;     // of switches
  FeatureDevices recovery = FeatureDevices::kNone;  // fast recovery and port recovery, by switches
  /// Keys of the classes of congestion control, 0x0A and 0x0C, by ports.
  FeatureDevices class_keys = FeatureDevices::kNone;
  FeatureDevices ppcc = FeatureDevices::kNone;  // programmable congestion control, by CA ports
  /// Private linear forwarding tables (pLFTs), by switches that support adaptive routing.
  FeatureDevices private_lfts = FeatureDevices::kNone;
  bool vports_need_lids = false;                 // each vport requires a LID of its own
  FeatureDevices dcqcn = FeatureDevices::kNone;  // by CA ports and switches
  /// Devices that nodes without a device id in the fabric file emulate, in turn
  /// (emulated_profile()). A device supports the features that both its profile and the options
  /// above have.
  DeviceList devices;
};

}  // namespace weft
