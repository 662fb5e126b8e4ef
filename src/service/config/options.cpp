// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/config/options.h"

#include <algorithm>
#include <filesystem>

#include "base/secure_path.h"
#include "gmp/congestion_text.h"
#include "routing/dfp/dfp.h"
#include "routing/ftree/ftree.h"
#include "routing/hoplanes/hoplanes.h"
#include "routing/lash.h"
#include "routing/nue/nue.h"
#include "routing/plugin.h"
#include "routing/reweight/parameter.h"
#include "sa/dump/dump.h"
#include "service/config/config_file.h"
#include "service/config/health_settings.h"
#include "service/config/key.h"
#include "service/config/trusted_files.h"
#include "sm/election/peers.h"
#include "sm/keys/port_key.h"

namespace weft {
namespace {

RoutingOptions plain_options(const Settings& settings) {
  RoutingOptions plain;
  plain.threads = static_cast<unsigned>(settings.threads);
  plain.seed = settings.seed;
  plain.ignore_replies = settings.replies == "ignore";
  plain.balance = settings.balance == "local" ? Balance::kLocal : Balance::kGlobal;
  plain.connect_roots = settings.connect_roots;
  ParameterValues& parameters = plain.parameters;
  parameters.set(kMaxReverseHops, static_cast<unsigned>(settings.max_reverse_hops));
  parameters.set(kIndexFromRoots, settings.quasi_ftree_indexing ? 1 : 0);
  parameters.set(kNueVls, static_cast<unsigned>(settings.nue_max_num_vls));
  parameters.set(kNueSwitches, settings.nue_include_switches ? 1 : 0);
  parameters.set(kDfpDetours, settings.dfp_detours ? 1 : 0);
  parameters.set(kHoplanesDetours, settings.hoplanes_detours ? 1 : 0);
  parameters.set(kReweight, *parse_reweight(settings.reweight));
  parameters.set(kMeshAnalysis, settings.do_mesh_analysis ? 1 : 0);
  parameters.set(kStartVl, static_cast<unsigned>(settings.lash_start_vl));
  plain.port_shifting = settings.port_shifting;
  plain.scatter_ports = settings.scatter_ports;
  plain.calculate_missing_routes = settings.calculate_missing_routes;
  return plain;
}

/// Reads a file into `into` unless its path is empty.
template <class Into, class... More>
Status take(const std::string& path, Result<Into> (*reader)(const std::string&, More...),
            auto& into, std::type_identity_t<More>... more) {
  if (path.empty()) return {};
  auto found = reader(path, more...);
  if (!found) return forward(found);
  into = std::move(*found);
  return {};
}

/// Whether to read the file. A missing file is ignored if the path is the default.
bool is_named(const std::string& path, const std::string& by_default) {
  if (path.empty()) return false;
  std::error_code error;
  return path != by_default || std::filesystem::exists(path, error);
}

/// The inputs of routing without routing chains.
Result<RoutingInputs> plain_inputs(const Settings& settings, std::vector<std::string>& warnings) {
  RoutingInputs inputs;
  inputs.plain = plain_options(settings);
  inputs.avoid_throttled_links = settings.avoid_throttled_links;
  inputs.order_not_scattered = settings.guid_routing_order_no_scatter;
  const auto& s = settings;
  Status status = take(s.root_guid_file, read_guid_file, inputs.roots, warnings);
  const auto then = [&](const auto& path, auto reader, auto& into, auto&... more) {
    if (status) status = take(path, reader, into, more...);
  };
  then(s.guid_routing_order_file, read_guid_file, inputs.order, warnings);
  then(s.cn_guid_file, read_guid_file, inputs.compute_nodes, warnings);
  then(s.io_guid_file, read_guid_file, inputs.io_nodes, warnings);
  if (is_named(s.torus_config, default_settings().torus_config))
    then(s.torus_config, read_torus_config, inputs.plain.torus);
  then(s.port_prof_ignore_file, read_ignored_ports, inputs.ignored);
  then(s.hop_weights_file, read_hop_weights, inputs.hop_weights);
  then(s.node_weights_file, read_node_weights, inputs.node_weights);
  then(s.port_search_ordering_file, read_port_orders, inputs.port_orders);
  then(s.ids_guid_file, read_switch_ids, inputs.switch_ids);
  then(s.lfts_file, read_filed_lfts, inputs.lfts, warnings);
  if (!s.disable_multicast) then(s.multicast_groups_file, read_groups, inputs.groups);
  then(s.ar_mgr_conf_file, read_ar_conf, inputs.adaptive);
  then(s.lid_matrix_dump_file, read_lid_matrix, inputs.lid_matrix, warnings);
  if (!status) return forward(status);
  inputs.asymmetric_flow = s.ar_tree_asymmetric_flow < 2    ? AsymmetricFlow::kOff
                           : s.ar_tree_asymmetric_flow == 2 ? AsymmetricFlow::kLeaves
                                                            : AsymmetricFlow::kAll;
  if (s.ar_mode == 0) inputs.adaptive.emplace(inputs.adaptive.value_or(ArConf{})).enable = false;
  return inputs;
}

PartEnforce part_enforce(const Settings& settings) {
  if (settings.part_enforce == "in") return PartEnforce::kIn;
  if (settings.part_enforce == "out") return PartEnforce::kOut;
  return settings.part_enforce == "off" ? PartEnforce::kOff : PartEnforce::kBoth;
}

Status take_partitions(const Settings& settings, SmOptions& options,
                       std::vector<std::string>& warnings) {
  options.part_enforce = part_enforce(settings);
  options.no_partition_enforcement = settings.no_partition_enforcement;
  options.allow_both_pkeys = settings.allow_both_pkeys;
  options.keep_pkey_indexes = settings.keep_pkey_indexes;
  const std::string path = active_partition_file(settings);
  options.partition_config_file = path;
  if (!is_named(path, default_partition_file(settings))) return {};
  if (auto warning = newer_file_warning(settings.partition_config_file, path); !warning.empty())
    warnings.push_back(std::move(warning));
  auto file = read_partition_file(path, warnings);
  if (!file) return forward(file);
  options.partitions = std::move(*file);
  options.partitions.port_groups = options.routing.port_groups;
  return check_port_groups(options.partitions);
}

/// Whether the configuration file of a step of a routing chain cannot override the key.
bool is_for_all_steps(std::string_view key) {
  return key == "lmc" || key == "routing_engine" || key.starts_with("qos") ||
         key == "pgrp_policy_file" || key == "topo_policy_file" || key == "rch_policy_file";
}

/// The settings, overridden by the keys of the configuration file of a step of a routing chain.
Result<Settings> settings_of_step(const Settings& settings, const FiledStep& step,
                                  std::vector<std::string>& warnings) {
  Settings own = settings;
  ConfigDiagnostics problems;
  if (auto status = check_only_owner_writes(step.config); !status)
    return fail(status.error().code, "{}: config: {}", step.config_place, status.error().message);
  const Status read = read_config(step.config, own, problems);
  if (!read) {
    if (read.error().code == Code::kBadInput) return forward(read);
    return fail(read.error().code, "{}: config: {}", step.config_place, read.error().message);
  }
  if (auto status = check_trusted_files(own); !status) return forward(status);
  warnings.insert(warnings.end(), problems.warnings.begin(), problems.warnings.end());
  for (const Section& section : sections())
    for (const Key& key : section.keys) {
      if (!is_for_all_steps(key.name)) continue;
      const std::string main = value_text(settings, key);
      if (value_text(own, key) == main) continue;
      warnings.push_back(fmt::format("{}: {} has no effect on one step", step.config, key.name));
      (void)assign(own, key, main);
    }
  return own;
}

Status take_chain(const Settings& s, RoutingInputs& inputs, std::vector<std::string>& warnings) {
  if (auto status =
          take(s.topo_policy_file, read_topologies, inputs.topologies, inputs.port_groups);
      !status)
    return status;
  std::vector<FiledStep> steps;
  if (auto status = take(s.rch_policy_file, read_steps, steps, inputs.topologies,
                         static_cast<unsigned>(s.lmc));
      !status)
    return status;
  for (FiledStep& step : steps) {
    ChainStepInputs input{std::move(step)};
    if (!input.filed.config.empty()) {
      const auto own = settings_of_step(s, input.filed, warnings);
      if (!own) return forward(own);
      auto read = plain_inputs(*own, warnings);
      if (!read) return forward(read);
      read->port_groups = inputs.port_groups;
      if (auto status = check_groups(*read); !status) return status;
      input.own = std::make_shared<const RoutingInputs>(std::move(*read));
    }
    inputs.chain.push_back(std::move(input));
  }
  return {};
}

/// The values are valid: assign() has checked them.
QosKeys qos_keys(const std::string& high_limit, const std::string& high, const std::string& low,
                 const std::string& map) {
  QosKeys keys;
  keys.high_limit = *parse_high_limit(high_limit);
  if (!high.empty()) keys.vlarb_high = *parse_vlarb(high);
  if (!low.empty()) keys.vlarb_low = *parse_vlarb(low);
  if (!map.empty()) keys.sl2vl = *parse_sl2vl(map);
  return keys;
}

QosOptions qos_options(const Settings& s) {
  QosOptions qos;
  qos.enabled = s.qos;
  qos.suppress_sl2vl_mad_status_errors = s.suppress_sl2vl_mad_status_errors;
#define WEFT_QOS_KEYS(prefix) \
  qos_keys(s.prefix##high_limit, s.prefix##vlarb_high, s.prefix##vlarb_low, s.prefix##sl2vl)
  qos.all = WEFT_QOS_KEYS(qos_);
  qos[QosTarget::kCa] = WEFT_QOS_KEYS(qos_ca_);
  qos[QosTarget::kSwitchPort0] = WEFT_QOS_KEYS(qos_sw0_);
  qos[QosTarget::kSwitchExternal] = WEFT_QOS_KEYS(qos_swe_);
  qos[QosTarget::kRouter] = WEFT_QOS_KEYS(qos_rtr_);
#undef WEFT_QOS_KEYS
  return qos;
}

constexpr std::uint64_t kLeasePeriodMax = 65535;
constexpr const char* kDefaultNodeNames = "/etc/opensm/ib-node-name-map";

Status take_node_names(const Settings& settings, SmOptions& options) {
  if (settings.emulated && settings.node_name_map_name.empty()) return {};
  const std::string path =
      settings.node_name_map_name.empty() ? kDefaultNodeNames : settings.node_name_map_name;
  if (!is_named(path, kDefaultNodeNames)) return {};
  auto names = read_node_names(path);
  if (!names) return forward(names);
  options.node_names = std::move(*names);
  return {};
}

Status take_qos_policy(const Settings& settings, SmOptions& options,
                       std::vector<std::string>& warnings) {
  if (!settings.qos || !is_named(settings.qos_policy_file, default_settings().qos_policy_file))
    return {};
  auto policy = read_qos_policy(settings.qos_policy_file, warnings);
  if (!policy) return forward(policy);
  options.qos_policy = std::move(*policy);
  return {};
}

template <class Narrow>
Narrow narrow(std::uint64_t value) {
  return static_cast<Narrow>(value);  // the range of the key fits the type
}

void take_addresses(const Settings& settings, SmOptions& options) {
  options.lmc = narrow<std::uint8_t>(settings.lmc);
  options.lmc_esp0 = settings.lmc_esp0;
  options.reassign_lids = settings.reassign_lids;
  options.honor_guid2lid_file = settings.honor_guid2lid_file;
  options.subnet_prefix = settings.subnet_prefix;
}

void take_managers(const Settings& settings, SmOptions& options) {
  options.sm_priority = narrow<std::uint8_t>(settings.sm_priority);
  options.master_sm_priority = narrow<std::uint8_t>(settings.master_sm_priority);
  options.ignore_other_sm = settings.ignore_other_sm;
  options.sminfo_polling_timeout = std::chrono::milliseconds(settings.sminfo_polling_timeout);
  options.polling_retry_number = narrow<unsigned>(settings.polling_retry_number);
  options.sm_inactive = settings.sm_inactive;
  options.sm_key = settings.sm_key;
  options.allowed_sm_guids = *parse_guid_list(settings.allowed_sm_guids);
  options.sa_key = settings.sa_key;
  options.sm_sl = narrow<std::uint8_t>(settings.sm_sl);
}

/// Managers do not send a secret SM_Key, so two managers with secret keys cannot verify each other.
void warn_of_secret_sm_key(const SmOptions& options, std::vector<std::string>& warnings) {
  const bool is_secret = options.sm_key != 0 && options.sm_key != kPublicSmKey;
  if (is_secret && options.allowed_sm_guids.empty())
    warnings.push_back(
        "sm_key: found a secret key without allowed_sm_guids: there is no handover between "
        "managers that keep their keys secret; set allowed_sm_guids to the port GUIDs of all of "
        "them");
}

void take_sweeps(const Settings& settings, SmOptions& options) {
  options.sweep_interval = std::chrono::seconds(settings.sweep_interval);
  options.force_heavy_sweep = settings.force_heavy_sweep;
  options.force_heavy_sweep_window = *parse_sweep_window(settings.force_heavy_sweep_window);
  options.light_sweep_spst = settings.light_sweep_spst;
  options.sweep_on_trap = settings.sweep_on_trap;
  options.babbling_port_policy = settings.babbling_port_policy;
  options.exit_on_fatal = settings.exit_on_fatal;
  options.ucast_cache = settings.use_ucast_cache;
  options.rebalance = settings.rebalance;
  options.safe_transitions = settings.safe_transitions;
  options.verify = verify_mode(settings);
  options.compare_verifications = settings.compare_verifications;
}

/// Sets the options of M_Keys and virtual ports, and checks that derived keys have a seed. A lease
/// of the M_Keys not longer than the sweep interval would expire while the manager runs; as in
/// OpenSM, the interval or the lease is adapted.
Status take_keys(const Settings& settings, SmOptions& options, std::vector<std::string>& warnings) {
  options.m_key = Mkey(settings.m_key);
  options.m_key_per_port = settings.m_key_per_port;
  options.virt_enabled = static_cast<Virtualization>(settings.virt_enabled);
  options.virt_max_ports_in_process = narrow<std::uint16_t>(settings.virt_max_ports_in_process);
  options.virt_max_own_lids = narrow<std::uint16_t>(settings.virt_max_own_lids);
  options.key_mgr_seed = *parse_key_seed(settings.key_mgr_seed);
  if (settings.m_key_per_port && options.key_mgr_seed.empty())
    return fail(Code::kBadInput,
                "m_key_per_port: found TRUE without key_mgr_seed, expected a seed of 32 to 128 hex "
                "digits");
  constexpr std::uint64_t kOwnKeys = 2;
  for (const auto& [key, value] : {std::pair("cc_key_enable", settings.cc_key_enable),
                                   {"vs_key_enable", settings.vs_key_enable},
                                   {"n2n_key_enable", settings.n2n_key_enable}})
    if (value == kOwnKeys && options.key_mgr_seed.empty())
      return fail(Code::kBadInput,
                  "{}: found 2 without key_mgr_seed, expected a seed of 32 to 128 hex digits", key);
  options.m_key_protection_level = narrow<std::uint8_t>(settings.m_key_protection_level);
  options.m_key_lease_period = narrow<std::uint16_t>(settings.m_key_lease_period);
  options.m_key_lookup = settings.m_key_lookup;
  const std::uint64_t lease = settings.m_key_lease_period;
  const bool has_keys = settings.m_key != 0 || settings.m_key_per_port;
  if (!has_keys || lease == 0) return {};
  if (settings.sweep_interval == 0) {
    options.sweep_interval = std::chrono::seconds(std::max<std::uint64_t>(lease - 1, 1));
    warnings.push_back(
        fmt::format("sweep_interval: is 0, but M_Keys have a lease of {} s: sweeping every {} s",
                    lease, std::max<std::uint64_t>(lease - 1, 1)));
  } else if (settings.sweep_interval >= lease) {
    options.m_key_lease_period = narrow<std::uint16_t>(
        std::min<std::uint64_t>(settings.sweep_interval + 1, kLeasePeriodMax));
    warnings.push_back(
        fmt::format("m_key_lease_period: {} s is not longer than sweep_interval, {} s: using {} s",
                    lease, settings.sweep_interval, options.m_key_lease_period));
  }
  return {};
}

void take_smps(const Settings& settings, SmOptions& options) {
  options.max_wire_smps = narrow<unsigned>(settings.max_wire_smps);
  options.max_device_smps = narrow<unsigned>(settings.max_device_smps);
  options.max_device_vendor_smps = narrow<unsigned>(settings.max_device_vendor_smps);
  options.transaction_timeout = std::chrono::milliseconds(settings.transaction_timeout);
  options.transaction_retries = narrow<unsigned>(settings.transaction_retries);
}

void take_ports(const Settings& settings, SmOptions& options) {
  options.max_op_vls = narrow<std::uint8_t>(settings.max_op_vls);
  options.max_op_vls_of = {.ca = narrow<std::uint8_t>(settings.max_op_vls_ca),
                           .sw = narrow<std::uint8_t>(settings.max_op_vls_sw),
                           .router = narrow<std::uint8_t>(settings.max_op_vls_rtr)};
  options.max_neighbor_mtu = narrow<std::uint8_t>(settings.max_neighbor_mtu);
  options.subnet_timeout = narrow<std::uint8_t>(settings.subnet_timeout);
  options.local_phy_errors_threshold = narrow<std::uint8_t>(settings.local_phy_errors_threshold);
  options.overrun_errors_threshold = narrow<std::uint8_t>(settings.overrun_errors_threshold);
  options.force_link_width = narrow<std::uint8_t>(settings.force_link_width);
  options.force_link_speed_ext2 = narrow<std::uint8_t>(settings.force_link_speed_ext2);
  options.force_link_speed = narrow<std::uint8_t>(settings.force_link_speed);
  options.force_link_speed_ext = narrow<std::uint8_t>(settings.force_link_speed_ext);
  options.fdr10 = static_cast<Fdr10>(settings.fdr10);
  options.live_link_changes =
      settings.live_link_changes == "wait" ? LiveLinks::kWait : LiveLinks::kBounce;
  options.client_rereg = !settings.no_clients_rereg;
}

void take_switches(const Settings& settings, SmOptions& options) {
  options.packet_life_time = narrow<std::uint8_t>(settings.packet_life_time);
  options.head_of_queue_lifetime = narrow<std::uint8_t>(settings.head_of_queue_lifetime);
  options.leaf_head_of_queue_lifetime = narrow<std::uint8_t>(settings.leaf_head_of_queue_lifetime);
  options.vl_stall_count = narrow<std::uint8_t>(settings.vl_stall_count);
  options.leaf_vl_stall_count = narrow<std::uint8_t>(settings.leaf_vl_stall_count);
  options.use_mfttop = settings.use_mfttop;
  options.use_optimized_slvl = settings.use_optimized_slvl;
  options.shield_mode = settings.shield_mode != 0;
  options.hbf_sl_mask = narrow<std::uint16_t>(settings.hbf_sl_mask);
  options.hbf_hash_type = narrow<std::uint8_t>(settings.hbf_hash_type);
  options.hbf_seed_type = narrow<std::uint8_t>(settings.hbf_seed_type);
  options.hbf_seed = narrow<std::uint32_t>(settings.hbf_seed);
  options.hbf_hash_fields = settings.hbf_hash_fields;
  options.pfrn_sl = narrow<std::uint8_t>(settings.pfrn_sl);
  options.pfrn_mask_clear_timeout = narrow<std::uint16_t>(settings.pfrn_mask_clear_timeout);
  options.pfrn_mask_force_clear_timeout =
      narrow<std::uint16_t>(settings.pfrn_mask_force_clear_timeout);
  options.enable_ar_group_copy = settings.enable_ar_group_copy;
  options.cache_ar_group_id = settings.cache_ar_group_id;
  options.ar_sl_mask = narrow<std::uint16_t>(settings.ar_sl_mask);
  options.ar_transport_mask = narrow<std::uint8_t>(settings.ar_transport_mask);
  options.disable_default_gi_support = settings.disable_default_gi_support;
  options.additional_gi_supporting_devices =
      *parse_device_ids(settings.additional_gi_supporting_devices);
}

Result<LoadAwareOptions> load_aware_options(const Settings& settings) {
  LoadAwareOptions options;
  options.enabled = settings.load_aware_routing;
  options.interval = std::chrono::minutes(settings.load_aware_minutes);
  options.threshold = narrow<unsigned>(settings.load_aware_threshold);
  if (!options.enabled) return options;
  if (!settings.perfmgr)
    return fail(Code::kUsage, "load_aware_routing requires perfmgr, which reads the counters");
  if (!settings.node_weights_file.empty())
    return fail(Code::kUsage,
                "load_aware_routing and node_weights_file: expected one source of node weights");
  return options;
}

}  // namespace

Result<EngineChoice> engine_choice(const Settings& settings) {
  const Objective objective = objective_of(settings.objective);
  if (settings.routing_engine.empty())
    return EngineChoice{{std::string(kDefaultEngine)}, true, objective, true};
  if (const auto status = load_engine_files(settings.routing_engine); !status)
    return forward(status);
  auto choice = parse_engine_choice(settings.routing_engine);
  if (choice) choice->objective = objective;
  return choice;
}

Result<RoutingInputs> routing_inputs(const Settings& settings, std::vector<std::string>& warnings) {
  auto inputs = plain_inputs(settings, warnings);
  if (!inputs) return inputs;
  if (auto status = take(settings.pgrp_policy_file, read_port_groups, inputs->port_groups); !status)
    return forward(status);
  if (auto status = check_groups(*inputs); !status) return forward(status);
  if (auto status = take_chain(settings, *inputs, warnings); !status) return forward(status);
  return inputs;
}

void use_emulated_files(Settings& settings, const std::string& folder) {
  settings.emulated = true;
  settings.emulated_folder = folder;
  settings.partition_config_file = default_partition_file(settings);
  settings.torus_config.clear();
  settings.prefix_routes_file.clear();
  settings.qos_policy_file.clear();
  settings.per_module_logging_file.clear();
  if (!folder.empty()) settings.console_socket = folder + "/console.sock";
}

std::string default_partition_file(const Settings& settings) {
  if (!settings.emulated) return default_settings().partition_config_file;
  return settings.emulated_folder.empty() ? "" : settings.emulated_folder + "/partitions.conf";
}

std::string changed_partition_file(const Settings& settings) {
  const std::string& path = settings.partition_config_file;
  const bool is_default = path == default_settings().partition_config_file;
  return is_default && !settings.state_folder.empty() ? settings.state_folder + "/partitions.conf"
                                                      : path;
}

std::string active_partition_file(const Settings& settings) {
  std::string changed = changed_partition_file(settings);
  std::error_code error;
  return std::filesystem::exists(changed, error) ? changed : settings.partition_config_file;
}

std::string newer_file_warning(const std::string& original, const std::string& changed) {
  std::error_code error;
  if (original == changed) return {};
  const auto edited = std::filesystem::last_write_time(original, error);
  if (error) return {};
  const auto written = std::filesystem::last_write_time(changed, error);
  if (error || edited <= written) return {};
  return fmt::format(
      "{}: not read, although newer than {}, which has the changes by HTTP and by weft "
      "partition: to use the newer file, delete {}",
      original, changed, changed);
}

VerifyMode verify_mode(const Settings& settings) {
  if (settings.verify == "off") return VerifyMode::kOff;
  return settings.verify == "warn" ? VerifyMode::kWarn : VerifyMode::kEnforce;
}

unsigned vls_for_routes(const Settings& settings) {
  SmOptions options;
  take_ports(settings, options);
  return data_vls_of_code(vl_limit(options).least());
}

namespace {

/// The tenants of tenants_policy_file; null if tenants_policy_enabled is FALSE.
Result<std::shared_ptr<const Tenants>> tenants_of(const Settings& settings) {
  if (!settings.tenants_policy_enabled) return std::shared_ptr<const Tenants>();
  if (settings.tenants_policy_file.empty())
    return fail(Code::kBadInput, "tenants_policy_enabled: tenants_policy_file is not set");
  return read_tenants(settings.tenants_policy_file);
}

/// The expected topology; null if topo_config_enabled is FALSE.
Result<std::shared_ptr<const ExpectedTopology>> topology_of(const Settings& settings,
                                                            std::vector<std::string>& warnings) {
  if (!settings.topo_config_enabled) return std::shared_ptr<const ExpectedTopology>();
  if (settings.topo_config_file.empty())
    return fail(Code::kBadInput, "topo_config_enabled: topo_config_file is not set");
  auto topology = read_topology(settings.topo_config_file, warnings);
  if (!topology) return forward(topology);
  return std::make_shared<const ExpectedTopology>(std::move(*topology));
}

}  // namespace

Result<SmOptions> sm_options(const Settings& settings, std::vector<std::string>& warnings) {
  SmOptions options;
  take_addresses(settings, options);
  take_managers(settings, options);
  warn_of_secret_sm_key(options, warnings);
  take_sweeps(settings, options);
  if (const auto status = take_keys(settings, options, warnings); !status) return forward(status);
  take_smps(settings, options);
  take_ports(settings, options);
  take_switches(settings, options);
  options.qos = qos_options(settings);
  auto choice = engine_choice(settings);
  if (!choice) return forward(choice);
  options.routing_engine = std::move(*choice);
  auto inputs = routing_inputs(settings, warnings);
  if (!inputs) return forward(inputs);
  options.routing = std::move(*inputs);
  if (const auto status = take(settings.device_configuration_file, read_device_configuration,
                               options.devices, options.routing.port_groups);
      !status)
    return forward(status);
  auto tenants = tenants_of(settings);
  if (!tenants) return forward(tenants);
  options.tenants = std::move(*tenants);
  auto topology = topology_of(settings, warnings);
  if (!topology) return forward(topology);
  options.topology = std::move(*topology);
  options.sharp_enabled = static_cast<SharpSetting>(settings.sharp_enabled);
  options.fast_recovery = static_cast<RecoverySetting>(settings.fast_recovery_enabled);
  options.port_recovery = static_cast<RecoverySetting>(settings.port_recovery_policy_enabled);
  if (const auto status = take(settings.fast_recovery_conf_file, read_fast_recovery_file,
                               options.fast_recovery_rules, options.routing.port_groups);
      !status)
    return forward(status);
  if (const auto status = take_node_names(settings, options); !status) return forward(status);
  if (const auto status = take_partitions(settings, options, warnings); !status)
    return forward(status);
  if (const auto status = take_qos_policy(settings, options, warnings); !status)
    return forward(status);
  auto health = health_options(settings);
  if (!health) return forward(health);
  options.health = std::move(*health);
  auto load_aware = load_aware_options(settings);
  if (!load_aware) return forward(load_aware);
  options.load_aware = *load_aware;
  return options;
}

Result<SaOptions> sa_options(const Settings& settings) {
  SaOptions options;
  auto tenants = tenants_of(settings);
  if (!tenants) return forward(tenants);
  options.tenants = std::move(*tenants);
  options.sa_key = SmKey(settings.sa_key);
  options.trust_public_key = settings.trust_public_sa_key;
  options.trust = {.enabled = settings.sa_enhanced_trust_model,
                   .untrusted_proxy_requests = settings.sa_etm_allow_untrusted_proxy_requests,
                   .untrusted_guid_info = settings.sa_etm_allow_untrusted_guidinfo_rec,
                   .guid_info_by_vf = settings.sa_etm_allow_guidinfo_rec_by_vf};
  options.quotas = {.groups = settings.sa_etm_max_num_mcgs,
                    .services = settings.sa_etm_max_num_srvcs,
                    .subscriptions = settings.sa_etm_max_num_event_subs};
  options.rmpp.receiving_of_port = settings.sa_max_num_rmpp_requests;
  options.rate_threshold = settings.sa_rate_threshold;
  options.check_source_gid = settings.sa_check_sgid_spoofing;
  options.subnet_prefix = settings.subnet_prefix;
  options.subnet_timeout = narrow<std::uint8_t>(settings.subnet_timeout);
  options.validate_ip_groups = settings.ipoib_mcgroup_creation_validation;
  options.validate_joins = settings.mcgroup_join_validation;
  options.consolidate_ipv6_snm = settings.consolidate_ipv6_snm_req;
  options.disable_multicast = settings.disable_multicast;
  options.qos = settings.qos;
  options.max_rate_enum = narrow<std::uint8_t>(settings.max_rate_enum);
  if (settings.use_original_extended_sa_rates_only)
    options.max_rate_enum = std::min(options.max_rate_enum, kOriginalRateLast);
  options.virt_default_hop_limit = narrow<std::uint8_t>(settings.virt_default_hop_limit);
  options.virt_record_extension = settings.enable_virt_rec_ext;
  options.aguid_default_hop_limit = narrow<std::uint8_t>(settings.aguid_default_hop_limit);
  options.default_mcg_mtu = narrow<std::uint8_t>(settings.default_mcg_mtu);
  options.default_mcg_rate = narrow<std::uint8_t>(settings.default_mcg_rate);
  options.sm_assigned_guid = narrow<std::uint8_t>(settings.sm_assigned_guid);
  if (!settings.sa_db_file.empty()) {
    auto saved = sa::read_dump(settings.sa_db_file);
    if (!saved) return forward(saved);
    options.saved = std::make_shared<const sa::Saved>(std::move(*saved));
  }
  std::vector<FiledGroup> filed;
  if (const auto status = take(settings.multicast_groups_file, read_groups, filed); !status)
    return forward(status);
  for (const FiledGroup& group : filed) options.reserved_mlids.push_back(group.mlid);
  std::ranges::sort(options.reserved_mlids);
  options.drop_event_subscriptions = settings.drop_event_subscriptions;
  if (is_named(settings.prefix_routes_file, default_settings().prefix_routes_file)) {
    auto routes = read_prefix_routes(settings.prefix_routes_file);
    if (!routes) return forward(routes);
    options.prefix_routes = std::move(*routes);
  }
  return options;
}

namespace {

constexpr std::uint64_t kBytesOfMiB = std::uint64_t{1} << 20;

GmpClientOptions gmp_client_options(const Settings& settings, std::uint64_t outstanding_max) {
  return {.outstanding_max = outstanding_max,
          .timeout = std::chrono::milliseconds(settings.transaction_timeout),
          .retries = narrow<unsigned>(settings.transaction_retries)};
}

}  // namespace

PerformanceOptions performance_options(const Settings& settings) {
  PerformanceOptions options;
  options.perfmgr = settings.perfmgr;
  options.redir = settings.perfmgr_redir;
  options.sweep_time = std::chrono::seconds(settings.perfmgr_sweep_time_s);
  options.ignore_cas = settings.perfmgr_ignore_cas;
  options.rm_nodes = settings.perfmgr_rm_nodes;
  options.log_errors = settings.perfmgr_log_errors;
  options.query_cpi = settings.perfmgr_query_cpi;
  options.xmit_wait_log = settings.perfmgr_xmit_wait_log;
  options.xmit_wait_threshold = settings.perfmgr_xmit_wait_threshold;
  options.agent_queries_max = settings.perfmgr_max_agent_queries;
  options.client = gmp_client_options(settings, settings.perfmgr_max_outstanding_queries);
  options.dump_file = settings.event_db_dump_file;
  options.readings.retention = std::chrono::days(settings.perfmgr_retention_days);
  options.readings.full = std::chrono::hours(settings.perfmgr_full_hours);
  options.readings.minutes = std::chrono::days(settings.perfmgr_minute_days);
  options.readings.bytes_max = settings.perfmgr_size_mb * kBytesOfMiB;
  return options;
}

void set_partition_sls(const PartitionFile& partitions, SaOptions& options) {
  options.partition_sls.clear();
  if (!options.qos) return;
  for (const FiledPartition& partition : partitions.partitions)
    if (partition.flags.sl)
      options.partition_sls.push_back({partition.base, Sl(*partition.flags.sl)});
}

/// The values are valid: assign() has checked them.
ClassKeyOptions class_key_options(const Settings& s, KeyedClass keyed) {
  ClassKeyOptions options;
  const auto take = [&](std::uint64_t use, std::uint64_t lease, std::uint64_t protect,
                        std::uint64_t outstanding_max) {
    options.use = static_cast<KeyUse>(use);
    options.lease = narrow<std::uint16_t>(lease);
    options.is_protected = protect != 0;
    options.client = gmp_client_options(s, outstanding_max);
  };
  switch (keyed) {
    case KeyedClass::kCongestion:
      take(s.cc_key_enable, s.cc_key_lease_period, s.cc_key_protect_bit, s.cc_max_outstanding_mads);
      break;
    case KeyedClass::kVendor:
      take(s.vs_key_enable, s.vs_key_lease_period, s.vs_key_ci_protect_bits,
           s.vs_max_outstanding_mads);
      break;
    case KeyedClass::kNodeToNode:
      take(s.n2n_key_enable, s.n2n_key_lease_period, s.n2n_key_protect_bit,
           s.n2n_max_outstanding_mads);
      break;
  }
  options.seed = *parse_key_seed(s.key_mgr_seed);
  options.period = std::chrono::seconds(s.periodic_key_update);
  return options;
}

/// The policy of programmable congestion control. It has no rules unless mlnx_congestion_control is
/// 2.
Result<CongestionPolicy> congestion_policy(const Settings& settings) {
  CongestionPolicy policy;
  policy.use = static_cast<CongestionUse>(settings.mlnx_congestion_control);
  if (policy.use != CongestionUse::kEnable) return policy;
  if (settings.congestion_control_policy_file.empty())
    return fail(Code::kBadInput,
                "mlnx_congestion_control: found 2, but congestion_control_policy_file is not set");
  if (const auto status = take(settings.pgrp_policy_file, read_port_groups, policy.groups); !status)
    return forward(status);
  if (const auto status =
          take(settings.ppcc_algo_dir, read_congestion_algorithms, policy.algorithms);
      !status)
    return forward(status);
  if (const auto status = read_congestion_policy(settings.congestion_control_policy_file, policy);
      !status)
    return forward(status);
  return policy;
}

Result<CongestionOptions> congestion_options(const Settings& s) {
  CongestionOptions options;
  auto policy = congestion_policy(s);
  if (!policy) return forward(policy);
  options.ppcc = std::move(*policy);
  options.keys = class_key_options(s, KeyedClass::kCongestion);
  options.congestion_control = s.congestion_control;
  options.cc_key = s.cc_key;
  options.client = gmp_client_options(s, s.cc_max_outstanding_mads);
  SwitchCongestionSetting& sw = options.switches;
  sw.control_map = narrow<std::uint32_t>(s.cc_sw_cong_setting_control_map);
  sw.victim_mask = *parse_port_mask(s.cc_sw_cong_setting_victim_mask);
  sw.credit_mask = *parse_port_mask(s.cc_sw_cong_setting_credit_mask);
  sw.threshold = narrow<std::uint8_t>(s.cc_sw_cong_setting_threshold);
  sw.packet_size = narrow<std::uint8_t>(s.cc_sw_cong_setting_packet_size);
  sw.cs_threshold = narrow<std::uint8_t>(s.cc_sw_cong_setting_credit_starvation_threshold);
  sw.cs_return_delay = *parse_cct_entry(s.cc_sw_cong_setting_credit_starvation_return_delay);
  sw.marking_rate = narrow<std::uint16_t>(s.cc_sw_cong_setting_marking_rate);
  CaCongestionSetting& ca = options.cas;
  ca.port_control = narrow<std::uint16_t>(s.cc_ca_cong_setting_port_control);
  ca.control_map = narrow<std::uint16_t>(s.cc_ca_cong_setting_control_map);
  for (std::size_t sl = 0; sl < ca.entries.size(); ++sl)
    ca.entries[sl] = {narrow<std::uint16_t>(s.cc_ca_cong_setting_ccti_timer[sl]),
                      narrow<std::uint8_t>(s.cc_ca_cong_setting_ccti_increase[sl]),
                      narrow<std::uint8_t>(s.cc_ca_cong_setting_trigger_threshold[sl]),
                      narrow<std::uint8_t>(s.cc_ca_cong_setting_ccti_min[sl])};
  options.cct = *parse_cct(s.cc_cct);
  return options;
}

void keep_restart_only_settings(const Settings& current, Settings& read,
                                std::vector<std::string>& warnings) {
  for (const Section& section : sections())
    for (const Key& key : section.keys) {
      const std::string old = value_text(current, key);
      if (key.applies == Applies::kLive || value_text(read, key) == old) continue;
      if (is_secret(key.name))
        warnings.push_back(fmt::format("{}: the new value takes effect after a restart", key.name));
      else
        warnings.push_back(fmt::format("{}: '{}' takes effect after a restart; '{}' stays active",
                                       key.name, value_text(read, key), old));
      (void)assign(read, key, old);
    }
}

}  // namespace weft
