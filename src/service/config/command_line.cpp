// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/config/command_line.h"

#include "service/config/key.h"

namespace weft {
namespace {

constexpr CommandOption kRouting[] = {
    {"-R,--routing_engine", "routing_engine"},
    {"-l,--lmc", "lmc"},
    {"-a,--root_guid_file", "root_guid_file"},
    {"-X,--guid_routing_order_file", "guid_routing_order_file"},
    {"-u,--cn_guid_file", "cn_guid_file"},
    {"-G,--io_guid_file", "io_guid_file"},
    {"-H,--max_reverse_hops", "max_reverse_hops"},
    {"--quasi_ftree_indexing", "quasi_ftree_indexing", "TRUE"},
    {"--node_weights_file", "node_weights_file"},
    {"-z,--connect_roots", "connect_roots", "TRUE"},
    {"--nue_max_num_vls", "nue_max_num_vls"},
    {"--nue_include_switches", "nue_include_switches", "TRUE"},
    {"--torus_config", "torus_config"},
    {"--ar_mgr_conf_file", "ar_mgr_conf_file"},
    {"--ar_tree_asymmetric_flow", "ar_tree_asymmetric_flow"},
    {"--dfp_detours", "dfp_detours", "TRUE"},
    {"--hoplanes_detours", "hoplanes_detours", "TRUE"},
    {"--reweight", "reweight"},
    {"--pgrp_policy_file", "pgrp_policy_file"},
    {"--topo_policy_file", "topo_policy_file"},
    {"--rch_policy_file", "rch_policy_file"},
    {"-i,--ignore_guids", "port_prof_ignore_file"},
    {"-w,--hop_weights_file", "hop_weights_file"},
    {"-O,--port_search_ordering_file,--dimn_ports_file", "port_search_ordering_file"},
    {"-m,--ids_guid_file", "ids_guid_file"},
    {"-U,--lfts_file", "lfts_file"},
    {"-M,--lid_matrix_file", "lid_matrix_dump_file"},
    {"--multicast", "multicast_groups_file"},
    {"--calculate_missing_routes", "calculate_missing_routes", "TRUE"},
    {"--avoid_throttled_links", "avoid_throttled_links", "TRUE"},
    {"--port-shifting", "port_shifting", "TRUE"},
    {"--scatter-ports", "scatter_ports"},
    {"--guid_routing_order_no_scatter", "guid_routing_order_no_scatter", "TRUE"},
    {"--do_mesh_analysis", "do_mesh_analysis", "TRUE"},
    {"--lash_start_vl", "lash_start_vl"},
    {"--balance", "balance"},
    {"--seed", "seed"},
    {"--threads", "threads"},
    {"--verify", "verify"},
    {"--replies", "replies"},
    {"--objective", "objective"},
};

constexpr CommandOption kManager[] = {
    {"-g,--guid", "guid"},
    {"-p,--priority", "sm_priority"},
    {"--subnet_prefix", "subnet_prefix"},
    {"-k,--smkey", "sm_key"},
    {"--sm_sl", "sm_sl"},
    {"-r,--reassign_lids", "reassign_lids", "TRUE"},
    {"-A,--ucast_cache", "use_ucast_cache", "TRUE"},
    {"--rebalance", "rebalance", "TRUE"},
    {"-S,--sadb_file", "sa_db_file"},
    {"-s,--sweep", "sweep_interval"},
    {"-t,--timeout", "transaction_timeout"},
    {"--retries", "transaction_retries"},
    {"-n,--maxsmps", "max_wire_smps"},
    {"--max_device_smps,--max-device-smps", "max_device_smps"},
    {"-q,--console", "console"},
    {"-C,--console-port", "console_port"},
    {"--console_socket", "console_socket"},
    {"--console_group", "console_group"},
    {"--console_token_file", "console_token_file"},
    {"--http", "http"},
    {"--http_token_file,--http-token-file", "http_token_file"},
    {"--http_certificate_file,--http-certificate-file", "http_certificate_file"},
    {"--http_key_file,--http-key-file", "http_key_file"},
    {"--http_client_ca_file,--http-client-ca-file", "http_client_ca_file"},
    {"--http_client_roles_file,--http-client-roles-file", "http_client_roles_file"},
    {"--audit_log,--audit-log", "audit_log"},
    {"--http_page_folder,--http-page-folder", "http_page_folder"},
    {"--events", "event_log"},
    {"--history", "history_file"},
    {"-x,--honor_guid2lid", "honor_guid2lid_file", "TRUE"},
    {"--dump_files_dir", "dump_files_dir"},
    {"-f,--log_file", "log_file"},
    {"-L,--log_limit", "log_max_size"},
    {"-e,--erase_log_file", "accum_log_file", "FALSE",
     "Erase the log at the start instead of appending to it."},
    {"-D", "log_flags"},
    {"-P,--Pconfig", "partition_config_file"},
    {"-N,--no_part_enforce", "no_partition_enforcement", "TRUE"},
    {"-Z,--part_enforce", "part_enforce"},
    {"-W,--allow_both_pkeys", "allow_both_pkeys", "TRUE"},
    {"--prefix_routes_file", "prefix_routes_file"},
    {"-Q,--qos", "qos", "TRUE"},
    {"-Y,--qos_policy_file", "qos_policy_file"},
    {"--congestion_control", "congestion_control", "TRUE"},
    {"--cc_key", "cc_key"},
    {"-y,--stay_on_fatal", "exit_on_fatal", "FALSE",
     "Continue instead of exiting if two nodes have the same GUID."},
    {"-B,--daemon", "daemon", "TRUE"},
    {"-J,--pidfile", "pid_file"},
    {"-I,--inactive", "sm_inactive", "TRUE"},
    {"--perfmgr", "perfmgr", "TRUE"},
    {"--perfmgr_sweep_time_s", "perfmgr_sweep_time_s"},
    {"--consolidate_ipv6_snm_req", "consolidate_ipv6_snm_req", "TRUE"},
    {"--log_prefix", "log_prefix"},
    {"--no_sandbox,--no-sandbox", "sandbox", "FALSE",
     "Keep all capabilities and system calls, for plugins that need them."},
};

}  // namespace

std::span<const CommandOption> routing_command_options() { return kRouting; }
std::span<const CommandOption> manager_command_options() { return kManager; }

Status assign_all(const std::vector<Assignment>& assignments, Settings& settings,
                  std::vector<std::string>& warnings) {
  for (const Assignment& assignment : assignments) {
    const auto done = assign(settings, *find_key(assignment.key), assignment.value);
    if (!done) return fail(Code::kUsage, "{}: {}", assignment.option, done.error().message);
    if (!done->empty()) warnings.push_back(fmt::format("{}: {}", assignment.option, *done));
  }
  return {};
}

}  // namespace weft
