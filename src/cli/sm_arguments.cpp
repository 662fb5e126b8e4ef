#include "cli/sm_arguments.h"

#include <array>
#include <cstdlib>

#include "base/text.h"

namespace weft::cli {
namespace {

constexpr unsigned kLogErrorInfo = 0x03;
constexpr unsigned kLogRouting = 0x40;
constexpr const char* kDefaultDirectory = "/var/log";

/// Options of opensm(8) that later issues build. Known, so that the answer is plain, and refused,
/// so that nobody believes them to be in force.
constexpr std::array kNotBuilt{"-F,--config",
                               "-c,--create-config",
                               "-S,--sadb_file",
                               "--console",
                               "--console-port",
                               "-x,--honor_guid2lid",
                               "-L,--log_limit",
                               "-P,--Pconfig",
                               "--prefix_routes_file",
                               "-Q,--qos",
                               "-Y,--qos_policy_file",
                               "--congestion_control",
                               "--cc_key",
                               "-N,--no_part_enforce",
                               "-Z,--part_enforce",
                               "-W,--allow_both_pkeys",
                               "-y,--stay_on_fatal",
                               "-B,--daemon",
                               "-J,--pidfile",
                               "-I,--inactive",
                               "--perfmgr",
                               "--perfmgr_sweep_time_s",
                               "--consolidate_ipv6_snm_req",
                               "--log_prefix",
                               "-d,--debug",
                               "--http"};

void refuse_not_built(CLI::App& app) {
  for (const char* name : kNotBuilt) {
    app.add_option(name, "Not built yet: refused")
        ->group("opensm's options that are not built yet")
        ->expected(0, 1)
        ->each([name](const std::string&) {
          throw CLI::ValidationError(name, "this option of opensm is not built yet");
        });
  }
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

Result<std::uint64_t> hex_value(const std::string& text, const char* option) {
  const auto value = parse_number<std::uint64_t>(text, 16);
  if (!value) return fail(Code::kUsage, "{}: found '{}', want a number in hex", option, text);
  return *value;
}

}  // namespace

void add_sm_options(CLI::App& app, SmArguments& arguments) {
  add_routing(app, arguments.routing);
  add_verify_mode(app, arguments.verify);
  app.add_option("-g,--guid", arguments.guid,
                 "GUID of the local port to manage from (hex); 0 lists the ports");
  app.add_option("-p,--priority", arguments.priority, "Priority among subnet managers")
      ->check(CLI::Range(0, 15));
  app.add_option("--subnet_prefix", arguments.subnet_prefix, "Subnet prefix (hex)");
  app.add_option("--smkey", arguments.sm_key, "SM_Key (hex)");
  app.add_option("--sm_sl", arguments.sm_sl, "SL of packets to the subnet manager")
      ->check(CLI::Range(0, 15));
  app.add_flag("-A,--ucast_cache", arguments.ucast_cache,
               "Remember the routes of earlier sweeps for fabrics that come back");
  app.add_flag("--rebalance", arguments.rebalance,
               "Choose all routes anew on a change, rather than only those that must change");
  app.add_flag("-r,--reassign_lids", arguments.reassign_lids, "Give LIDs anew, whatever they were");
  app.add_flag("-o,--once", arguments.once, "Bring the subnet up once, then exit");
  app.add_option("-s,--sweep", arguments.sweep_s, "Seconds between sweeps, 0 for none")
      ->check(CLI::Range(0, 1'000'000));
  app.add_option("-t,--timeout", arguments.timeout_ms, "Milliseconds to wait for an answer")
      ->check(CLI::Range(1, 1'000'000));
  app.add_option("--retries", arguments.retries, "Tries again after a timeout")
      ->check(CLI::Range(0, 1000));
  app.add_option("--maxsmps", arguments.max_smps, "SMPs on the wire at a time, 0 for no limit")
      ->check(CLI::Range(0, 1'000'000));
  app.add_option("--dump_files_dir", arguments.dump_files_dir, "Folder for the dumps");
  app.add_option("-f,--log_file", arguments.log_file, "Log file, or stdout");
  app.add_flag("-e,--erase_log_file", arguments.erase_log, "Start the log file anew");
  app.add_option("-D", arguments.log_flags,
                 "Log flags: 1 error, 2 info, 4 verbose, 8 debug, 0x40 routing dumps");
  app.add_flag("-v,--verbose", arguments.verbose, "Log more; may be given several times");
  app.add_flag("-V", arguments.verbose_max, "Log everything");
  app.add_option("--emulate", arguments.emulate,
                 "Run on an emulated fabric: a file or a generator's spec");
  app.add_option("--format", arguments.format,
                 "Format of that file, where its content does not tell");
  app.add_flag("--json", arguments.json, "With --once: report as one JSON object");
  refuse_not_built(app);
}

Result<SmOptions> sm_options(const SmArguments& arguments, std::vector<std::string>& warnings) {
  SmOptions options;
  options.lmc = static_cast<std::uint8_t>(arguments.routing.lmc);
  options.reassign_lids = arguments.reassign_lids;
  options.sm_priority = static_cast<std::uint8_t>(arguments.priority);
  options.sm_sl = static_cast<std::uint8_t>(arguments.sm_sl);
  options.sweep_interval = std::chrono::seconds(arguments.sweep_s);
  options.transaction_timeout = std::chrono::milliseconds(arguments.timeout_ms);
  options.transaction_retries = arguments.retries;
  options.max_wire_smps = arguments.max_smps;
  options.verify = arguments.verify;
  options.ucast_cache = arguments.ucast_cache;
  options.rebalance = arguments.rebalance;
  if (!arguments.subnet_prefix.empty()) {
    const auto prefix = hex_value(arguments.subnet_prefix, "--subnet_prefix");
    if (!prefix) return forward(prefix);
    options.subnet_prefix = *prefix;
  }
  if (!arguments.sm_key.empty()) {
    const auto key = hex_value(arguments.sm_key, "--smkey");
    if (!key) return forward(key);
    options.sm_key = *key;
  }
  auto choice = engine_choice(arguments.routing);
  if (!choice) return forward(choice);
  options.routing_engine = std::move(*choice);
  auto inputs = routing_inputs(arguments.routing, warnings);
  if (!inputs) return forward(inputs);
  options.routing = std::move(*inputs);
  if (const std::string cache = environment("OSM_CACHE_DIR"); !cache.empty()) {
    options.cache_dir = cache;
  } else if (!arguments.emulate.empty()) {
    options.cache_dir.clear();  // LIDs of an emulated fabric are nobody else's business
  }
  return options;
}

Result<unsigned> log_flags(const SmArguments& arguments) {
  unsigned flags = kLogErrorInfo;
  if (arguments.log_flags) {
    const auto given = parse_c_number<unsigned>(*arguments.log_flags);
    if (!given || *given > 0xFF)
      return fail(Code::kUsage, "-D: found '{}', want 0 to 0xFF", *arguments.log_flags);
    flags = *given;
  }
  for (unsigned i = 0; i < arguments.verbose; ++i) flags = (flags << 1 | 1) & 0xFF;
  return arguments.verbose_max ? 0xFF : flags;
}

std::string dump_directory(const SmArguments& arguments, unsigned flags) {
  if (!arguments.dump_files_dir.empty()) return arguments.dump_files_dir;
  if (const std::string folder = environment("OSM_TMP_DIR"); !folder.empty()) return folder;
  return (flags & kLogRouting) != 0 ? kDefaultDirectory : "";
}

}  // namespace weft::cli
