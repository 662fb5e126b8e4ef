// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The console command `perfmgr`, with OpenSM's words: shows, writes and clears counters, shows and
// clears redirections, changes settings until the configuration is read again, begins a reading.
#pragma once

#include <span>
#include <string>

#include "gmp/performance_manager.h"

namespace weft {

inline constexpr const char* kPerformanceUsage =
    "perfmgr(pm) [enable|disable\n"
    "             |clear_counters|dump_counters|print_counters(pc)|print_errors(pe)\n"
    "             |set_rm_nodes|clear_rm_nodes|clear_inactive\n"
    "             |set_query_cpi|clear_query_cpi\n"
    "             |dump_redir|clear_redir\n"
    "             |sweep|sweep_time[seconds]]";
inline constexpr const char* kPerformanceHelp =
    "shows the state of the performance manager\n"
    "   [enable|disable] -- starts or stops reading counters; perfmgr must be TRUE at the start\n"
    "   [sweep] -- reads the counters now\n"
    "   [sweep_time seconds] -- sets the time between two readings\n"
    "   [clear_counters] -- sets the totals to 0\n"
    "   [dump_counters [mach]] -- writes event_db_dump_file, for people or for programs\n"
    "   [print_counters(pc) [<name|guid>][:<port>]] -- shows all totals\n"
    "   [print_errors(pe) [<name|guid>][:<port>]] -- shows error totals that are not 0\n"
    "   [set_rm_nodes|clear_rm_nodes] -- drops or keeps nodes that left the fabric\n"
    "   [clear_inactive] -- drops the kept nodes\n"
    "   [set_query_cpi|clear_query_cpi] -- queries ClassPortInfo of agents or not\n"
    "   [dump_redir|clear_redir] -- shows or clears the redirections of agents";

/// Executes the command and returns its output. `words`: arguments of the command. Must be called
/// on the manager's thread.
std::string answer_console(PerformanceManager& manager, std::span<const std::string> words);

}  // namespace weft
