// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Options of `weft sm`: those of opensm(8) and Weft's own.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/routes/routing_arguments.h"
#include "emulator/options.h"
#include "service/config/settings.h"
#include "service/log.h"

namespace weft::cli {

struct SmArguments {
  Assignments assignments;
  std::string config;         // -F
  std::string create_config;  // -c
  bool once = false;
  unsigned verbose = 0;      // -v, counted
  bool verbose_max = false;  // -V
  std::string emulate;
  std::string emulated_folder;  // files of the emulated manager; empty: none are stored
  AdaptiveSwitches emulate_adaptive = AdaptiveSwitches::kRefused;
  bool emulate_notifications = false;
  unsigned emulate_vports = 0;  // virtual ports of each CA port
  DeviceList emulate_devices;
  VirtualCas emulate_vport_support = VirtualCas::kAnswered;
  PlanarSupport emulate_planes = PlanarSupport::kAll;
  bool emulate_shared_port_guids = false;
  PortStateTables emulate_port_states = PortStateTables::kNone;
  FeatureDevices emulate_sharp = FeatureDevices::kNone;
  FeatureDevices emulate_recovery = FeatureDevices::kNone;
  FeatureDevices emulate_class_keys = FeatureDevices::kNone;
  FeatureDevices emulate_ppcc = FeatureDevices::kNone;
  FeatureDevices emulate_dcqcn = FeatureDevices::kNone;
  FeatureDevices emulate_private_lfts = FeatureDevices::kNone;
  bool emulate_vport_lids = false;    // each virtual port requires a LID of its own
  double emulate_vport_interval = 1;  // seconds between changes; 0: none
  std::string format;                 // format of the --emulate file
  bool json = false;
};

/// Declares the options.
void add_sm_options(CLI::App& app, SmArguments& arguments);

/// Reads the configuration file (-F, else the default file if it exists and the fabric is real) and
/// applies the command line. For an emulated fabric the defaults name no files of the machine,
/// except with -c, which writes the configuration of a manager of the machine. For a real fabric,
/// the folders of a service (systemd's LOGS_DIRECTORY and STATE_DIRECTORY) replace the default
/// folders. Fails if the configuration is invalid, or as check_only_owner_writes() and
/// check_trusted_files().
Result<Settings> settings_of(const SmArguments& arguments, std::vector<std::string>& warnings);

/// The effective log flags (OpenSM's bits): log_flags, shifted left by one for each -v with bit 0
/// set; all 8 bits with -V.
unsigned log_flags(const SmArguments& arguments, const Settings& settings);

/// The log destination; appends to an existing file. An emulated fabric does not use the default
/// file unless the command line names it.
LogDestination log_place(const SmArguments& arguments, unsigned flags);

/// The file for the process id. A file named in a configuration file may belong to the manager of
/// the machine, so an emulated manager uses a file only if the command line names it.
std::string pid_file(const SmArguments& arguments, const Settings& settings);

/// The folder for persistent files: cache_files_dir, else OSM_CACHE_DIR, else /var/cache/opensm.
/// For an emulated fabric: OSM_CACHE_DIR, else empty, so that its LIDs are never stored in the
/// cache of the machine.
std::string cache_directory(const SmArguments& arguments, const Settings& settings);

struct DumpPlace {
  std::string folder;          // empty: no dumps
  bool everything = false;     // all dumps; false: opensm-subnet.lst only
  bool is_explicit = false;    // the folder is configured, or the routing log flag is set
  bool after_sweeps = true;    // false: only dumps of the console and sa_db_dump
  bool from_variable = false;  // from OSM_TMP_DIR: never created
};

/// The dump folder: dump_files_dir if set, else OSM_TMP_DIR, each with all dumps; else, as in
/// OpenSM, LOGS_DIRECTORY or /var/log with opensm-subnet.lst only, or with all dumps if the routing
/// log flag is set.
/// An emulated manager uses its own folder instead of OSM_TMP_DIR and /var/log, and writes dumps
/// after sweeps only if that flag is set.
DumpPlace dump_place(const SmArguments& arguments, const Settings& settings, unsigned flags);

/// Fails if the folder is from OSM_TMP_DIR and does not exist.
Status check_folder(const DumpPlace& place);

}  // namespace weft::cli
