// The table of all keys: names and defaults are opensm.conf's (`opensm -c` of OpenSM 3.3.23 lists
// them), the words are ours.
#include "gmp/congestion_text.h"
#include "service/http_options.h"
#include "service/key.h"
#include "sm/qos.h"

namespace weft {
namespace {

using S = Settings;

constexpr Key kDevice[] = {
    {"guid", Number{&S::guid, 0, UINT64_MAX, 16},
     "GUID of the local port to manage from; 0: the first port that serves.", Applies::kAtStart},
    {"m_key", Number{&S::m_key, 0, UINT64_MAX, 16}, "M_Key to protect all ports with; 0: none."},
    {"m_key_lease_period", Number{&S::m_key_lease_period, 0, 65535},
     "Seconds after which a port gives up its M_Key; 0: never."},
    {"m_key_protection_level", Number{&S::m_key_protection_level, 0, 3},
     "What a port refuses those without its M_Key: 0: settings, 1: the key too, 2 and 3: every "
     "answer."},
    {"m_key_lookup", Flag{&S::m_key_lookup},
     "Look for the M_Keys of unknown ports in the file guid2mkey.", Applies::kAtStart},
    {"sm_key", Number{&S::sm_key, 0, UINT64_MAX, 16}, "SM_Key that managers know each other by.",
     Applies::kAtStart},
    {"sa_key", Number{&S::sa_key, 0, UINT64_MAX, 16}, "SM_Key of queries that are trusted."},
    {"subnet_prefix", Number{&S::subnet_prefix, 0, UINT64_MAX, 16}, "Upper half of all GIDs.",
     Applies::kAtStart},
    {"lmc", Number{&S::lmc, 0, 7}, "Each port gets 2^lmc LIDs."},
    {"lmc_esp0", Flag{&S::lmc_esp0},
     "Enhanced switch ports 0 get 2^lmc LIDs too, rather than one."},
    {"sm_sl", Number{&S::sm_sl, 0, 15},
     "SL of packets to the subnet manager, where the routes name no SLs."},
    {"packet_life_time", Number{&S::packet_life_time, 0, 31, 2},
     "Longest time that a packet may stay in a switch: 4.096 us * 2^N, or from 0x14 on for ever."},
    {"vl_stall_count", Number{&S::vl_stall_count, 0, 7, 2},
     "Packets dropped in a row that stall a VL of a port between switches."},
    {"leaf_vl_stall_count", Number{&S::leaf_vl_stall_count, 0, 7, 2},
     "The same for ports of switches to CAs and routers."},
    {"head_of_queue_lifetime", Number{&S::head_of_queue_lifetime, 0, 31, 2},
     "Longest time at the head of a queue of a port between switches: 4.096 us * 2^N, or from 0x14 "
     "on for ever."},
    {"leaf_head_of_queue_lifetime", Number{&S::leaf_head_of_queue_lifetime, 0, 31, 2},
     "The same for ports of switches to CAs and routers."},
    {"max_op_vls", Number{&S::max_op_vls, 1, 5},
     "At most so many VLs per port, as PortInfo counts them: 1: one, 2: two, 3: four, 4: eight, 5: "
     "fifteen."},
    {"force_link_speed", Number{&S::force_link_speed, 0, 15},
     "LinkSpeedEnabled of switch ports (a sum of 1: SDR, 2: DDR, 4: QDR); 15: all that is "
     "supported; 0: left as it is."},
    {"force_link_speed_ext", Number{&S::force_link_speed_ext, 0, 31},
     "LinkSpeedExtEnabled (a sum of 1: FDR, 2: EDR, 4: HDR, 8: NDR); 31: all that is supported; "
     "30: none; 0: left as it is."},
    {"force_link_width", Number{&S::force_link_width, 0, 255},
     "LinkWidthEnabled of switch ports (a sum of 1: 1x, 2: 4x, 4: 8x, 8: 12x, 16: 2x); 255: all "
     "that is supported; 0: left as it is."},
    {"fdr10", Number{&S::fdr10, 0, 2},
     "FDR10 on ports that support it: 0: do not ask (it is a vendor's attribute), 1: on, 2: off."},
    {"subnet_timeout", Number{&S::subnet_timeout, 0, 31},
     "Timeout that all ports are told: 4.096 us * 2^N."},
    {"local_phy_errors_threshold", Number{&S::local_phy_errors_threshold, 0, 15, 2},
     "Physical errors on which a port sends trap 129."},
    {"overrun_errors_threshold", Number{&S::overrun_errors_threshold, 0, 15, 2},
     "Buffer overruns on which a port sends trap 130."},
    {"use_mfttop", Flag{&S::use_mfttop}, "Set MulticastFDBTop of switches that have it."},
};

constexpr Key kPartitioning[] = {
    {"partition_config_file", Text{&S::partition_config_file}, "The file of partitions."},
    {"no_partition_enforcement", Flag{&S::no_partition_enforcement},
     "Old form of part_enforce off."},
    {"part_enforce", Choice{&S::part_enforce, "both|in|out|off"},
     "Which P_Keys switches check on their external ports: of packets both, in, out, or off."},
    {"allow_both_pkeys", Flag{&S::allow_both_pkeys},
     "A port may be a full and a limited member of one partition."},
    {"keep_pkey_indexes", Flag{&S::keep_pkey_indexes},
     "P_Keys keep the index that ports hold them at already."},
    {"sm_assigned_guid", Number{&S::sm_assigned_guid, 0, 255, 2},
     "A byte of the alias GUIDs that this manager makes: 00:14:05:xx and a number. Of several "
     "managers "
     "each needs its own."},
};

constexpr Key kSweeping[] = {
    {"sweep_interval", Number{&S::sweep_interval, 0, 1'000'000},
     "Seconds between light sweeps; 0: none."},
    {"reassign_lids", Flag{&S::reassign_lids}, "Give all LIDs anew.", Applies::kAtStart},
    {"force_heavy_sweep", Flag{&S::force_heavy_sweep}, "Every sweep is a heavy one."},
    {"sweep_on_trap", Flag{&S::sweep_on_trap}, "Traps 128 and 144 cause a heavy sweep."},
};

constexpr Key kRouting[] = {
    {"port_profile_switch_nodes",
     NoUse{"FALSE", "balancing counts the flows of hosts, and switches send next to nothing"},
     "Count switches too when ports are balanced."},
    {"port_prof_ignore_file", Text{&S::port_prof_ignore_file},
     "File of ports that balancing does not count."},
    {"hop_weights_file", Text{&S::hop_weights_file}, "File of what hops weigh."},
    {"port_search_ordering_file", Text{&S::port_search_ordering_file},
     "File of the ports of switches in the order in which they are tried."},
    {"routing_engine", Text{&S::routing_engine},
     "Engines to try in this order, with commas between them: minhop, updn, dnup, file, ftree, "
     "lash, dor, torus-2QoS, nue, dfsssp, sssp, dfp, chain; at the end nue, unless no_fallback is "
     "among them."},
    {"avoid_throttled_links", Flag{&S::avoid_throttled_links},
     "Use cables below what both ends can do only where nothing else leads on."},
    {"connect_roots", Flag{&S::connect_roots}, "Connect root switches with each other (updn)."},
    {"use_ucast_cache", Flag{&S::use_ucast_cache},
     "Remember the routes of earlier fabrics, for cables and hosts that come back."},
    {"lid_matrix_dump_file", Text{&S::lid_matrix_dump_file},
     "File of hops between switches, for the engines file and minhop."},
    {"lfts_file", Text{&S::lfts_file}, "File of forwarding tables, for the engine file."},
    {"root_guid_file", Text{&S::root_guid_file}, "File of the root switches (updn, ftree)."},
    {"cn_guid_file", Text{&S::cn_guid_file}, "File of the compute nodes (ftree, sssp, dfsssp)."},
    {"io_guid_file", Text{&S::io_guid_file}, "File of the I/O nodes (ftree, sssp, dfsssp)."},
    {"quasi_ftree_indexing", Flag{&S::quasi_ftree_indexing},
     "Count the leaves in the order of the ports of the roots rather than by GUID (ftree)."},
    {"max_reverse_hops", Number{&S::max_reverse_hops, 0, 255},
     "Switches that ways to I/O nodes may use the wrong way around (ftree)."},
    {"ids_guid_file", Text{&S::ids_guid_file},
     "File of IDs that stand for GUIDs of switches (updn)."},
    {"guid_routing_order_file", Text{&S::guid_routing_order_file},
     "File of the ports whose LIDs are routed first."},
    {"do_mesh_analysis", Flag{&S::do_mesh_analysis}, "Look for a mesh or torus first (lash)."},
    {"lash_start_vl", Number{&S::lash_start_vl, 0, 14}, "First VL that lash uses."},
    {"nue_max_num_vls", Number{&S::nue_max_num_vls, 0, 255},
     "VLs that nue may use; 0: all that the ports have."},
    {"nue_include_switches", Flag{&S::nue_include_switches},
     "Switches send and are sent data in nue."},
    {"port_shifting", Flag{&S::port_shifting},
     "Begin the search for a port elsewhere for each switch and destination."},
    {"scatter_ports", Number{&S::scatter_ports},
     "Choose among equal ports at random by this seed; 0: in turn."},
    {"guid_routing_order_no_scatter", Flag{&S::guid_routing_order_no_scatter},
     "Do not scatter the ports of guid_routing_order_file."},
    {"sa_db_file", Text{&S::sa_db_file},
     "What clients told the subnet administration, to begin with: an opensm-sa.dump.",
     Applies::kAtStart},
    {"sa_db_dump", Flag{&S::sa_db_dump},
     "Write opensm-sa.dump whenever a sweep interval has passed and clients have told something "
     "new."},
    {"torus_config", Text{&S::torus_config},
     "File of the shape and seeds of a torus (torus-2QoS)."},
    {"dfp_detours", Flag{&S::dfp_detours},
     "LIDs but the first of each port go over an intermediate group (dfp)."},
    {"pgrp_policy_file", Text{&S::pgrp_policy_file},
     "File of port groups, for topologies and for group:NAME in files of GUIDs."},
    {"topo_policy_file", Text{&S::topo_policy_file},
     "File of topologies, parts of the fabric that steps route (chain)."},
    {"rch_policy_file", Text{&S::rch_policy_file}, "File of the steps of a routing chain (chain)."},
};

constexpr Key kManagers[] = {
    {"sm_priority", Number{&S::sm_priority, 0, 15},
     "The manager of the highest priority is the master; among equals the one of the lowest GUID."},
    {"ignore_other_sm", Flag{&S::ignore_other_sm}, "Be the master whoever else is there."},
    {"sminfo_polling_timeout", Number{&S::sminfo_polling_timeout, 1, 10'000'000},
     "Milliseconds between a standby's looks after the master."},
    {"polling_retry_number", Number{&S::polling_retry_number, 1, 1'000'000},
     "Looks without an answer after which the master is dead."},
    {"honor_guid2lid_file", Flag{&S::honor_guid2lid_file},
     "On taking over from another master take LIDs from the file guid2lid rather than from the "
     "ports."},
};

constexpr Key kTiming[] = {
    {"max_wire_smps", Number{&S::max_wire_smps, 0, 1'000'000},
     "SMPs on the wire at a time; 0: no limit. OpenSM's default is 4; Weft limits those to one "
     "device by max_device_smps.",
     Applies::kAtStart},
    {"max_device_smps", Number{&S::max_device_smps, 0, 1'000'000},
     "Of them SMPs to one device at a time; a timeout halves it, answers restore it; 0: no limit "
     "of its own.",
     Applies::kAtStart},
    {"max_wire_smps2", NoUse{"4", "max_wire_smps is the one limit"},
     "SMPs on the wire when some answers are late."},
    {"max_smps_timeout", NoUse{"600000", "there is no second limit of SMPs"},
     "Microseconds until SMPs beyond max_wire_smps are sent."},
    {"transaction_timeout", Number{&S::transaction_timeout, 1, 1'000'000},
     "Milliseconds to wait for an answer.", Applies::kAtStart},
    {"transaction_retries", Number{&S::transaction_retries, 0, 1000},
     "Tries again after a timeout.", Applies::kAtStart},
    {"long_transaction_timeout", NoUse{"500", "nothing that Weft sends takes a switch so long"},
     "Milliseconds to wait for the answer to optimised SL2VL programming."},
    {"max_msg_fifo_timeout",
     NoUse{"10000", "queries are read from the device when it is their turn"},
     "Milliseconds that a query may wait before it is dropped."},
    {"single_thread", NoUse{"FALSE", "queries are answered from a snapshot, and wait for nobody"},
     "Answer queries on one thread."},
};

constexpr Key kMiscellaneous[] = {
    {"daemon", Flag{&S::daemon}, "Run in the background.", Applies::kAtStart},
    {"sm_inactive", Flag{&S::sm_inactive},
     "Start as a manager that is not active, until a master says STANDBY.", Applies::kAtStart},
    {"babbling_port_policy", Flag{&S::babbling_port_policy},
     "Disable ports that send traps 129 to 131 without end."},
    {"drop_event_subscriptions", Flag{&S::drop_event_subscriptions},
     "Forget the subscriptions and services of ports that are gone, and all when mastership comes "
     "back."},
    {"ipoib_mcgroup_creation_validation", Flag{&S::ipoib_mcgroup_creation_validation},
     "New IPoIB groups must fit the broadcast group (RFC 4391)."},
    {"mcgroup_join_validation", Flag{&S::mcgroup_join_validation},
     "Those who join a group must fit it."},
    {"use_original_extended_sa_rates_only", Flag{&S::use_original_extended_sa_rates_only},
     "Paths and groups have no rate that clients from before HDR and 2x widths do not know."},
    {"use_optimized_slvl", Flag{&S::use_optimized_slvl},
     "Program SL2VL tables of all ports at once where a switch can."},
    {"fsync_high_avail_files",
     NoUse{"TRUE", "files are always whole on disk before they replace the old ones"},
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
    {"perfmgr_rm_nodes", Flag{&S::perfmgr_rm_nodes}, "Forget nodes that are gone."},
    {"perfmgr_log_errors", Flag{&S::perfmgr_log_errors}, "Log errors that ports count."},
    {"perfmgr_query_cpi", Flag{&S::perfmgr_query_cpi}, "Ask which counters of 64 bits a port has."},
    {"perfmgr_xmit_wait_log", Flag{&S::perfmgr_xmit_wait_log}, "Log ports that wait to send."},
    {"perfmgr_xmit_wait_threshold", Number{&S::perfmgr_xmit_wait_threshold, 0, UINT32_MAX},
     "Those that waited for more ticks than this between two readings."},
    {"event_db_dump_file", Text{&S::event_db_dump_file},
     "File that the counters are written to after every reading."},
    {"event_plugin_name", Text{&S::event_plugin_name},
     "Plugins for events, with commas or blanks between them: paths, or NAME for libNAME.so.",
     Applies::kAtStart},
    {"event_plugin_options", Text{&S::event_plugin_options}, "What the plugins are told.",
     Applies::kAtStart},
    {"node_name_map_name", Text{&S::node_name_map_name},
     "File of names for nodes by GUID; none: /etc/opensm/ib-node-name-map where there is one."},
};

constexpr Key kLogging[] = {
    {"log_flags", Number{&S::log_flags, 0, 0xFF, 2},
     "What is logged, a sum: 1: errors, 2: information, 4: more, 8: debugging, 0x10: functions, "
     "0x20: packets, 0x40: dumps of routes, 0x80: to syslog too."},
    {"force_log_flush", NoUse{"FALSE", "every line is flushed"}, "Flush the log after each line."},
    {"log_file", Text{&S::log_file}, "The log; stdout for standard output."},
    {"log_max_size", Number{&S::log_max_size, 0, 1u << 20},
     "Megabytes after which the log begins anew; 0: never."},
    {"accum_log_file", Flag{&S::accum_log_file}, "Go on with the log that is there.",
     Applies::kAtStart},
    {"per_module_logging_file", Text{&S::per_module_logging_file},
     "File of log flags by module, which go before log_flags."},
    {"dump_files_dir", Text{&S::dump_files_dir}, "Folder for dumps."},
    {"enable_quirks", NoUse{"FALSE", "there are none"}, "Work around faults of certain hardware."},
    {"no_clients_rereg", Flag{&S::no_clients_rereg},
     "Do not ask clients to register again: those of a new master, and of ports that come back."},
    {"disable_multicast", Flag{&S::disable_multicast}, "No multicast."},
    {"exit_on_fatal", Flag{&S::exit_on_fatal}, "End where two nodes have one GUID."},
    {"console", Choice{&S::console, "off|local|loopback|socket"},
     "Console: none, at the terminal, for this machine, or for all (with a console_token_file).",
     Applies::kAtStart},
    {"console_port", Number{&S::console_port, 0, 65535},
     "TCP port of the console; 0: any, which the log names.", Applies::kAtStart},
};

template <auto parse>
Status check_with(std::string_view text) {
  const auto value = parse(text);
  return value ? Status() : forward(value);
}

constexpr Key kQos[] = {
    {"qos", Flag{&S::qos}, "Set SL2VL and VLArb tables by the keys below."},
    {"qos_policy_file", Text{&S::qos_policy_file}, "File that says which SL a query gets."},
    {"suppress_sl2vl_mad_status_errors", Flag{&S::suppress_sl2vl_mad_status_errors},
     "Do not log refused SL2VL tables."},
// clang-format off
#define WEFT_QOS_KEYS(prefix, whose)                                                            \
  {#prefix "max_vls", NoUse{"0", "it limits nothing in OpenSM either; max_op_vls does"},        \
   "VLs in use on " whose "."},                                                                 \
  {#prefix "high_limit", Formed{&S::prefix##high_limit, check_with<parse_high_limit>},          \
   "Limit of high priority on " whose ", in units of 4096 bytes, 255: none; -1: not set."},     \
  {#prefix "vlarb_high", Formed{&S::prefix##vlarb_high, check_with<parse_vlarb>},               \
   "VLs and weights of high priority on " whose "."},                                           \
  {#prefix "vlarb_low", Formed{&S::prefix##vlarb_low, check_with<parse_vlarb>},                 \
   "VLs and weights of low priority on " whose "."},                                            \
  {#prefix "sl2vl", Formed{&S::prefix##sl2vl, check_with<parse_sl2vl>},                         \
   "The VL of each of 16 SLs on " whose "."}
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
     "MADs of congestion control on the wire at a time."},
    {"cc_sw_cong_setting_control_map", Number{&S::cc_sw_cong_setting_control_map, 0, UINT32_MAX, 1},
     "Which of the settings of switches are valid, a sum: 1: victim mask, 2: credit mask, 4: "
     "threshold and packet size, 8: credit starvation, 16: marking rate."},
    {"cc_sw_cong_setting_victim_mask",
     Formed{&S::cc_sw_cong_setting_victim_mask, check_with<parse_port_mask>},
     "Ports that mark packets whether they are the root of the congestion or its victim: a bit "
     "each."},
    {"cc_sw_cong_setting_credit_mask",
     Formed{&S::cc_sw_cong_setting_credit_mask, check_with<parse_port_mask>},
     "Ports that look for credit starvation: a bit each."},
    {"cc_sw_cong_setting_threshold", Number{&S::cc_sw_cong_setting_threshold, 0, 15, 2},
     "How soon packets are marked: 0 never, 15 at once."},
    {"cc_sw_cong_setting_packet_size", Number{&S::cc_sw_cong_setting_packet_size, 0, 255},
     "Credits below which packets are not marked."},
    {"cc_sw_cong_setting_credit_starvation_threshold",
     Number{&S::cc_sw_cong_setting_credit_starvation_threshold, 0, 15, 2},
     "The same for credit starvation: 0 never, 15 at once."},
    {"cc_sw_cong_setting_credit_starvation_return_delay",
     Formed{&S::cc_sw_cong_setting_credit_starvation_return_delay, check_with<parse_cct_entry>},
     "Delay of credits, as shift:multiplier."},
    {"cc_sw_cong_setting_marking_rate", Number{&S::cc_sw_cong_setting_marking_rate, 0, 65535},
     "Packets between two marks, on average."},
    {"cc_ca_cong_setting_port_control", Number{&S::cc_ca_cong_setting_port_control, 0, 0xFFFF, 4},
     "CAs slow down 0: queue pairs, 1: SLs."},
    {"cc_ca_cong_setting_control_map", Number{&S::cc_ca_cong_setting_control_map, 0, 0xFFFF, 4},
     "SLs that the settings of CAs are for: a bit each."},
    {"cc_ca_cong_setting_ccti_timer", NumberBySl{&S::cc_ca_cong_setting_ccti_timer, 65535},
     "SL, and how fast its sources speed up again."},
    {"cc_ca_cong_setting_ccti_increase", NumberBySl{&S::cc_ca_cong_setting_ccti_increase, 255},
     "SL, and how far a mark slows its source down."},
    {"cc_ca_cong_setting_trigger_threshold",
     NumberBySl{&S::cc_ca_cong_setting_trigger_threshold, 255},
     "SL, and the index at which an event is logged."},
    {"cc_ca_cong_setting_ccti_min", NumberBySl{&S::cc_ca_cong_setting_ccti_min, 255},
     "SL, and the least index, which limits its rate."},
    {"cc_cct", Formed{&S::cc_cct, check_with<parse_cct>},
     "The congestion control table: shift:multiplier, with commas."},
};

constexpr Key kQueries[] = {
    {"prefix_routes_file", Text{&S::prefix_routes_file}, "File of routers by subnet prefix."},
    {"consolidate_ipv6_snm_req", Flag{&S::consolidate_ipv6_snm_req},
     "One MLID for all solicited-node groups of a scope and P_Key."},
    {"log_prefix", Text{&S::log_prefix}, "Words in front of what goes to syslog."},
};

constexpr Key kOwn[] = {
    {"verify", Choice{&S::verify, "enforce|warn|off"},
     "Routes that fail the proof: the next engine is tried, they are used and it is said so, or "
     "nobody looks."},
    {"replies", Choice{&S::replies, "count|ignore"},
     "Replies on the SL of the request: part of routes and proof, or left out, so that the proof "
     "holds for one-way traffic only."},
    {"balance", Choice{&S::balance, "global|local"},
     "Balance over the whole fabric, or by each switch's own counters as OpenSM does."},
    {"rebalance", Flag{&S::rebalance},
     "On a change choose all routes anew, rather than only those that must change."},
    {"live_link_changes", Choice{&S::live_link_changes, "bounce|wait"},
     "Links in use that should have another NeighborMTU or other OperationalVLs: they are taken "
     "down and get them before they carry data again, or keep what they have until they train "
     "anew."},
    {"safe_transitions", Flag{&S::safe_transitions},
     "Write tables in an order that makes no loops, and no deadlocks where that can be."},
    {"multicast_groups_file", Text{&S::multicast_groups_file},
     "File of multicast groups and their members, to have trees."},
    {"node_weights_file", Text{&S::node_weights_file},
     "File of what CAs are sent, to lead heavy receivers apart (ftree)."},
    {"console_token_file", Text{&S::console_token_file},
     "File whose first line a session of the console must say first; nobody but its owner may read "
     "it.",
     Applies::kAtStart},
    {"http", Formed{&S::http, check_with<parse_http_address>},
     "Address and port of the HTTP service: metrics, JSON, health; port 0: any, which the log "
     "names.",
     Applies::kAtStart},
    {"http_token_file", Text{&S::http_token_file},
     "File whose first line changes over HTTP must show, and everything where other machines can "
     "ask; nobody but its owner may read it.",
     Applies::kAtStart},
    {"http_page_folder", Text{&S::http_page_folder},
     "Folder of the page that the HTTP service shows; none named: the one beside the program.",
     Applies::kAtStart},
    {"event_log", Text{&S::event_log},
     "File for events, a JSON object a line; - for standard output.", Applies::kAtStart},
    {"ar_mgr_conf_file", Text{&S::ar_mgr_conf_file},
     "File of options of adaptive routing (ar_mgr.conf); with it any engine may have groups of "
     "ports that switches choose from."},
    {"shield_mode", Number{&S::shield_mode, 0, 1},
     "1: switches that can tell each other of LIDs that they cannot send to any more do so, with "
     "adaptive routing; 0: none does."},
    {"history_file", Text{&S::history_file},
     "Database of events, sweeps and counters of the past, in SQLite.", Applies::kAtStart},
    {"history_retention_days", Number{&S::history_retention_days, 1, 36500},
     "Days that the history goes back."},
    {"history_size_mb", Number{&S::history_size_mb, 8, 1u << 20},
     "MiB that the history may take; beyond that the oldest goes."},
    {"calculate_missing_routes", Flag{&S::calculate_missing_routes},
     "Fill the entries that an engine leaves open."},
    {"perfmgr_retention_days", Number{&S::perfmgr_retention_days, 0, 36500},
     "Days that the database of counters keeps readings; 0: there is no database.",
     Applies::kAtStart},
    {"seed", Number{&S::seed}, "Seed of everything random."},
    {"threads", Number{&S::threads, 0, 1024},
     "Threads; 0: all cores. The result does not depend on it."},
};

constexpr Section kSections[] = {
    {"Device attributes", kDevice},
    {"Partitions", kPartitioning},
    {"Sweeps", kSweeping},
    {"Routing", kRouting},
    {"Several managers", kManagers},
    {"Times and numbers of packets", kTiming},
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
