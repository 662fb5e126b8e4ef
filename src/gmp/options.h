// What an administrator may set on the managers that speak GMPs. Names and defaults are
// opensm.conf's where it has the key.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "gmp/gmp_client.h"

namespace weft {

struct PerformanceOptions {
  bool perfmgr = false;
  bool redir = true;                     // follow redirections
  std::chrono::seconds sweep_time{180};  // between two readings
  bool ignore_cas = false;               // read switches only
  bool rm_nodes = true;                  // forget nodes that are gone
  bool log_errors = true;
  bool query_cpi = true;  // ask what counters a port has
  bool xmit_wait_log = false;
  std::uint64_t xmit_wait_threshold = 65535;  // ticks between two readings

  GmpClientOptions client;  // perfmgr_max_outstanding_queries; time and retries of transactions

  std::string dump_file;                  // event_db_dump_file; empty: none
  std::string database_file;              // empty: none
  std::chrono::hours retention{24 * 30};  // how long the database keeps readings
};

}  // namespace weft
