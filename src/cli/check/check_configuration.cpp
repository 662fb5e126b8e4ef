// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/check/check_configuration.h"

#include <filesystem>

#include "base/file.h"
#include "base/secure_path.h"
#include "base/text.h"
#include "cli/sm/replication_link.h"
#include "sa/dump/dump.h"
#include "sa/paths/prefix_routes.h"
#include "service/alarm_options.h"
#include "service/config/config_file.h"
#include "service/config/key.h"
#include "service/config/options.h"
#include "service/config/trusted_files.h"
#include "service/console/console_server.h"
#include "service/http_options.h"
#include "service/log.h"

namespace weft::cli {
namespace {

/// A configuration key with a file as its value.
struct NamedFile {
  std::string_view key;
  std::string Settings::*member;
  FileReader reader;
  char end = 0;  // last character of a statement; 0: statements are lines
};

template <class T>
FileReader from(Result<T> (*reader)(const std::string&)) {
  return [reader](const std::string& path, std::vector<std::string>&) -> Status {
    const auto read = reader(path);
    return read ? Status() : forward(read);
  };
}

template <class T>
FileReader from(Result<T> (*reader)(const std::string&, std::vector<std::string>&)) {
  return [reader](const std::string& path, std::vector<std::string>& warnings) -> Status {
    const auto read = reader(path, warnings);
    return read ? Status() : forward(read);
  };
}

Status read_module_levels(const std::string& path, std::vector<std::string>& warnings) {
  Settings settings;
  settings.per_module_logging_file = path;
  const auto levels = module_levels(settings, warnings);
  return levels ? Status() : forward(levels);
}

const std::vector<NamedFile>& named_files() {
  using S = Settings;
  static const std::vector<NamedFile> kFiles{
      {"root_guid_file", &S::root_guid_file, from(&read_guid_file)},
      {"cn_guid_file", &S::cn_guid_file, from(&read_guid_file)},
      {"io_guid_file", &S::io_guid_file, from(&read_guid_file)},
      {"guid_routing_order_file", &S::guid_routing_order_file, from(&read_guid_file)},
      {"port_prof_ignore_file", &S::port_prof_ignore_file, from(&read_ignored_ports)},
      {"hop_weights_file", &S::hop_weights_file, from(&read_hop_weights)},
      {"node_weights_file", &S::node_weights_file, from(&read_node_weights)},
      {"port_search_ordering_file", &S::port_search_ordering_file, from(&read_port_orders)},
      {"ids_guid_file", &S::ids_guid_file, from(&read_switch_ids)},
      {"torus_config", &S::torus_config, from(&read_torus_config)},
      {"ar_mgr_conf_file", &S::ar_mgr_conf_file, from(&read_ar_conf)},
      {"lfts_file", &S::lfts_file, from(&read_filed_lfts)},
      {"lid_matrix_dump_file", &S::lid_matrix_dump_file, from(&read_lid_matrix)},
      {"multicast_groups_file", &S::multicast_groups_file, from(&read_groups)},
      {"partition_config_file", &S::partition_config_file, from(&read_partition_file), ';'},
      {"qos_policy_file", &S::qos_policy_file, from(&read_qos_policy)},
      {"prefix_routes_file", &S::prefix_routes_file, from(&read_prefix_routes)},
      {"node_name_map_name", &S::node_name_map_name, from(&read_node_names)},
      {"per_module_logging_file", &S::per_module_logging_file, &read_module_levels},
      {"sa_db_file", &S::sa_db_file, from(&sa::read_dump)},
  };
  return kFiles;
}

/// Whether the file is read: a configured file always, the default file of a key only if it exists.
bool must_read(const NamedFile& file, const Settings& settings) {
  const std::string& path = settings.*file.member;
  std::error_code error;
  return !path.empty() &&
         (path != default_settings().*file.member || std::filesystem::exists(path, error));
}

/// Reports all errors of the configuration file at once, and applies its valid lines. Returns
/// whether all lines are valid.
bool read_settings(const std::string& path, Settings& settings, Findings& findings) {
  if (const auto secure = check_only_owner_writes(path); !secure)
    findings.add(Severity::kError, secure.error().message, secure.error().code);
  ConfigDiagnostics problems;
  const Status status = read_config(path, settings, problems);
  findings.add(Severity::kProblem, problems.warnings);
  if (status) return true;
  if (problems.errors.empty()) {
    findings.add(Severity::kError, status.error().message, status.error().code);
    return false;
  }
  std::vector<std::size_t> wrong;
  for (const std::string& error : problems.errors) {
    findings.add(Severity::kError, error);
    wrong.push_back(place_of(error).line);
  }
  if (auto text = read_file(path)) {
    const PathOfText good(without_lines(std::move(*text), wrong));
    ConfigDiagnostics repeated;  // all reported by the first read_config()
    (void)read_config(good.path(), settings, repeated);
  }
  return false;
}

void assign_each(const Assignments& assignments, Settings& settings, Findings& findings) {
  for (const Assignment& assignment : assignments) {
    std::vector<std::string> warnings;
    if (const Status status = assign_all({assignment}, settings, warnings); !status)
      findings.add(Severity::kError, status.error().message, status.error().code);
    findings.add(Severity::kProblem, warnings);
  }
}

/// Checks the policy files of a routing chain in order, because each file refers to definitions of
/// the previous file. The error of a file lists all invalid lines of the file. Files after an
/// invalid file are not read.
void check_chain(CheckedConfiguration& checked, Findings& findings) {
  Settings& settings = checked.settings;
  bool good = true;
  const auto check = [&](std::string_view key, std::string& path, auto&& read) {
    if (path.empty()) return;
    if (!good) {
      findings.add(
          Severity::kNote,
          fmt::format("{} {} is not read, because a file that it refers to is invalid", key, path));
      path.clear();
      return;
    }
    const Status status = read(path);
    if (!status) {
      for (const std::string_view line : split(status.error().message, '\n'))
        findings.add(Severity::kError, std::string(line), status.error().code);
      good = false;
    }
    checked.files.push_back({std::string(key), path, status.has_value()});
    if (!good) path.clear();
  };
  PortGroups groups;
  std::vector<FiledTopology> topologies;
  const auto keep = [](auto read, auto& into) -> Status {
    if (!read) return forward(read);
    into = std::move(*read);
    return {};
  };
  check("pgrp_policy_file", settings.pgrp_policy_file,
        [&](const std::string& path) { return keep(read_port_groups(path), groups); });
  check("topo_policy_file", settings.topo_policy_file,
        [&](const std::string& path) { return keep(read_topologies(path, groups), topologies); });
  std::vector<FiledStep> steps;
  check("rch_policy_file", settings.rch_policy_file, [&](const std::string& path) {
    return keep(read_steps(path, topologies, static_cast<unsigned>(settings.lmc)), steps);
  });
}

template <class T>
void add_error_of(const Result<T>& result, Findings& findings) {
  if (!result) findings.add(Severity::kError, result.error().message, result.error().code);
}

/// The files of replication are read for each connection to a peer, so invalid files are no reason
/// not to start.
void check_peers(const Settings& settings, const std::optional<HttpOptions>& http,
                 Findings& findings) {
  const Status status = check_replication(settings, http);
  add_error_of(status, findings);
  if (!status) return;
  for (const ServerArgument& peer : replication_servers(settings))
    if (const auto client = ApiClient::open(peer); !client)
      findings.add(Severity::kProblem, fmt::format("replication_peers: cannot connect to {}: {}",
                                                   peer.url, client.error().message));
}

void check_services(const Settings& settings, Findings& findings) {
  const auto http = http_options(settings);
  add_error_of(http, findings);
  if (http) check_peers(settings, *http, findings);
  add_error_of(console_options(settings), findings);
  add_error_of(alarm_options(settings), findings);
}

}  // namespace

CheckedConfiguration check_configuration(const std::string& config, const Assignments& assignments,
                                         Findings& findings) {
  CheckedConfiguration checked;
  Settings& settings = checked.settings;
  if (!config.empty())
    checked.files.push_back({"config", config, read_settings(config, settings, findings)});
  assign_each(assignments, settings, findings);
  if (const auto status = check_trusted_files(settings); !status)
    findings.add(Severity::kError, status.error().message, status.error().code);
  for (const NamedFile& file : named_files()) {
    if (!must_read(file, settings)) continue;
    const std::string path = settings.*file.member;
    if (file.key == "qos_policy_file" && !settings.qos) {
      findings.add(Severity::kProblem,
                   fmt::format("{} {} has no effect without qos (-Q)", file.key, path));
      settings.*file.member = {};
      continue;
    }
    checked.files.push_back(
        {std::string(file.key), path, check_file(path, file.end, file.reader, findings)});
    if (!checked.files.back().good) settings.*file.member = {};
  }
  check_chain(checked, findings);
  if (const auto choice = engine_choice(settings); !choice) {
    findings.add(Severity::kError, choice.error().message, choice.error().code);
    settings.routing_engine = {};
  }
  check_services(settings, findings);
  add_error_of(sa_options(settings), findings);
  add_error_of(congestion_options(settings), findings);
  std::vector<std::string> warnings;
  auto options = sm_options(settings, warnings);
  add_error_of(options, findings);
  findings.add(Severity::kProblem, warnings);
  if (options) checked.options = std::move(*options);
  return checked;
}

}  // namespace weft::cli
