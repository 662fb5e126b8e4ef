// What an administrator may set on the managers that speak GMPs. Names and defaults are
// opensm.conf's where it has the key.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "gmp/gmp_client.h"
#include "ib/congestion.h"

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

struct CongestionOptions {
  bool congestion_control = false;
  std::uint64_t cc_key = 0;  // that the ports hold already; it is not set
  SwitchCongestionSetting switches;
  CaCongestionSetting cas;
  std::vector<CctEntry> cct;

  GmpClientOptions client;  // cc_max_outstanding_mads; time and retries of transactions
  bool operator==(const CongestionOptions&) const = default;
};

}  // namespace weft
