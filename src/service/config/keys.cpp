// The table of all keys. Names and defaults are those of opensm.conf (`opensm -c`, OpenSM 3.3.23).
#include "gmp/congestion_text.h"
#include "service/config/key.h"
#include "service/http_options.h"
#include "sm/qos/qos.h"

namespace weft {
namespace {

using S = Settings;

constexpr Key kDevice[] = {
    {"guid", Number{&S::guid, 0, UINT64_MAX, 16},
     "GUID of the local port to manage from; 0: the first usable port.", Applies::kAtStart},
    {"m_key", Number{&S::m_key, 0, UINT64_MAX, 16}, "M_Key to set in all ports; 0: none."},
    {"m_key_lease_period", Number{&S::m_key_lease_period, 0, 65535},
     "Seconds after which a port gives up its M_Key; 0: never."},
    {"m_key_protection_level", Number{&S::m_key_protection_level, 0, 3},
     "What a port refuses to requests without its M_Key: 0: Set; 1: also reading the key; 2 and 3: "
     "every answer."},
    {"m_key_lookup", Flag{&S::m_key_lookup},
     "Look up the M_Keys of unknown ports in the file guid2mkey.", Applies::kAtStart},
    {"sm_key", Number{&S::sm_key, 0, UINT64_MAX, 16},
     "SM_Key that managers use to recognise each other.", Applies::kAtStart},
    {"sa_key", Number{&S::sa_key, 0, UINT64_MAX, 16}, "SM_Key of trusted queries."},
    {"subnet_prefix", Number{&S::subnet_prefix, 0, UINT64_MAX, 16}, "Upper half of all GIDs.",
     Applies::kAtStart},
    {"lmc", Number{&S::lmc, 0, 7}, "Each port gets 2^lmc LIDs."},
    {"lmc_esp0", Flag{&S::lmc_esp0}, "Enhanced switch ports 0 get 2^lmc LIDs too, instead of one."},
    {"sm_sl", Number{&S::sm_sl, 0, 15},
     "SL of packets to the subnet manager if the routes set no SLs."},
    {"packet_life_time", Number{&S::packet_life_time, 0, 31, 2},
     "Longest time that a packet may stay in a switch: 4.096 us * 2^N; from 0x14 on unlimited."},
    {"vl_stall_count", Number{&S::vl_stall_count, 0, 7, 2},
     "Number of packets dropped in a row after which a VL of a port between switches stalls."},
    {"leaf_vl_stall_count", Number{&S::leaf_vl_stall_count, 0, 7, 2},
     "The same for ports of switches to CAs and routers."},
    {"head_of_queue_lifetime", Number{&S::head_of_queue_lifetime, 0, 31, 2},
     "Longest time at the head of a queue of a port between switches: 4.096 us * 2^N; from 0x14 on "
     "unlimited."},
    {"leaf_head_of_queue_lifetime", Number{&S::leaf_head_of_queue_lifetime, 0, 31, 2},
     "The same for ports of switches to CAs and routers."},
    {"max_op_vls", Number{&S::max_op_vls, 1, 5},
     "Most VLs per port, coded as in PortInfo: 1: one, 2: two, 3: four, 4: eight, 5: fifteen."},
    {"force_link_speed", Number{&S::force_link_speed, 0, 15},
     "LinkSpeedEnabled of switch ports (a sum of 1: SDR, 2: DDR, 4: QDR); 15: all supported "
     "speeds; 0: unchanged."},
    {"force_link_speed_ext", Number{&S::force_link_speed_ext, 0, 31},
     "LinkSpeedExtEnabled (a sum of 1: FDR, 2: EDR, 4: HDR, 8: NDR); 31: all supported speeds; 30: "
     "none; 0: unchanged."},
    {"force_link_width", Number{&S::force_link_width, 0, 255},
     "LinkWidthEnabled of switch ports (a sum of 1: 1x, 2: 4x, 4: 8x, 8: 12x, 16: 2x); 255: all "
     "supported widths; 0: unchanged."},
    {"fdr10", Number{&S::fdr10, 0, 2},
     "FDR10 on ports that support it: 0: not queried (it is a vendor attribute), 1: on, 2: off."},
    {"subnet_timeout", Number{&S::subnet_timeout, 0, 31},
     "SubnetTimeout of all ports: 4.096 us * 2^N."},
    {"local_phy_errors_threshold", Number{&S::local_phy_errors_threshold, 0, 15, 2},
     "Number of physical errors at which a port sends trap 129."},
    {"overrun_errors_threshold", Number{&S::overrun_errors_threshold, 0, 15, 2},
     "Number of buffer overruns at which a port sends trap 130."},
    {"use_mfttop", Flag{&S::use_mfttop}, "Set MulticastFDBTop of switches that support it."},
};

constexpr Key kPartitioning[] = {
    {"partition_config_file", Text{&S::partition_config_file}, "The partition file."},
    {"no_partition_enforcement", Flag{&S::no_partition_enforcement},
     "Old form of part_enforce off."},
    {"part_enforce", Choice{&S::part_enforce, "both|in|out|off"},
     "Packets that switches check for their P_Key on external ports: both, in, out, or off."},
    {"allow_both_pkeys", Flag{&S::allow_both_pkeys},
     "A port may be a full and a limited member of one partition."},
    {"keep_pkey_indexes", Flag{&S::keep_pkey_indexes},
     "P_Keys keep the index at which ports already hold them."},
    {"sm_assigned_guid", Number{&S::sm_assigned_guid, 0, 255, 2},
     "One byte of the alias GUIDs that this manager assigns: 00:14:05:xx and a number. Each of "
     "several managers needs its own value."},
};

constexpr Key kSweeping[] = {
    {"sweep_interval", Number{&S::sweep_interval, 0, 1'000'000},
     "Seconds between light sweeps; 0: none."},
    {"reassign_lids", Flag{&S::reassign_lids}, "Assign all LIDs anew.", Applies::kAtStart},
    {"force_heavy_sweep", Flag{&S::force_heavy_sweep}, "Make every sweep a heavy one."},
    {"sweep_on_trap", Flag{&S::sweep_on_trap}, "Traps 128 and 144 start a heavy sweep."},
};

constexpr Key kRouting[] = {
    {"port_profile_switch_nodes",
     Unsupported{"FALSE", "balancing counts flows of hosts; switches send almost no data"},
     "Count switches too when ports are balanced."},
    {"port_prof_ignore_file", Text{&S::port_prof_ignore_file},
     "File of ports that balancing does not count."},
    {"hop_weights_file", Text{&S::hop_weights_file}, "File of hop weights."},
    {"port_search_ordering_file", Text{&S::port_search_ordering_file},
     "File of switch ports in the order in which to try them."},
    {"routing_engine", Text{&S::routing_engine},
     "Engines to try in this order, separated by commas: minhop, updn, dnup, file, ftree, lash, "
     "dor, torus-2QoS, nue, dfsssp, sssp, dfp, chain; finally nue, unless the list has "
     "no_fallback."},
    {"avoid_throttled_links", Flag{&S::avoid_throttled_links},
     "Use cables that run below the capability of both ends only if no other path exists."},
    {"connect_roots", Flag{&S::connect_roots}, "Connect root switches with each other (updn)."},
    {"use_ucast_cache", Flag{&S::use_ucast_cache},
     "Remember the routes of earlier fabrics, for cables and hosts that return."},
    {"lid_matrix_dump_file", Text{&S::lid_matrix_dump_file},
     "File of hop counts between switches, for the engines file and minhop."},
    {"lfts_file", Text{&S::lfts_file}, "File of forwarding tables, for the engine file."},
    {"root_guid_file", Text{&S::root_guid_file}, "File of the root switches (updn, ftree)."},
    {"cn_guid_file", Text{&S::cn_guid_file}, "File of the compute nodes (ftree, sssp, dfsssp)."},
    {"io_guid_file", Text{&S::io_guid_file}, "File of the I/O nodes (ftree, sssp, dfsssp)."},
    {"quasi_ftree_indexing", Flag{&S::quasi_ftree_indexing},
     "Number the leaves in the order of the roots' ports instead of by GUID (ftree)."},
    {"max_reverse_hops", Number{&S::max_reverse_hops, 0, 255},
     "Most hops against the up/down direction on paths to I/O nodes (ftree)."},
    {"ids_guid_file", Text{&S::ids_guid_file}, "File of IDs that replace switch GUIDs (updn)."},
    {"guid_routing_order_file", Text{&S::guid_routing_order_file},
     "File of ports; their LIDs are routed first."},
    {"do_mesh_analysis", Flag{&S::do_mesh_analysis}, "Search for a mesh or torus first (lash)."},
    {"lash_start_vl", Number{&S::lash_start_vl, 0, 14}, "First VL that lash uses."},
    {"nue_max_num_vls", Number{&S::nue_max_num_vls, 0, 255},
     "Most VLs for nue; 0: all that the ports have."},
    {"nue_include_switches", Flag{&S::nue_include_switches},
     "nue counts switches as senders and receivers of data."},
    {"port_shifting", Flag{&S::port_shifting},
     "Start the search for a port at a different port for each switch and destination."},
    {"scatter_ports", Number{&S::scatter_ports},
     "Select among equal ports at random with this seed; 0: in turn."},
    {"guid_routing_order_no_scatter", Flag{&S::guid_routing_order_no_scatter},
     "Do not scatter the ports of guid_routing_order_file."},
    {"sa_db_file", Text{&S::sa_db_file},
     "Client state of the subnet administration at the start: an opensm-sa.dump.",
     Applies::kAtStart},
    {"sa_db_dump", Flag{&S::sa_db_dump},
     "Write opensm-sa.dump after each sweep interval in which the clients' registrations changed."},
    {"torus_config", Text{&S::torus_config},
     "File with the shape and seeds of a torus (torus-2QoS)."},
    {"dfp_detours", Flag{&S::dfp_detours},
     "Route every LID of a port except the first through an intermediate group (dfp)."},
    {"pgrp_policy_file", Text{&S::pgrp_policy_file},
     "File of port groups, for topologies and for group:NAME in GUID files."},
    {"topo_policy_file", Text{&S::topo_policy_file},
     "File of topologies: parts of the fabric that steps route (chain)."},
    {"rch_policy_file", Text{&S::rch_policy_file}, "File of the steps of a routing chain (chain)."},
};

constexpr Key kManagers[] = {
    {"sm_priority", Number{&S::sm_priority, 0, 15},
     "The manager with the highest priority is the master; among equals the one with the lowest "
     "GUID."},
    {"ignore_other_sm", Flag{&S::ignore_other_sm},
     "Be the master even if there are other managers."},
    {"sminfo_polling_timeout", Number{&S::sminfo_polling_timeout, 1, 10'000'000},
     "Milliseconds between two polls of the master by a standby."},
    {"polling_retry_number", Number{&S::polling_retry_number, 1, 1'000'000},
     "Unanswered polls after which the standby takes over."},
    {"honor_guid2lid_file", Flag{&S::honor_guid2lid_file},
     "When taking over from another master, use the LIDs of the file guid2lid instead of those of "
     "the ports."},
};

constexpr Key kTiming[] = {
    {"max_wire_smps", Number{&S::max_wire_smps, 0, 1'000'000},
     "Most SMPs on the wire; 0: no limit. OpenSM's default is 4; Weft limits the SMPs to one "
     "device by max_device_smps.",
     Applies::kAtStart},
    {"max_device_smps", Number{&S::max_device_smps, 0, 1'000'000},
     "Most SMPs on the wire to one device; a timeout halves it, answers restore it; 0: no limit "
     "per device.",
     Applies::kAtStart},
    {"max_wire_smps2", Unsupported{"4", "max_wire_smps is the only limit"},
     "Most SMPs on the wire while some answers are late."},
    {"max_smps_timeout", Unsupported{"600000", "there is no second limit of SMPs"},
     "Microseconds until SMPs beyond max_wire_smps are sent."},
    {"transaction_timeout", Number{&S::transaction_timeout, 1, 1'000'000},
     "Milliseconds to wait for an answer.", Applies::kAtStart},
    {"transaction_retries", Number{&S::transaction_retries, 0, 1000}, "Retries after a timeout.",
     Applies::kAtStart},
    {"long_transaction_timeout", Unsupported{"500", "no request of Weft takes a switch that long"},
     "Milliseconds to wait for the answer to optimised SL2VL programming."},
    {"max_msg_fifo_timeout", Unsupported{"10000", "queries wait in the queue of the device"},
     "Milliseconds that a query may wait before it is dropped."},
    {"single_thread", Unsupported{"FALSE", "queries are answered from a snapshot without blocking"},
     "Answer queries on one thread."},
};

constexpr Key kMiscellaneous[] = {
    {"daemon", Flag{&S::daemon}, "Run in the background.", Applies::kAtStart},
    {"sm_inactive", Flag{&S::sm_inactive},
     "Start in state NOTACTIVE, until a master sends STANDBY.", Applies::kAtStart},
    {"babbling_port_policy", Flag{&S::babbling_port_policy},
     "Disable ports that send traps 129 to 131 continuously."},
    {"drop_event_subscriptions", Flag{&S::drop_event_subscriptions},
     "Delete the subscriptions and services of ports that disappeared, and all of them when "
     "mastership returns."},
    {"ipoib_mcgroup_creation_validation", Flag{&S::ipoib_mcgroup_creation_validation},
     "New IPoIB groups must match the broadcast group (RFC 4391)."},
    {"mcgroup_join_validation", Flag{&S::mcgroup_join_validation},
     "A join must match the parameters of the group."},
    {"use_original_extended_sa_rates_only", Flag{&S::use_original_extended_sa_rates_only},
     "In answers for paths and groups, replace rates that clients from before HDR and 2x widths do "
     "not support by the next lower one."},
    {"use_optimized_slvl", Flag{&S::use_optimized_slvl},
     "Program the SL2VL tables of all ports at once if the switch supports it."},
    {"fsync_high_avail_files",
     Unsupported{"TRUE", "files are always synced to disk before they replace old ones"},
     "Wait until files are on disk."},
};

constexpr Key kPerformance[] = {
    {"perfmgr", Flag{&S::perfmgr}, "Read the counters of all ports.", Applies::kAtStart},
    {"perfmgr_redir", Flag{&S::perfmgr_redir}, "Follow redirections of the performance class."},
    {"perfmgr_sweep_time_s", Number{&S::perfmgr_sweep_time_s, 1, 1'000'000},
     "Seconds between readings."},
    {"perfmgr_max_outstanding_queries", Number{&S::perfmgr_max_outstanding_queries, 1, 1'000'000},
     "Queries on the wire at a time."},
    {"perfmgr_ignore_cas", Flag{&S::perfmgr_ignore_cas}, "Read switches only."},
    {"perfmgr_rm_nodes", Flag{&S::perfmgr_rm_nodes}, "Delete nodes that disappeared."},
    {"perfmgr_log_errors", Flag{&S::perfmgr_log_errors}, "Log the error counters of ports."},
    {"perfmgr_query_cpi", Flag{&S::perfmgr_query_cpi}, "Query which 64-bit counters a port has."},
    {"perfmgr_xmit_wait_log", Flag{&S::perfmgr_xmit_wait_log},
     "Log ports with a rising XmitWait counter."},
    {"perfmgr_xmit_wait_threshold", Number{&S::perfmgr_xmit_wait_threshold, 0, UINT32_MAX},
     "Log XmitWait above this number of ticks between two readings."},
    {"event_db_dump_file", Text{&S::event_db_dump_file},
     "File for the counters, written after every reading."},
    {"event_plugin_name", Text{&S::event_plugin_name},
     "Plugins for events, separated by commas or blanks: paths, or NAME for libNAME.so.",
     Applies::kAtStart},
    {"event_plugin_options", Text{&S::event_plugin_options}, "Options passed to the plugins.",
     Applies::kAtStart},
    {"node_name_map_name", Text{&S::node_name_map_name},
     "File of node names by GUID; default: /etc/opensm/ib-node-name-map if it exists."},
};

constexpr Key kLogging[] = {
    {"log_flags", Number{&S::log_flags, 0, 0xFF, 2},
     "What is logged, a sum: 1: errors, 2: information, 4: verbose, 8: debugging, 0x10: functions, "
     "0x20: packets, 0x40: dumps of routes, 0x80: to syslog too."},
    {"force_log_flush", Unsupported{"FALSE", "every line is flushed"},
     "Flush the log after each line."},
    {"log_file", Text{&S::log_file}, "The log; stdout for standard output."},
    {"log_max_size", Number{&S::log_max_size, 0, 1u << 20},
     "Size in megabytes at which the log restarts; 0: unlimited."},
    {"accum_log_file", Flag{&S::accum_log_file}, "Append to the existing log.", Applies::kAtStart},
    {"per_module_logging_file", Text{&S::per_module_logging_file},
     "File of log flags by module, which override log_flags."},
    {"dump_files_dir", Text{&S::dump_files_dir}, "Folder for dumps."},
    {"enable_quirks", Unsupported{"FALSE", "no quirks are implemented"},
     "Work around faults of certain hardware."},
    {"no_clients_rereg", Flag{&S::no_clients_rereg},
     "Do not request clients to register again, neither after a change of the master nor when "
     "ports return."},
    {"disable_multicast", Flag{&S::disable_multicast}, "No multicast."},
    {"exit_on_fatal", Flag{&S::exit_on_fatal}, "Exit if two nodes have the same GUID."},
    {"console", Choice{&S::console, "off|local|loopback|socket"},
     "Console: off, at the terminal (local), for this machine (loopback), or for all machines "
     "(socket, with a console_token_file).",
     Applies::kAtStart},
    {"console_port", Number{&S::console_port, 0, 65535},
     "TCP port of the console; 0: any free port, which the log names.", Applies::kAtStart},
};

template <auto parse>
Status check_with(std::string_view text) {
  const auto value = parse(text);
  return value ? Status() : forward(value);
}

constexpr Key kQos[] = {
    {"qos", Flag{&S::qos}, "Set SL2VL and VLArb tables by the keys below."},
    {"qos_policy_file", Text{&S::qos_policy_file}, "File that assigns SLs to queries."},
    {"suppress_sl2vl_mad_status_errors", Flag{&S::suppress_sl2vl_mad_status_errors},
     "Do not log refused SL2VL tables."},
// clang-format off
#define WEFT_QOS_KEYS(prefix, target)                                                           \
  {#prefix "max_vls", Unsupported{"0", "it has no effect in OpenSM either; use max_op_vls"},          \
   "VLs in use on " target "."},                                                                \
  {#prefix "high_limit", CheckedText{&S::prefix##high_limit, check_with<parse_high_limit>},          \
   "Limit of high priority on " target ", in units of 4096 bytes, 255: none; -1: not set."},    \
  {#prefix "vlarb_high", CheckedText{&S::prefix##vlarb_high, check_with<parse_vlarb>},               \
   "VLs and weights of high priority on " target "."},                                          \
  {#prefix "vlarb_low", CheckedText{&S::prefix##vlarb_low, check_with<parse_vlarb>},                 \
   "VLs and weights of low priority on " target "."},                                           \
  {#prefix "sl2vl", CheckedText{&S::prefix##sl2vl, check_with<parse_sl2vl>},                         \
   "The VL of each of 16 SLs on " target "."}
    // clang-format on
    WEFT_QOS_KEYS(qos_, "all ports"),
    WEFT_QOS_KEYS(qos_ca_, "CAs"),
    WEFT_QOS_KEYS(qos_sw0_, "switches' ports 0"),
    WEFT_QOS_KEYS(qos_swe_, "external ports of switches"),
    WEFT_QOS_KEYS(qos_rtr_, "routers"),
#undef WEFT_QOS_KEYS
};

constexpr Key kCongestion[] = {
    {"congestion_control", Flag{&S::congestion_control}, "Set up congestion control.",
     Applies::kAtStart},
    {"cc_key", Number{&S::cc_key, 0, UINT64_MAX, 16}, "CC_Key that the ports hold."},
    {"cc_max_outstanding_mads", Number{&S::cc_max_outstanding_mads, 1, 1'000'000},
     "Most MADs of congestion control on the wire."},
    {"cc_sw_cong_setting_control_map", Number{&S::cc_sw_cong_setting_control_map, 0, UINT32_MAX, 1},
     "Which settings of switches are valid, a sum: 1: victim mask, 2: credit mask, 4: threshold "
     "and packet size, 8: credit starvation, 16: marking rate."},
    {"cc_sw_cong_setting_victim_mask",
     CheckedText{&S::cc_sw_cong_setting_victim_mask, check_with<parse_port_mask>},
     "Ports that mark packets both as the root and as the victim of congestion: one bit each."},
    {"cc_sw_cong_setting_credit_mask",
     CheckedText{&S::cc_sw_cong_setting_credit_mask, check_with<parse_port_mask>},
     "Ports that check for credit starvation: one bit each."},
    {"cc_sw_cong_setting_threshold", Number{&S::cc_sw_cong_setting_threshold, 0, 15, 2},
     "How soon packets are marked: 0: never, 15: at once."},
    {"cc_sw_cong_setting_packet_size", Number{&S::cc_sw_cong_setting_packet_size, 0, 255},
     "Credits below which packets are not marked."},
    {"cc_sw_cong_setting_credit_starvation_threshold",
     Number{&S::cc_sw_cong_setting_credit_starvation_threshold, 0, 15, 2},
     "How soon packets are marked on credit starvation: 0: never, 15: at once."},
    {"cc_sw_cong_setting_credit_starvation_return_delay",
     CheckedText{&S::cc_sw_cong_setting_credit_starvation_return_delay,
                 check_with<parse_cct_entry>},
     "Delay of credits, as shift:multiplier."},
    {"cc_sw_cong_setting_marking_rate", Number{&S::cc_sw_cong_setting_marking_rate, 0, 65535},
     "Packets between two marks, on average."},
    {"cc_ca_cong_setting_port_control", Number{&S::cc_ca_cong_setting_port_control, 0, 0xFFFF, 4},
     "CAs throttle 0: queue pairs, 1: SLs."},
    {"cc_ca_cong_setting_control_map", Number{&S::cc_ca_cong_setting_control_map, 0, 0xFFFF, 4},
     "SLs to which the settings of CAs apply: one bit each."},
    {"cc_ca_cong_setting_ccti_timer", NumberBySl{&S::cc_ca_cong_setting_ccti_timer, 65535},
     "SL, and the time after which its sources speed up again."},
    {"cc_ca_cong_setting_ccti_increase", NumberBySl{&S::cc_ca_cong_setting_ccti_increase, 255},
     "SL, and how much a mark slows down its source."},
    {"cc_ca_cong_setting_trigger_threshold",
     NumberBySl{&S::cc_ca_cong_setting_trigger_threshold, 255},
     "SL, and the index at which an event is logged."},
    {"cc_ca_cong_setting_ccti_min", NumberBySl{&S::cc_ca_cong_setting_ccti_min, 255},
     "SL, and the lowest index, which limits its rate."},
    {"cc_cct", CheckedText{&S::cc_cct, check_with<parse_cct>},
     "The congestion control table: shift:multiplier entries, separated by commas."},
};

constexpr Key kQueries[] = {
    {"prefix_routes_file", Text{&S::prefix_routes_file}, "File of routers by subnet prefix."},
    {"consolidate_ipv6_snm_req", Flag{&S::consolidate_ipv6_snm_req},
     "One MLID for all solicited-node groups of a scope and P_Key."},
    {"log_prefix", Text{&S::log_prefix}, "Text in front of each line sent to syslog."},
};

constexpr Key kOwn[] = {
    {"verify", Choice{&S::verify, "enforce|warn|off"},
     "Routes that fail the proof: enforce: try the next engine; warn: use them with a warning; "
     "off: do not verify."},
    {"replies", Choice{&S::replies, "count|ignore"},
     "Replies on the SL of the request: count: included in routes and proof; ignore: left out, so "
     "that the proof covers one-way traffic only."},
    {"balance", Choice{&S::balance, "global|local"},
     "global: balance over the whole fabric; local: by each switch's own counters as OpenSM does."},
    {"rebalance", Flag{&S::rebalance},
     "On a change select all routes anew, instead of only those that must change."},
    {"live_link_changes", Choice{&S::live_link_changes, "bounce|wait"},
     "Active links that need another NeighborMTU or OperationalVLs. bounce: take them down and set "
     "the values before they carry data again; wait: keep the values until they train again."},
    {"safe_transitions", Flag{&S::safe_transitions},
     "Write tables in an order that causes no loops, and no deadlocks where possible."},
    {"multicast_groups_file", Text{&S::multicast_groups_file},
     "File of multicast groups and their members, for which trees are built."},
    {"node_weights_file", Text{&S::node_weights_file},
     "File of the expected traffic to CAs; ftree separates the paths to heavy receivers."},
    {"console_token_file", Text{&S::console_token_file},
     "File with a first line that is the token that a console session must send first; only its "
     "owner may be able to read it.",
     Applies::kAtStart},
    {"http", CheckedText{&S::http, check_with<parse_http_address>},
     "Address and port of the HTTP service: metrics, JSON, health; port 0: any free port, which "
     "the log names.",
     Applies::kAtStart},
    {"http_token_file", Text{&S::http_token_file},
     "File with a first line that is the token for changes over HTTP, and for every request if "
     "other machines can reach the address; only its owner may be able to read it.",
     Applies::kAtStart},
    {"http_page_folder", Text{&S::http_page_folder},
     "Folder of the page of the HTTP service; default: the folder beside the program.",
     Applies::kAtStart},
    {"event_log", Text{&S::event_log},
     "File for events, one JSON object per line; - for standard output.", Applies::kAtStart},
    {"ar_mgr_conf_file", Text{&S::ar_mgr_conf_file},
     "File of adaptive-routing options (ar_mgr.conf); with it every engine may have AR groups."},
    {"shield_mode", Number{&S::shield_mode, 0, 1},
     "1: with adaptive routing, switches that support it notify each other of LIDs that became "
     "unreachable through them; 0: off."},
    {"history_file", Text{&S::history_file}, "SQLite database of past events, sweeps and counters.",
     Applies::kAtStart},
    {"history_retention_days", Number{&S::history_retention_days, 1, 36500},
     "Days for which the history keeps entries."},
    {"history_size_mb", Number{&S::history_size_mb, 8, 1u << 20},
     "Largest size of the history in MiB; beyond it the oldest entries are deleted."},
    {"calculate_missing_routes", Flag{&S::calculate_missing_routes},
     "Fill the entries that an engine leaves open."},
    {"perfmgr_retention_days", Number{&S::perfmgr_retention_days, 0, 36500},
     "Days for which the counter database keeps readings; 0: no database.", Applies::kAtStart},
    {"seed", Number{&S::seed}, "Seed of everything random."},
    {"threads", Number{&S::threads, 0, 1024},
     "Number of threads; 0: all cores. The result does not depend on it."},
};

constexpr Section kSections[] = {
    {"Device attributes", kDevice},
    {"Partitions", kPartitioning},
    {"Sweeps", kSweeping},
    {"Routing", kRouting},
    {"Several managers", kManagers},
    {"Timeouts and limits of packets", kTiming},
    {"Miscellaneous", kMiscellaneous},
    {"Performance manager, events", kPerformance},
    {"Log, dumps, console", kLogging},
    {"Quality of service", kQos},
    {"Congestion control", kCongestion},
    {"Queries", kQueries},
    {"Weft's own", kOwn},
};

}  // namespace

std::span<const Section> sections() { return kSections; }

}  // namespace weft
