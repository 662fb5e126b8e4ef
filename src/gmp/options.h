// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Options of the managers that use GMPs. Names and defaults are those of opensm.conf where it has
// the key.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/secret.h"
#include "gmp/gmp_client.h"
#include "ib/gmps/congestion.h"

namespace weft {

/// What the counter database keeps: all readings, then sums over minutes, then over hours.
struct ReadingRetention {
  std::chrono::hours retention{24 * 30};    // of everything
  std::chrono::seconds full{24 * 3600};     // of readings; then minutes
  std::chrono::seconds minutes{7 * 86400};  // of minutes; then hours
  std::uint64_t bytes_max = std::uint64_t{1} << 30;
};

struct PerformanceOptions {
  bool perfmgr = false;
  bool redir = true;                     // follow redirections
  std::chrono::seconds sweep_time{180};  // between two readings
  bool ignore_cas = false;               // read switches only
  bool rm_nodes = true;                  // drop nodes that left the fabric
  bool log_errors = true;
  bool query_cpi = true;  // query ClassPortInfo for a port's counters
  bool xmit_wait_log = false;
  std::uint64_t xmit_wait_threshold = 65535;  // ticks between two readings

  std::size_t agent_queries_max = 2;  // on the wire to one agent; 0: no limit
  GmpClientOptions client;  // perfmgr_max_outstanding_queries; time and retries of transactions

  std::string dump_file;      // event_db_dump_file; empty: none
  std::string database_file;  // empty: none
  ReadingRetention readings;  // of the database
};

/// {cc,vs,n2n}_key_enable
enum class KeyUse : std::uint8_t {
  kIgnore,   // no requests
  kDisable,  // end the protection, and set key 0
  kEnable
};

/// Keys of one management class.
struct ClassKeyOptions {
  KeyUse use = KeyUse::kIgnore;
  bool is_protected = true;           // the key is hidden, and MADs with another one are ignored
  std::uint16_t lease = 60;           // seconds until a protection ends; 0: never
  Secret seed;                        // key_mgr_seed
  std::chrono::seconds period{0};     // between two versions of the keys; 0: one version
  std::chrono::nanoseconds epoch{0};  // between the begin of version 0 and that of the clock
  std::string file;                   // of keys, for later runs; empty: none
  GmpClientOptions client;
  bool operator==(const ClassKeyOptions&) const = default;
};

struct CongestionOptions {
  bool congestion_control = false;
  std::uint64_t cc_key = 0;  // key of ports without a key of their own; not changed
  ClassKeyOptions keys;      // of each port
  SwitchCongestionSetting switches;
  CaCongestionSetting cas;
  std::vector<CctEntry> cct;

  GmpClientOptions client;  // cc_max_outstanding_mads; time and retries of transactions
  bool operator==(const CongestionOptions&) const = default;
};

}  // namespace weft
