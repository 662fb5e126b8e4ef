// The options of `weft sm`: opensm(8)'s, and Weft's own.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/routing_arguments.h"
#include "sm/options.h"

namespace weft::cli {

struct SmArguments {
  RoutingArguments routing;
  VerifyMode verify = VerifyMode::kEnforce;
  std::string guid;  // -g, hex
  unsigned priority = 0;
  std::string subnet_prefix;  // hex
  std::string sm_key;         // hex
  unsigned sm_sl = 0;
  bool reassign_lids = false;
  bool once = false;
  unsigned sweep_s = 10;
  unsigned timeout_ms = 200;
  unsigned retries = 3;
  unsigned max_smps = 64;
  std::string dump_files_dir;
  std::string log_file;
  bool erase_log = false;
  std::optional<std::string> log_flags;  // -D
  unsigned verbose = 0;                  // -v, counted
  bool verbose_max = false;              // -V
  std::string emulate;
  std::string format;  // of the emulated fabric's file
  bool json = false;
  bool ucast_cache = false;
  bool rebalance = false;
};

/// Declares the options; those of opensm that are not built yet are known and refused by name.
void add_sm_options(CLI::App& app, SmArguments& arguments);

/// The manager's options; warnings are about lines of option files. OSM_CACHE_DIR decides the cache
/// folder.
Result<SmOptions> sm_options(const SmArguments& arguments, std::vector<std::string>& warnings);

/// The log flags in force (opensm's bits): -D, each -v one bit more, -V all.
Result<unsigned> log_flags(const SmArguments& arguments);

/// Where dumps go: --dump_files_dir, else OSM_TMP_DIR, else, when -D asks for routing dumps,
/// /var/log. Empty: nowhere.
std::string dump_directory(const SmArguments& arguments, unsigned flags);

}  // namespace weft::cli
