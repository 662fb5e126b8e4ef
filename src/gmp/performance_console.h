// What the console's `perfmgr` does, OpenSM's words: looks at the counters, changes settings until
// the configuration is read again, begins a reading.
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
    "   [enable|disable] -- begins and ends to read counters; perfmgr must be TRUE at the start\n"
    "   [sweep] -- reads them now\n"
    "   [sweep_time seconds] -- how often they are read\n"
    "   [clear_counters] -- what has been added up begins at 0\n"
    "   [dump_counters [mach]] -- writes event_db_dump_file, for people or for programs\n"
    "   [print_counters(pc) [<name|guid>][:<port>]] -- all that has been counted\n"
    "   [print_errors(pe) [<name|guid>][:<port>]] -- errors that are not 0\n"
    "   [set_rm_nodes|clear_rm_nodes] -- whether nodes that are gone are forgotten\n"
    "   [clear_inactive] -- forgets those that were kept\n"
    "   [set_query_cpi|clear_query_cpi] -- whether agents are asked what they can count\n"
    "   [dump_redir|clear_redir] -- agents that sent us elsewhere";

/// `words`: behind the command's name. On the manager's thread.
std::string answer_console(PerformanceManager& manager, std::span<const std::string> words);

}  // namespace weft
