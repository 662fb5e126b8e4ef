// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Times of the connection of a standby to its master, and whether a standby that takes over has all
// registrations that the previous master confirmed.
#pragma once

#include <chrono>

#include "service/replication/replication.h"

namespace weft::replication {

// Times of the connection of a standby. A standby must detect a loss of the connection before the
// master counts the standby as lost (Replication::Options::silence). From then on, the master
// answers registrations that the standby does not have.
inline constexpr std::chrono::milliseconds kRequestWait{
    1000};  // time that a request waits for changes
inline constexpr std::chrono::milliseconds kAnswerTime{
    2500};  // after this time the master counts as unreachable
inline constexpr std::chrono::milliseconds kSearchPause{500};  // between searches for the master

/// Interval and maximum number of queries to the master on the fabric after the connection was
/// lost. The queries end when the master has answered.
inline constexpr std::chrono::milliseconds kQueryPause{200};
inline constexpr unsigned kQueries = 10;

/// The reason why registrations may be missing; empty if the copy has all answered registrations.
/// `alive_at`: time of the last request on the fabric that the master answered. If the master still
/// ran after the connection was lost, it may have answered registrations that the copy does not
/// have.
inline std::string reason_incomplete(const Replication::Copy& copy, Replication::Time alive_at) {
  if (!copy.is_complete) return "the copy was not complete";
  if (copy.lost && alive_at > *copy.lost) return "the connection broke before the master failed";
  return {};
}

}  // namespace weft::replication
