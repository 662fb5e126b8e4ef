// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Options of the subnet manager. Options that are also in opensm.conf have the same names and,
// except max_wire_smps, the same defaults.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/secret.h"
#include "ib/ids.h"
#include "policy/device_configuration.h"
#include "policy/fast_recovery_file.h"
#include "policy/route_chain.h"
#include "policy/routing_inputs.h"
#include "policy/tenants.h"
#include "sm/discovery/fdr10.h"
#include "sm/discovery/node_names.h"
#include "sm/health/health_options.h"
#include "sm/load/load_trial.h"
#include "sm/partitions/partitions.h"
#include "sm/qos/lanes.h"
#include "sm/qos/qos.h"
#include "sm/qos/qos_policy.h"
#include "sm/sweep/topology_findings.h"

namespace weft {

/// virt_enabled: handling of CA ports with virtualization.
enum class Virtualization : std::uint8_t {
  kIgnore,   // no requests
  kDisable,  // disable virtualization
  kEnable    // enable virtualization, and manage virtual ports
};

/// sharp_enabled: aggregation (SHARP) in switches that announce it.
enum class SharpSetting : std::uint8_t {
  kIgnore,  // no requests
  kDisable,
  kEnable
};

struct SmOptions {
  // Addresses
  std::uint8_t lmc = 0;
  bool lmc_esp0 = false;
  bool reassign_lids = false;
  std::uint64_t subnet_prefix = 0xFE80000000000000;

  // Keys
  Mkey m_key{};                 // M_Key of all ports; 0: not protected
  bool m_key_per_port = false;  // the M_Key of each port is derived from key_mgr_seed
  Secret key_mgr_seed;          // bytes
  Guid own_port_guid{};         // GUID of the manager's port; 0: unknown before the port answers
  /// Further ports of the manager's own CA by which the transport sends directed-route SMPs, such
  /// as ports in other planes: the first hop of a path selects the port.
  std::vector<PortNum> more_own_ports;
  std::uint16_t m_key_lease_period = 0;     // seconds; 0: never ends
  std::uint8_t m_key_protection_level = 0;  // 0 to 3
  bool m_key_lookup = true;                 // initial M_Keys of ports are read from guid2mkey
  std::uint64_t sa_key = 1;                 // SM_Key of trusted queries

