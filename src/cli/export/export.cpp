// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// weft export KIND FABRIC [-R ENGINE] [-o FILE]: writes input files for other programs. Fabric
// formats are written as by `weft convert`.

#include <algorithm>
#include <array>
#include <memory>

#include "base/log.h"
#include "base/text.h"
#include "cli/export/topology.h"
#include "cli/output.h"
#include "cli/subcommands.h"
#include "exports/kubernetes.h"
#include "exports/slurm.h"
#include "exports/targets.h"
#include "exports/topograph.h"
#include "exports/topology_yaml.h"
#include "fabric/formats/link_of_rate.h"
#include "fabric/formats/slurm_topology.h"
#include "service/config/command_line.h"
#include "sm/discovery/node_names.h"

namespace weft::cli {
namespace {

/// A fabric with the selected and named hosts, ready to be written.
struct FabricWithHosts : NamedFabric {
  std::vector<std::string> switches;
  std::vector<Host> hosts;
};

constexpr std::size_t kNamesMax = 1'000'000;

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_' || c == '.';
}

/// --only: selects the hosts in the hostlist.
Status keep_only(std::string_view hostlist, std::vector<Host>& hosts) {
  std::size_t left = kNamesMax;
  const auto items = expand_hostlist(hostlist, left);
  if (!items)
    return fail(Code::kUsage, "--only: column {}: {}", items.error().column, items.error().message);
  std::vector<std::string> wanted;
  for (const HostlistItem& item : *items)
    wanted.insert(wanted.end(), item.names.begin(), item.names.end());
  std::ranges::sort(wanted);
  for (const std::string& name : wanted)
    if (std::ranges::find(hosts, name, &Host::name) == hosts.end())
      log::warn("--only: host {} is not in this fabric", name);
  std::erase_if(hosts,
                [&](const Host& host) { return !std::ranges::binary_search(wanted, host.name); });
  return {};
}

Result<FabricWithHosts> name_all(const ExportOptions& options) {
  auto read = read_named_fabric(options);
  if (!read) return forward(read);
  FabricWithHosts named{std::move(*read), {}, {}};
  named.switches = switch_names(named.fabric, named.names);
  named.hosts = hosts_of(named.fabric, named.names);
  if (!options.only.empty())
    if (const auto status = keep_only(options.only, named.hosts); !status) return forward(status);
  return named;
}

void warn_of_unnamed(const std::vector<Host>& hosts) {
  const auto unnamed = std::ranges::count(hosts, false, &Host::named);
  if (unnamed > 0)
    log::warn(
        "{} of {} hosts have no name and are written as H-GUID: name them with --names or "
        "exclude them with --only",
        unnamed, hosts.size());
}

int write_slurm(const ExportOptions& options) {
  const auto named = name_all(options);
  if (!named) return report(named.error());
  warn_of_unnamed(named->hosts);
  const HostGroups groups = group_hosts(named->fabric, named->hosts, named->switches);
  std::vector<std::string> warnings;
  Result<std::string> text = std::string();
  if (options.plugins.front() == "block") {
    text = slurm_blocks(groups,
                        options.block_size > 0 ? std::optional(options.block_size) : std::nullopt,
                        warnings);
  } else if (options.as_cabled) {
    text = slurm_as_cabled(named->fabric, named->hosts, named->switches, warnings);
  } else {
    text = slurm_tree(groups, named->switches);
  }
  for (const std::string& warning : warnings) log::warn("{}", warning);
  if (!text) return report(text.error());
  const std::string head =
      fmt::format("# topology.conf for topology/{} of {}: {} switches ({}), {} hosts\n",
                  options.plugins.front(), options.fabric.name, named->fabric.switch_count(),
                  groups.shape, named->hosts.size());
  return write_to(options.output, [&](const Append& append) {
    append(head);
    append(*text);
  });
}

/// The file's name without folder and extensions, or the spec, in characters that Slurm accepts.
std::string topology_name(const std::string& fabric) {
  std::string name = fabric.substr(fabric.rfind('/') + 1);
  if (const std::size_t dot = name.find('.'); dot != std::string::npos && dot > 0) name.resize(dot);
  for (char& c : name)
    if (!is_name_character(c)) c = '_';
  return name;
}

Result<YamlTopology> yaml_topology(const ExportOptions& options, std::size_t index) {
  ExportOptions one = options;
  if (index > 0) one.fabric.name = options.more_fabrics[index - 1];
  YamlTopology topology;
  topology.name =
      options.topologies.empty() ? topology_name(one.fabric.name) : options.topologies[index];
  topology.is_block = options.plugins[options.plugins.size() > 1 ? index : 0] == "block";
  const auto named = name_all(one);
  if (!named) return forward(named);
  warn_of_unnamed(named->hosts);
  topology.groups = group_hosts(named->fabric, named->hosts, named->switches);
  name_by_first_unit(topology.groups);
  return topology;
}

int write_slurm_yaml(const ExportOptions& options) {
  std::vector<YamlTopology> topologies;
  for (std::size_t i = 0; i < 1 + options.more_fabrics.size(); ++i) {
    auto topology = yaml_topology(options, i);
    if (!topology) return report(topology.error());
    if (topology->name.empty() || !std::ranges::all_of(topology->name, is_name_character))
      return report({Code::kUsage,
                     fmt::format("--topology: found {}, expected letters, digits, '-', '_' and '.'",
                                 weft::quoted(topology->name))});
    if (std::ranges::find(topologies, topology->name, &YamlTopology::name) != topologies.end())
      return report({Code::kUsage,
                     fmt::format("two topologies would have the name {}: name them with --topology",
                                 topology->name)});
    topologies.push_back(std::move(*topology));
  }
  std::vector<std::string> warnings;
  const auto text = slurm_yaml(
      topologies, options.block_size > 0 ? std::optional(options.block_size) : std::nullopt,
      warnings);
  for (const std::string& warning : warnings) log::warn("{}", warning);
  if (!text) return report(text.error());
  return write_to(options.output, [&](const Append& append) { append(*text); });
}

int write_topograph(const ExportOptions& options) {
  const auto named = name_all(options);
  if (!named) return report(named.error());
  warn_of_unnamed(named->hosts);
  const auto text = topograph_text(named->fabric, named->hosts, named->switches);
  if (!text) return report(text.error());
  return write_to(options.output, [&](const Append& append) { append(*text); });
}

int write_kubernetes(const ExportOptions& options) {
  const auto named = name_all(options);
  if (!named) return report(named.error());
  warn_of_unnamed(named->hosts);
  HostGroups groups = group_hosts(named->fabric, named->hosts, named->switches);
  name_by_first_unit(groups);
  const auto has = [&](const char* word) {
    return std::ranges::find(options.objects, word) != options.objects.end();
  };
  const std::string text =
      kubernetes_objects(groups, options.prefix, {has("labels"), has("kueue"), has("volcano")});
  return write_to(options.output, [&](const Append& append) { append(text); });
}

int write_targets(const ExportOptions& options) {
  const auto named = name_all(options);
  if (!named) return report(named.error());
  warn_of_unnamed(named->hosts);
  const std::string text =
      prometheus_targets(group_hosts(named->fabric, named->hosts, named->switches), options.port);
  return write_to(options.output, [&](const Append& append) { append(text); });
}

int write_name_map(const ExportOptions& options) {
  const auto named = name_all(options);
  if (!named) return report(named.error());
  const std::string text = node_name_map(named->fabric, named->names);
  return write_to(options.output, [&](const Append& append) { append(text); });
}

int write_as(const ExportOptions& options, const char* format) {
  const auto input = load(options.fabric);
  if (!input) return report(input.error());
  return write_output(input->fabric, {.path = options.output, .format = format});
}

/// Options that some kinds support, besides those of routing.
constexpr std::array kExportOptions{"--names",      "--only",  "--plugin",        "--as-cabled",
                                    "--block-size", "--port",  "--topology",      "--prefix",
                                    "--objects",    "--lfts",  "--switches-only", "--delay",
                                    "--gpu-type",   "--nvlink"};

struct ExportKind {
  std::string_view name;
  std::string_view options;  // the supported options, separated by blanks; -R: those of routing
  int (*write)(const ExportOptions& options);
};

constexpr std::array kKinds{
    ExportKind{"slurm", "--names --only --plugin --as-cabled --block-size", &write_slurm},
    ExportKind{"slurm-yaml", "--names --only --plugin --block-size --topology", &write_slurm_yaml},
    ExportKind{"topograph", "--names --only", &write_topograph},
    ExportKind{"k8s", "--names --only --prefix --objects", &write_kubernetes},
    ExportKind{"prometheus-targets", "--names --only --port", &write_targets},
    ExportKind{"node-name-map", "--names", &write_name_map},
    ExportKind{"graphml", "--names --switches-only --lfts -R", &export_graphml},
    ExportKind{"simgrid", "--names --delay --lfts -R", &export_simgrid},
    ExportKind{"ns3", "--names --delay --lfts -R", &export_ns3},
    ExportKind{"simai", "--names --delay --gpu-type --nvlink --lfts -R", &export_simai},
    ExportKind{"astra-sim", "--names --delay --nvlink --lfts -R", &export_astra_sim},
    ExportKind{"codes", "--names --lfts -R", &export_codes},
    ExportKind{"ibnetdiscover", "",
               [](const ExportOptions& o) { return write_as(o, "ibnetdiscover"); }},
    ExportKind{"graphviz", "", [](const ExportOptions& o) { return write_as(o, "dot"); }},
};

const ExportKind* find_kind(std::string_view name) {
  const auto found = std::ranges::find(kKinds, name, &ExportKind::name);
  return found == kKinds.end() ? nullptr : &*found;
}

/// Rejects several fabrics for other kinds than slurm-yaml, and lists that do not have one entry
/// for each fabric. One entry of --plugin may apply to all fabrics.
Status check_fabrics(const ExportOptions& options) {
  const std::size_t fabrics = 1 + options.more_fabrics.size();
  if (options.kind != "slurm-yaml") {
    if (fabrics > 1)
      return fail(Code::kUsage, "{}: found {} fabrics, expected one", options.kind, fabrics);
    if (options.plugins.size() > 1) return fail(Code::kUsage, "--plugin: expected one value");
    return {};
  }
  if (options.plugins.size() != 1 && options.plugins.size() != fabrics)
    return fail(Code::kUsage,
                "--plugin: found {} values, expected one, or one for each of {} fabrics",
                options.plugins.size(), fabrics);
  if (!options.topologies.empty() && options.topologies.size() != fabrics)
    return fail(Code::kUsage, "--topology: found {} names, expected one for each of {} fabrics",
                options.topologies.size(), fabrics);
  return {};
}

/// Rejects options that have no effect on the kind, contradictory options and an invalid --prefix.
Status check_options(const CLI::App& app, const ExportOptions& options) {
  const ExportKind& kind = *find_kind(options.kind);
  const std::string list = " " + std::string(kind.options) + " ";
  const auto is_supported = [&](std::string_view name) {
    return list.find(fmt::format(" {} ", name)) != std::string::npos;
  };
  for (const char* name : kExportOptions)
    if (app.count(name) > 0 && !is_supported(name))
      return fail(Code::kUsage, "{} has no effect on {}", name, kind.name);
  if (!options.assignments.empty() && !is_supported("-R"))
    return fail(Code::kUsage, "{} has no effect on {}", options.assignments.front().option,
                kind.name);
  if (!options.assignments.empty() && !options.lfts.empty())
    return fail(Code::kUsage, "--lfts and {}: found both, expected one of them",
                options.assignments.front().option);
  if (options.as_cabled && options.plugins.front() != "tree")
    return fail(Code::kUsage, "--as-cabled requires --plugin tree");
  if (options.block_size > 0 &&
      std::ranges::find(options.plugins, "block") == options.plugins.end())
    return fail(Code::kUsage, "--block-size requires --plugin block");
  if (!is_label_prefix(options.prefix))
    return fail(Code::kUsage, "--prefix: found {}, expected a DNS name in lower case",
                weft::quoted(options.prefix));
  return check_fabrics(options);
}

constexpr double kDelayMaxNs = 1e9;
constexpr double kNvlinkMaxGbps = 1e6;

/// Accepts a positive number such as 0.5, at most `most`. CLI::Range would accept "nan".
CLI::Validator decimal_up_to(double most) {
  return CLI::Validator(
      [most](const std::string& text) {
        const auto value = parse_plain_decimal(text);
        return value && *value > 0 && *value <= most
                   ? std::string()
                   : fmt::format("found {}, expected a number above 0, up to {}", text, most);
      },
      "");
}

Run set_up_export(CLI::App& app) {
  auto options = std::make_shared<ExportOptions>();
  std::vector<std::string> kinds;
  kinds.reserve(std::size(kKinds));
  for (const ExportKind& kind : kKinds) kinds.emplace_back(kind.name);
  restrict_to(app.add_option("KIND", options->kind, "Kind of output file")->required(), kinds);
  add_fabric(app, options->fabric);
  app.add_option("MORE", options->more_fabrics,
                 "slurm-yaml: more fabrics, each a topology of the same file");
  app.add_option("-o,--output", options->output, "Write to this file instead of standard output");
  app.add_option("--names", options->names,
                 "Read node names by GUID from this node-name-map of infiniband-diags")
      ->option_text("FILE");
  app.add_option("--only", options->only,
                 "Write only these hosts, in Slurm's notation: node[001-128],login1")
      ->option_text("HOSTLIST");
  restrict_to(app.add_option("--plugin", options->plugins,
                             "slurm, slurm-yaml: write for topology/tree or topology/block "
                             "(default: tree); slurm-yaml: optionally one for each fabric, "
                             "separated by commas")
                  ->delimiter(','),
              {"tree", "block"});
  app.add_option("--topology", options->topologies,
                 "slurm-yaml: name the topologies, separated by commas (default: by the files)")
      ->delimiter(',')
      ->option_text("NAME,..");
  app.add_option("--prefix", options->prefix,
                 "k8s: set the part of the labels before the '/' (default: fabric.topograph.run)");
  restrict_to(app.add_option("--objects", options->objects,
                             "k8s: write labels of nodes, Kueue's Topology, Volcano's HyperNodes, "
                             "separated by commas (default: all)")
                  ->delimiter(','),
              {"labels", "kueue", "volcano"});
  app.add_flag(
      "--as-cabled", options->as_cabled,
      "slurm: write a line for each switch with its hosts, or all cabled switches if it has no "
      "hosts, even if the lines form no tree");
  app.add_option("--block-size", options->block_size,
                 "With --plugin block: set the minimum number of hosts of a block")
      ->check(CLI::PositiveNumber);
  app.add_option("--port", options->port,
                 "prometheus-targets: set the port of the exporter (default: 9100)")
      ->check(CLI::Range(1, 65535));
  app.add_option("--lfts", options->lfts,
                 "Read the routes from these forwarding tables (formats as for verify)")
      ->option_text("FILE");
  app.add_flag("--switches-only", options->switches_only,
               "graphml: count hosts in the attribute endpoints of their switches, for SST");
  app.add_option("--delay", options->delay_ns,
                 "simgrid, ns3, simai, astra-sim: set the delay of each link in ns (default: 500)")
      ->check(decimal_up_to(kDelayMaxNs));
  restrict_to(app.add_option("--gpu-type", options->gpu_type,
                             "simai: write this type of GPU (default: H100)"),
              {"A100", "A800", "H100", "H800", "NONE"});
  app.add_option("--nvlink", options->nvlink_gbps,
                 "simai, astra-sim: set the rate of a GPU in its host in Gbit/s (default: 2880)")
      ->check(decimal_up_to(kNvlinkMaxGbps));
  add_command_options(app, routing_command_options(), options->assignments, offline_defaults());
  return [options, &app] {
    if (const auto status = check_options(app, *options); !status) return report(status.error());
    return find_kind(options->kind)->write(*options);
  };
}

}  // namespace

const Subcommand kExportSubcommand{
    "export", "Export a fabric and its routes for Slurm, Kubernetes, NetworkX and others",
    &set_up_export};

}  // namespace weft::cli
