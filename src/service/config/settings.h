// The configuration as written by the administrator: one member per supported key of opensm.conf,
// named like the key, and Weft's own keys. keys.cpp defines syntax and range of each key; options.h
// converts the settings to the options of other layers.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace weft {

struct Settings {
  // Device attributes
  std::uint64_t guid = 0;  // of the local port; 0: the first active port
  std::uint64_t m_key = 0;
  std::uint64_t m_key_lease_period = 0;  // seconds
  std::uint64_t m_key_protection_level = 0;
  bool m_key_lookup = true;
  std::uint64_t sm_key = 1;
  std::uint64_t sa_key = 1;
  std::uint64_t subnet_prefix = 0xFE80000000000000;
  std::uint64_t lmc = 0;
  bool lmc_esp0 = false;
  std::uint64_t sm_sl = 0;
  std::uint64_t packet_life_time = 0x12;
  std::uint64_t vl_stall_count = 7;
  std::uint64_t leaf_vl_stall_count = 7;
  std::uint64_t head_of_queue_lifetime = 0x12;
  std::uint64_t leaf_head_of_queue_lifetime = 0x10;
  std::uint64_t max_op_vls = 5;
  std::uint64_t force_link_speed = 15;
  std::uint64_t force_link_speed_ext = 31;
  std::uint64_t force_link_width = 255;
  std::uint64_t subnet_timeout = 18;
  std::uint64_t local_phy_errors_threshold = 8;
  std::uint64_t overrun_errors_threshold = 8;
  std::uint64_t fdr10 = 1;
  bool use_mfttop = true;

  // Partitions
  std::string partition_config_file = "/etc/opensm/partitions.conf";
  bool no_partition_enforcement = false;
  std::string part_enforce = "both";
  bool allow_both_pkeys = false;
  bool use_original_extended_sa_rates_only = false;
  std::uint64_t sm_assigned_guid = 0;
  bool keep_pkey_indexes = true;

  // Sweeps
  std::uint64_t sweep_interval = 10;  // seconds
  bool reassign_lids = false;
  bool force_heavy_sweep = false;
  bool sweep_on_trap = true;
  bool babbling_port_policy = false;
  bool exit_on_fatal = true;

  // Routing; routing_inputs() reads the files
  std::string port_prof_ignore_file;
  std::string hop_weights_file;
  std::string port_search_ordering_file;
  std::string routing_engine;
  bool avoid_throttled_links = false;
  bool connect_roots = false;
  bool use_ucast_cache = false;
  std::string lid_matrix_dump_file;
  std::string lfts_file;
  std::string root_guid_file;
  std::string cn_guid_file;
  std::string io_guid_file;
  bool quasi_ftree_indexing = false;
  std::string node_weights_file;
  std::uint64_t max_reverse_hops = 0;
  std::string ids_guid_file;
  std::string guid_routing_order_file;
  bool do_mesh_analysis = false;
  std::uint64_t lash_start_vl = 0;
  std::uint64_t nue_max_num_vls = 1;
  bool nue_include_switches = false;
  bool port_shifting = false;
  std::uint64_t scatter_ports = 0;
  bool guid_routing_order_no_scatter = false;
  std::string sa_db_file;
  bool sa_db_dump = false;
  std::string ar_mgr_conf_file;
  std::uint64_t shield_mode = 1;
  std::string torus_config = "/etc/opensm/torus-2QoS.conf";
  bool dfp_detours = false;
  std::string pgrp_policy_file;
  std::string topo_policy_file;
  std::string rch_policy_file;

  // Several managers
  std::uint64_t sm_priority = 0;
  bool ignore_other_sm = false;
  std::uint64_t sminfo_polling_timeout = 10'000;  // milliseconds
  std::uint64_t polling_retry_number = 4;
  bool honor_guid2lid_file = false;
  bool sm_inactive = false;

  // SMP timeouts and limits
  std::uint64_t max_wire_smps = 64;
  std::uint64_t max_device_smps = 4;
  std::uint64_t transaction_timeout = 200;  // milliseconds
  std::uint64_t transaction_retries = 3;

  // Queries
  bool ipoib_mcgroup_creation_validation = true;
  bool mcgroup_join_validation = true;
  bool disable_multicast = false;
  bool consolidate_ipv6_snm_req = false;
  bool drop_event_subscriptions = false;
  std::string prefix_routes_file = "/etc/opensm/prefix-routes.conf";

