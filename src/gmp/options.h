// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Options of the managers that use GMPs. Options that are also in opensm.conf have the same
// defaults.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/secret.h"
#include "gmp/gmp_client.h"
#include "ib/gmps/congestion.h"
#include "policy/congestion_policy.h"

namespace weft {

/// Retention of the counter database: all readings, then sums over minutes, then sums over hours.
struct ReadingRetention {
  std::chrono::hours retention{24 * 30};    // age at which rows are deleted
  std::chrono::seconds full{24 * 3600};     // age at which readings are summed over minutes
  std::chrono::seconds minutes{7 * 86400};  // age at which minutes are summed over hours
  std::uint64_t bytes_max = std::uint64_t{1}
                            << 30;  // size of the file above which more rows are summed or deleted
};

struct PerformanceOptions {
  bool perfmgr = false;
  bool redir = true;                     // follow redirections
  std::chrono::seconds sweep_time{180};  // time between two readings
  bool ignore_cas = false;               // read switches only
  bool rm_nodes = true;                  // drop nodes that left the fabric
  bool log_errors = true;
  bool query_cpi = true;  // query ClassPortInfo for the capabilities of an agent
  bool xmit_wait_log = false;
  std::uint64_t xmit_wait_threshold = 65535;  // greater increases, in ticks, are logged

  std::size_t agent_queries_max = 2;  // requests on the wire to one agent; 0: no limit
  GmpClientOptions client;  // perfmgr_max_outstanding_queries; time and retries of transactions

  std::string dump_file;      // event_db_dump_file; empty: no file
  std::string database_file;  // empty: no database
  ReadingRetention readings;  // retention of the database
};

/// The values of cc_key_enable, vs_key_enable and n2n_key_enable.
enum class KeyUse : std::uint8_t {
  kIgnore,   // no requests
  kDisable,  // end the protection, and set key 0
  kEnable
};

/// Keys of one management class.
struct ClassKeyOptions {
  KeyUse use = KeyUse::kIgnore;
  bool is_protected = true;           // the key is hidden, and MADs with a wrong key are ignored
  std::uint16_t lease = 60;           // seconds from a MAD with a wrong key to the end of the
                                      // protection; 0: the protection does not end
  Secret seed;                        // key_mgr_seed
  std::chrono::seconds period{0};     // time between two versions of the keys; 0: one version only
  std::chrono::nanoseconds epoch{0};  // time from the start of version 0 to the zero of the clock
  std::string file;                   // stores keys for later runs; empty: no file
  GmpClientOptions client;
  bool operator==(const ClassKeyOptions&) const = default;
};

struct CongestionOptions {
  bool congestion_control = false;
  std::uint64_t cc_key = 0;  // key for ports without a key in `keys`; never set in ports
  ClassKeyOptions keys;      // a separate key for each port
  SwitchCongestionSetting switches;
  CaCongestionSetting cas;
  std::vector<CctEntry> cct;
  CongestionPolicy ppcc;  // programmable congestion control and DCQCN

  GmpClientOptions client;  // cc_max_outstanding_mads; time and retries of transactions
  bool operator==(const CongestionOptions&) const = default;
};

}  // namespace weft
