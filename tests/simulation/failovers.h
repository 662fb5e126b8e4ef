// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Failovers with many registrations: two managers on an emulated fabric of 128 hosts, and clients
// that continuously change 1,000 groups, 5,000 subscriptions and 500 services. The master is killed
// (kill -9) repeatedly at random times. After each takeover the standby has all acknowledged
// registrations, and no client was requested to register again. If `returns`, the killed manager
// starts without its files, has the higher priority, and becomes master once it has the replicated
// state.
#pragma once

#include <cstdint>
#include <string>

namespace weft::simulation {

struct FailoverPlan {
  std::uint64_t seed = 1;
  unsigned kills = 200;
  std::string spec = "fattree3:k=8";
  unsigned groups = 1000, subscriptions = 5000, services = 500;
  bool holds_answers = true;  // false: answers do not wait for the standby
  bool returns = false;       // the master that was killed becomes master again
};

struct FailoverFigures {
  std::string failure;  // empty: none
  unsigned kills = 0;
  std::uint64_t compared = 0;   // registrations compared, sum over all takeovers
  std::uint64_t changes = 0;    // acknowledged changes of registrations
  std::uint64_t uncertain = 0;  // requests without an answer
  double seconds_max = 0;       // virtual time from a kill until the subnet is up
};

FailoverFigures run_failovers(const FailoverPlan& plan);

}  // namespace weft::simulation
