// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fabric/formats/read.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>

#include "fabric/formats/db_csv.h"
#include "fabric/formats/dot/dot.h"
#include "fabric/formats/graphml.h"
#include "fabric/formats/ibdm/ibdm_topo.h"
#include "fabric/formats/ibnetdiscover/ibnetdiscover.h"
#include "fabric/formats/ibnetdiscover/ibnetdiscover_line.h"
#include "fabric/formats/ibsim_net.h"
#include "fabric/formats/infragraph.h"
#include "fabric/formats/json_fabric.h"
#include "fabric/formats/lst.h"
#include "fabric/formats/non_fabric_file.h"
#include "fabric/formats/ns3.h"
#include "fabric/formats/port_list.h"
#include "fabric/formats/slurm_topology.h"

namespace weft {
namespace {

constexpr std::array kReadFormats{
    ReadFormat{"json", "Weft's JSON", &looks_like_fabric_json, &read_fabric_json},
    ReadFormat{"infragraph", "InfraGraph, JSON or YAML", &looks_like_infragraph, &read_infragraph},
    ReadFormat{"graphml", "GraphML graph", &looks_like_graphml, &read_graphml},
    ReadFormat{"ns3", "topology text of ns-3 (HPCC, ASTRA-sim)", &looks_like_ns3, &read_ns3},
    ReadFormat{"simai", "topology text of SimAI", &looks_like_simai, &read_simai},
    ReadFormat{"db-csv", "tables of ibdiagnet2", &looks_like_db_csv, &read_db_csv},
    ReadFormat{"dot", "Graphviz graph in the dialect of ORCS", &looks_like_dot, &read_dot},
    ReadFormat{"lst", "subnet list of OpenSM and ibutils", &looks_like_lst, &read_lst},
    ReadFormat{"ibnl", "ibdm's system definition", &looks_like_ibnl, &read_ibnl},
    ReadFormat{"topo", "ibdm's system topology", &looks_like_ibdm_topo, &read_ibdm_topo},
    ReadFormat{"slurm", "topology.conf of Slurm and of sharp_cmd", &looks_like_slurm_topology,
               &read_slurm_topology},
    ReadFormat{"ibsim", "ibsim's net, with free node names and includes", &looks_like_ibsim_net,
               &read_ibsim_net},
    ReadFormat{"ibnetdiscover", "ibnetdiscover's topology text, also of ibdiagnet",
               &looks_like_ibnetdiscover, &read_ibnetdiscover},
    ReadFormat{"port-list", "ibnetdiscover -p, also with the progress lines of -s",
               &looks_like_port_list, &read_port_list},
};

constexpr std::size_t kHeadSize = 64 << 10;

std::string known_names() {
  std::string names;
  for (const ReadFormat& format : kReadFormats)
    names.append(names.empty() ? "" : ", ").append(format.name);
  return names;
}

/// Whether truncated text of the format is a syntax error; files of such formats may lack the last
/// newline.
bool ends_in_bracket(const ReadFormat& format) {
  return format.name == "json" || format.name == "dot" || format.name == "graphml";
}

/// Returns the first lines and rewinds the reader.
Result<std::string> head_of(LineReader& lines) {
  std::string head;
  std::string_view line;
  while (head.size() < kHeadSize) {
    auto more = lines.next(line);
    if (!more) return forward(more);
    if (!*more) break;
    if (is_discovery_progress(line)) continue;  // progress lines are not part of the head
    head.append(line.substr(0, kHeadSize)).push_back('\n');
  }
  if (auto status = lines.rewind(); !status) return forward(status);
  std::ranges::replace(head, '\r', '\n');
  return head;
}

Result<const ReadFormat*> choose(LineReader& lines, const ReadOptions& options) {
  if (!options.format.empty()) {
    const auto named = std::ranges::find(kReadFormats, options.format, &ReadFormat::name);
    if (named == kReadFormats.end())
      return fail(Code::kUsage, "unknown format '{}', expected one of {}", options.format,
                  known_names());
    return &*named;
  }
  auto head = head_of(lines);
  if (!head) return forward(head);
  for (const ReadFormat& format : kReadFormats)
    if (format.recognize(*head)) return &format;
  if (head->empty()) return fail(Code::kBadInput, "{}: the file is empty", lines.path());
  if (const std::string_view other = describe_non_fabric_file(*head); !other.empty())
    return fail(Code::kBadInput, "{}: found {}, expected a fabric ({})", lines.path(), other,
                known_names());
  return fail(Code::kBadInput, "{}:1: the content is of no known format ({})", lines.path(),
              known_names());
}

Result<ReadResult> read_from(LineReader lines, const ReadOptions& options) {
  auto format = choose(lines, options);
  if (!format) return forward(format);
  FabricBuilder builder;
  Warnings warnings;
  const auto status = (*format)->read(lines, options, builder, warnings);
  const bool may_be_cut_off = lines.ends_without_newline() && !ends_in_bracket(**format);
  if (!status && may_be_cut_off)
    return fail(status.error().code,
                "{}; the last line has no newline at its end: the file may have been cut off there",
                status.error().message);
  if (!status) return forward(status);
  if (may_be_cut_off)
    warnings.add(lines,
                 "the last line has no newline at its end: the file may have been cut off here");
  std::vector<std::string> build_warnings;
  auto fabric = builder.build(&build_warnings);
  if (!fabric) return fail(fabric.error().code, "{}: {}", lines.path(), fabric.error().message);
  for (std::string& warning : build_warnings)
    warnings.add(fmt::format("{}: {}", lines.path(), warning));
  return ReadResult{std::move(*fabric), std::string((*format)->name), warnings.take()};
}

bool can_be_read_twice(const std::string& path) {
  struct stat info {};
  return path != "-" && (stat(path.c_str(), &info) != 0 || S_ISREG(info.st_mode));
}

}  // namespace

std::span<const ReadFormat> read_formats() { return kReadFormats; }

const ReadFormat* recognize_fabric(const std::string& path) {
  if (!can_be_read_twice(path)) return nullptr;
  auto lines = LineReader::open(path);
  if (!lines) return nullptr;
  const auto head = head_of(*lines);
  if (!head || !describe_non_fabric_file(*head).empty()) return nullptr;
  for (const ReadFormat& format : kReadFormats)
    if (format.recognize(*head)) return &format;
  return nullptr;
}

Result<ReadResult> read_fabric(const std::string& path, const ReadOptions& options) {
  if (options.format.empty() && !can_be_read_twice(path)) {
    auto text = read_file(path);
    if (!text) return forward(text);
    return read_fabric_text(std::move(*text), path == "-" ? "standard input" : path, options);
  }
  auto reader = LineReader::open(path);
  if (!reader) return forward(reader);
  return read_from(std::move(*reader), options);
}

Result<ReadResult> read_fabric_text(std::string text, const std::string& name,
                                    const ReadOptions& options) {
  return read_from(LineReader::over(std::move(text), name), options);
}

}  // namespace weft
