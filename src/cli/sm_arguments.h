// The options of `weft sm`: opensm(8)'s, and Weft's own.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/routing_arguments.h"
#include "emulator/options.h"
#include "service/log.h"
#include "service/settings.h"

namespace weft::cli {

struct SmArguments {
  Assignments assignments;
  std::string config;         // -F
  std::string create_config;  // -c
  bool once = false;
  std::string pid_file;      // -J
  unsigned verbose = 0;      // -v, counted
  bool verbose_max = false;  // -V
  std::string emulate;
  std::string emulated_folder;  // of the emulated manager's files; empty: it keeps none
  AdaptiveSwitches emulate_adaptive = AdaptiveSwitches::kRefused;
  bool emulate_notifications = false;
  std::string format;  // of the emulated fabric's file
  bool json = false;
};

/// Declares the options.
void add_sm_options(CLI::App& app, SmArguments& arguments);

/// The configuration file (-F, else the default one where there is one and the fabric is real) and
/// the command line over it. Of an emulated fabric's manager no file of the machine is named by
/// default, except by -c, which writes what a manager of the machine would use.
Result<Settings> settings_of(const SmArguments& arguments, std::vector<std::string>& warnings);

/// The log flags in force (opensm's bits): log_flags, each -v one bit more, -V all.
unsigned log_flags(const SmArguments& arguments, const Settings& settings);

/// Where to log with these flags, behind what is there. The default file is not for emulated
/// fabrics, unless the command line names it.
LogPlace log_place(const SmArguments& arguments, unsigned flags);

/// The folder of what is kept from run to run: OSM_CACHE_DIR, else /var/cache/opensm. Empty for an
/// emulated fabric where it is not set: its LIDs are nobody else's business.
std::string cache_directory(const SmArguments& arguments);

struct DumpPlace {
  std::string folder;          // empty: nowhere
  bool everything = false;     // rather than opensm-subnet.lst alone
  bool asked_for = false;      // the folder is named, or the log flag for routing is set
  bool after_sweeps = true;    // false: only what the console or sa_db_dump writes
  bool from_variable = false;  // named by OSM_TMP_DIR: not created
};

/// Where dumps go: to dump_files_dir where it was set, else to OSM_TMP_DIR, all of them. Else, as
/// OpenSM does, to /var/log: opensm-subnet.lst, and with the log flag for routing the others too.
/// An emulated manager does not use OSM_TMP_DIR and /var/log, but its own folder, with that flag
/// only.
DumpPlace dump_place(const SmArguments& arguments, const Settings& settings, unsigned flags);

/// Fails where OSM_TMP_DIR names the folder and it is not there: it is not created.
Status check_folder(const DumpPlace& place);

}  // namespace weft::cli