  // Election of the master
  std::uint8_t sm_priority = 0;
  std::uint8_t master_sm_priority = 0;  // while master, if higher
  std::uint64_t sm_key = 1;
  std::vector<Guid> allowed_sm_guids;  // port GUIDs of managers, sorted; empty: any port
  std::uint8_t sm_sl = 0;              // SL of packets to the manager, if the routes assign no SLs
  bool sm_inactive = false;            // -I: start as NOTACTIVE
  bool ignore_other_sm = false;        // -d0: become master although other managers run
  std::chrono::milliseconds sminfo_polling_timeout{10'000};  // time between polls of the master
  unsigned polling_retry_number = 4;                         // failed polls before a takeover
  bool honor_guid2lid_file =
      false;  // -x: that file takes precedence over LIDs assigned by the previous master

  // Sweeping
  std::chrono::milliseconds sweep_interval{10'000};  // 0: no light sweeps
  bool force_heavy_sweep = false;                    // every sweep is a heavy sweep
  unsigned force_heavy_sweep_window{0};  // light sweeps before a heavy sweep; 0: any number
  bool light_sweep_spst = false;         // light sweeps read SwitchPortStateTable
  bool sweep_on_trap = true;
  bool babbling_port_policy = false;  // disable ports that send error traps continuously
  bool exit_on_fatal = true;          // stop if two nodes or ports share a GUID

  HealthOptions health;  // unhealthy ports

  // SMPs on the wire. OpenSM has 4 outstanding SMPs in total, because a device must be able to
  // queue 4. By default Weft has 64 outstanding SMPs, at most 4 to one device.
  unsigned max_wire_smps = 64;   // 0: no limit
  unsigned max_device_smps = 4;  // 0: no limit per device
  // SMPs with vendor-specific attributes; 2 is OpenSM 5.24's limit of all SMPs to one device.
  unsigned max_device_vendor_smps = 2;  // 0: max_device_smps
  std::chrono::milliseconds transaction_timeout{200};
  unsigned transaction_retries = 3;

  // Ports and switches
  std::uint8_t max_op_vls = 5;           // code of PortInfo: 5 is VL 0-14
  VlCodes max_op_vls_of;                 // limits for links with an end of a given node type
  std::uint8_t max_neighbor_mtu = 0;     // code of PortInfo; 0: no limit
  std::uint8_t subnet_timeout = 18;      // 4.096 us * 2^18
  std::uint8_t packet_life_time = 0x12;  // PacketLifeTime of switches
  std::uint8_t head_of_queue_lifetime = 0x12;
  std::uint8_t leaf_head_of_queue_lifetime = 0x10;
  std::uint8_t vl_stall_count = 7;
  std::uint8_t leaf_vl_stall_count = 7;
  std::uint8_t local_phy_errors_threshold = 8;
  std::uint8_t overrun_errors_threshold = 8;
  std::uint8_t force_link_width = 255;     // 255: all that is supported; 0: not changed
  std::uint8_t force_link_speed = 15;      // 15: all that is supported; 0: not changed
  std::uint8_t force_link_speed_ext = 31;  // 31: all that is supported; 30: none; 0: not changed
  std::uint8_t force_link_speed_ext2 = 7;  // 7: all supported, if force_link_speed_ext is 31
  Fdr10 fdr10 = Fdr10::kOn;                // applies to ports of devices that support it
  bool use_mfttop = true;                  // set MulticastFDBTop of switches that have it
  LiveLinks live_link_changes = LiveLinks::kBounce;  // changes of NeighborMTU and OperationalVLs
  bool client_rereg = true;                          // set ClientReregister where needed
  bool use_optimized_slvl = false;  // one SMP for all SL2VL tables of a switch that supports it

  // Virtual ports
  Virtualization virt_enabled = Virtualization::kEnable;
  std::uint16_t virt_max_ports_in_process = 64;  // CA ports read at a time; 0: no limit
  std::uint16_t virt_max_own_lids = 128;         // LIDs of the vports of a CA port; 0: no limit
  std::shared_ptr<const Tenants> tenants;        // null: any GUID on any port

  // Settings of devices
  SharpSetting sharp_enabled = SharpSetting::kIgnore;        // for switches that announce SHARP
  DeviceConfiguration devices;                               // overrides settings for port groups
  RecoverySetting fast_recovery = RecoverySetting::kIgnore;  // for switches that announce it
  RecoveryRules fast_recovery_rules = default_recovery_rules();  // also of port recovery policies
  RecoverySetting port_recovery = RecoverySetting::kIgnore;      // port recovery policies

  // Routing
  EngineChoice routing_engine{{std::string(kDefaultEngine)}, true};
  RoutingInputs routing;
  LoadAwareOptions load_aware;
  VerifyMode verify = VerifyMode::kEnforce;
  bool compare_verifications = false;   // verify whole tables after changes, compare results
  bool shield_mode = true;              // fault notifications (FRN, pFRN) of switches with AR
  std::uint16_t hbf_sl_mask = kAllSls;  // hash-based forwarding: ArConf
  std::uint8_t hbf_hash_type = 0;
  std::uint8_t hbf_seed_type = 0;
  std::uint32_t hbf_seed = kHbfSeedOfGuid;
  std::uint64_t hbf_hash_fields = kHbfFields;
  std::uint8_t pfrn_sl = 0;  // persistent fault notifications: ArConf
  std::uint16_t pfrn_mask_clear_timeout = 180;
  std::uint16_t pfrn_mask_force_clear_timeout = 720;
  bool enable_ar_group_copy = true;    // copy equal groups within a switch
  bool cache_ar_group_id = true;       // keep the group numbers of leaves in a file
  std::uint16_t ar_sl_mask = kAllSls;  // SLs and transports with adaptive routing: ArConf
  std::uint8_t ar_transport_mask = kArTransportsRcDc;
  bool disable_default_gi_support = false;  // query GeneralInfo only of the following devices
  std::vector<std::uint16_t> additional_gi_supporting_devices;  // device ids
  bool ucast_cache = false;  // -A: cache the routes of earlier fabrics
  bool rebalance = false;  // compute all routes again after a change, not only the affected routes
  bool safe_transitions = true;  // write tables without loops and, if possible, without deadlocks
  EngineFinder find_engine = &weft::find_engine;

  // Partitions. `partitions` is the content of partition_config_file.
  std::string partition_config_file = "/etc/opensm/partitions.conf";
  PartitionFile partitions = partitions_without_file();
  PartEnforce part_enforce = PartEnforce::kBoth;
  bool no_partition_enforcement = false;  // deprecated in OpenSM: part_enforce off
  bool allow_both_pkeys = false;
  bool keep_pkey_indexes = true;

  // Quality of service. `qos_policy` is the content of qos_policy_file; empty without -Q.
  QosOptions qos;
  QosPolicy qos_policy;

  // Files
  std::shared_ptr<const ExpectedTopology> topology;  // null: the fabric is not compared
  NodeNames node_names;
  std::string cache_dir = "/var/cache/opensm";  // OSM_CACHE_DIR; empty: no files
};

/// The configured setting of adaptive routing; without a setting, true if an engine of the chain
/// requires adaptive routing.
bool uses_adaptive_routing(const SmOptions& options);

inline VlLimit vl_limit(const SmOptions& options) {
  return {options.max_op_vls, options.live_link_changes, options.max_op_vls_of,
          options.max_neighbor_mtu};
}

/// Parses force_heavy_sweep_window as in the configuration file, where -1 stands for 0. Fails with
/// kBadInput.
Result<unsigned> parse_sweep_window(std::string_view text);
/// Parses device ids such as "0xd2f0,0xd2f2". Fails with kBadInput "found .., expected ..".
Result<std::vector<std::uint16_t>> parse_device_ids(std::string_view text);

}  // namespace weft
