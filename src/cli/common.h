// What subcommands share: the FABRIC argument, reporting an error, and JSON on standard output.
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

/// A FABRIC argument: a file in any known format or a generator's spec, with the options that go
/// with it.
struct FabricArgument {
  std::string name;
  ReadOptions read;
};

/// Declares FABRIC, --format and --ibnl-dir.
void add_fabric(CLI::App& app, FabricArgument& argument);

/// Reads the file or builds the spec; warnings go to the log.
Result<ReadResult> load(const FabricArgument& argument);

/// Says what readers warned of.
void log(Warnings& warnings);

/// Gives every endport a LID if they do not all have one: what is there is kept where possible.
Result<Fabric> with_all_lids(const Fabric& fabric, std::uint8_t lmc);

/// The tables in a file. Where it names the port GUIDs of its LIDs (dump_lfts, ibroute,
/// opensm-lfts.dump), a LID is whose GUID it is, whatever LIDs the fabric's file gives; elsewhere
/// (opensm.fdbs, a routed graph) LIDs are the fabric's.
Result<Lfts> read_lfts_by_guid(const Fabric& fabric, const std::string& path, Warnings& warnings);

/// A GUID in hex, "0x" or not.
std::optional<Guid> parse_guid(std::string_view text);

/// Prints the error and returns its exit status.
int report(const Error& error);

/// Appends to standard output, for writers that stream.
void append_to_stdout(std::string_view text);

/// Indented, with a newline at the end.
std::string dump(const Json& json);
void print(const Json& json);

/// switches, cas, ports, links of the contract's `fabric` object.
Json fabric_json(const Fabric& fabric);
/// The contract's `verify` object, with the credit loop hop by hop and the first failures.
Json verdict_json(const Fabric& fabric, const Verdict& verdict);
/// The same for people, several lines.
/// Its last line is PASS, or FAIL and why.
std::string verdict_text(const Fabric& fabric, const Verdict& verdict);
/// Whether unicast and multicast pass, and the fabric has something to prove or need not have; the
/// exit status is 0 then.
bool passes(const Verdict& verdict, bool allow_empty = false);
void add_allow_empty(CLI::App& app, bool& allow_empty);

/// How much of the routes is adaptive; null, and no text, where nothing is.
Json adaptive_json(const Routes& routes);
std::string adaptive_text(const Routes& routes);

/// Largest resident set of this process so far, bytes.
std::uint64_t peak_rss_bytes();

}  // namespace weft::cli
