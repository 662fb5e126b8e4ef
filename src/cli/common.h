// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Shared by subcommands: the FABRIC argument, enumerated options, error reports, JSON output.
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "fabric/fabric.h"
#include "fabric/formats/read.h"
#include "routes/routes.h"
#include "verify/verify.h"

namespace weft::cli {

using Json = nlohmann::ordered_json;

/// The configuration file that is read if it exists and the command line names no other.
inline constexpr const char* kDefaultConfig = "/etc/opensm/opensm.conf";

/// A FABRIC argument: a file in any supported format or a generator spec, and its read options.
struct FabricArgument {
  std::string name;
  ReadOptions read;
};

/// Declares FABRIC, --format and --ibnl-dir.
void add_fabric(CLI::App& app, FabricArgument& argument);

/// Lists the words of an enumeration in the help, as "one|two". The caller checks values.
CLI::Option* list_words(CLI::Option* option, const std::vector<std::string>& words);
/// Like list_words(), and rejects all other words.
CLI::Option* restrict_to(CLI::Option* option, const std::vector<std::string>& words);

/// The names in a table, such as read_formats().
template <class Table>
std::vector<std::string> table_names(const Table& table) {
  std::vector<std::string> names;
  for (const auto& entry : table) names.emplace_back(entry.name);
  return names;
}

/// Reads the file or builds the spec; warnings go to the log.
Result<ReadResult> load(const FabricArgument& argument);

/// Logs and clears the warnings.
void log(Warnings& warnings);

/// Assigns LIDs to endports without one; keeps valid existing LIDs.
Result<Fabric> with_all_lids(Fabric fabric, std::uint8_t lmc);

/// Reads forwarding tables. If the file lists the port GUID of each LID (dump_lfts, ibroute,
/// opensm-lfts.dump), LIDs are matched to endports by GUID, regardless of the LIDs in the fabric
/// file; otherwise (opensm.fdbs, a routed graph) the LIDs of the fabric apply.
Result<Lfts> read_lfts_by_guid(const Fabric& fabric, const std::string& path, Warnings& warnings);

/// Parses a hexadecimal GUID with or without "0x".
std::optional<Guid> parse_guid(std::string_view text);

/// Prints the error to standard error and returns its exit status.
int report(const Error& error);

/// Writes to standard output; to a terminal as printable() text.
void append_to_stdout(std::string_view text);

/// Indented JSON with a final newline.
std::string dump(const Json& json);
void print(const Json& json);

/// The `fabric` object of the JSON output: switches, cas, ports, links.
Json fabric_json(const Fabric& fabric);
/// The `verify` object of the JSON output, with the credit loop hop by hop and the first failures.
/// `planes_stated`: see find_planes() in fabric/planes.h.
Json verdict_json(const Fabric& fabric, const Verdict& verdict, std::uint32_t planes_stated = 0);
/// A line about the FNM links of the fabric and their rings; empty if there are no FNM ports.
std::string fnm_text(const Fabric& fabric);
/// The verdict as text; the last line is PASS, or FAIL with the reason. "not verified" if there is
/// no verdict.
std::string verdict_text(const Fabric& fabric, const Verdict& verdict,
                         std::uint32_t planes_stated = 0);
/// Whether unicast and multicast routes pass (exit status 0). A fabric without CAs, links or LIDs
/// passes only with `allow_empty`.
bool passes(const Verdict& verdict, bool allow_empty = false);
void add_allow_empty(CLI::App& app, bool& allow_empty);

/// The SLs of a bit mask.
Json single_sls_json(std::uint16_t sls);

/// Numbers of the switches, groups and entries of adaptive routing; null or empty text without
/// adaptive routing.
Json adaptive_json(const Routes& routes);
std::string adaptive_text(const Routes& routes);

/// The value of an environment variable; empty if it is not set.
std::string environment(const char* name);

/// Peak resident set size of this process, bytes.
std::uint64_t peak_rss_bytes();

}  // namespace weft::cli