  // Log, dumps, files
  std::uint64_t log_flags = 0x03;
  std::string log_file = "/var/log/opensm.log";
  std::uint64_t log_max_size = 0;  // megabytes
  bool accum_log_file = true;
  std::string dump_files_dir = "/var/log/";
  bool no_clients_rereg = false;
  bool use_optimized_slvl = false;
  std::string live_link_changes = "bounce";
  std::string log_prefix;
  bool daemon = false;
  std::string per_module_logging_file = "/etc/opensm/per-module-logging.conf";
  std::string node_name_map_name;

  // Console and events
  std::string console = "off";
  std::uint64_t console_port = 10'000;
  std::string console_token_file;
  std::string event_plugin_name;
  std::string event_plugin_options;
  std::string event_log;
  std::string history_file;
  std::uint64_t history_retention_days = 90;
  std::uint64_t history_size_mb = 1024;

  // Performance manager
  bool perfmgr = false;
  bool perfmgr_redir = true;
  std::uint64_t perfmgr_sweep_time_s = 180;
  std::uint64_t perfmgr_max_outstanding_queries = 500;
  bool perfmgr_ignore_cas = false;
  bool perfmgr_rm_nodes = true;
  bool perfmgr_log_errors = true;
  bool perfmgr_query_cpi = true;
  bool perfmgr_xmit_wait_log = false;
  std::uint64_t perfmgr_xmit_wait_threshold = 65535;
  std::string event_db_dump_file;

  // Quality of service; limits, arbitration and SL2VL maps as text
  bool qos = false;
  std::string qos_policy_file = "/etc/opensm/qos-policy.conf";
  bool suppress_sl2vl_mad_status_errors = false;
  std::string qos_high_limit = "-1", qos_ca_high_limit = "-1", qos_sw0_high_limit = "-1",
              qos_swe_high_limit = "-1", qos_rtr_high_limit = "-1";
  std::string qos_vlarb_high, qos_ca_vlarb_high, qos_sw0_vlarb_high, qos_swe_vlarb_high,
      qos_rtr_vlarb_high;
  std::string qos_vlarb_low, qos_ca_vlarb_low, qos_sw0_vlarb_low, qos_swe_vlarb_low,
      qos_rtr_vlarb_low;
  std::string qos_sl2vl, qos_ca_sl2vl, qos_sw0_sl2vl, qos_swe_sl2vl, qos_rtr_sl2vl;

  // Congestion control; masks, delays and the table as text
  bool congestion_control = false;
  std::uint64_t cc_key = 0;
  std::uint64_t cc_max_outstanding_mads = 500;
  std::uint64_t cc_sw_cong_setting_control_map = 0;
  std::string cc_sw_cong_setting_victim_mask = "0x" + std::string(64, '0');
  std::string cc_sw_cong_setting_credit_mask = "0x" + std::string(64, '0');
  std::uint64_t cc_sw_cong_setting_threshold = 0;
  std::uint64_t cc_sw_cong_setting_packet_size = 0;
  std::uint64_t cc_sw_cong_setting_credit_starvation_threshold = 0;
  std::string cc_sw_cong_setting_credit_starvation_return_delay = "0:0";
  std::uint64_t cc_sw_cong_setting_marking_rate = 0;
  std::uint64_t cc_ca_cong_setting_port_control = 0;
  std::uint64_t cc_ca_cong_setting_control_map = 0;
  using BySl = std::array<std::uint64_t, 16>;
  BySl cc_ca_cong_setting_ccti_timer{};
  BySl cc_ca_cong_setting_ccti_increase{};
  BySl cc_ca_cong_setting_trigger_threshold{};
  BySl cc_ca_cong_setting_ccti_min{};
  std::string cc_cct;

  // Weft's own
  std::string verify = "enforce";
  std::string replies = "count";
  std::string balance = "global";
  bool rebalance = false;
  bool safe_transitions = true;
  std::string multicast_groups_file;
  std::string http;  // ADDRESS:PORT; empty: off
  std::string http_token_file;
  std::string http_page_folder;  // empty: beside the program
  bool calculate_missing_routes = false;
  std::uint64_t perfmgr_retention_days = 30;
  std::uint64_t seed = 0;
  std::uint64_t threads = 0;

  // Set by the program; not configuration keys
  bool emulated = false;        // on an emulated fabric: the machine's default files are not used
  std::string emulated_folder;  // folder of default files of an emulated fabric; empty: none

  bool operator==(const Settings&) const = default;
};

/// The settings without a configuration file or options.
const Settings& default_settings();

}  // namespace weft
