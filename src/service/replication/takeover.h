// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Whether a standby that takes over has all registrations that the previous master confirmed.
#pragma once

#include <chrono>

#include "service/replication/replication.h"

namespace weft::replication {

// Times of a standby's connection. A standby detects that the master does not answer before that
// master counts the standby as lost and answers registrations that the standby lacks
// (Replication::Options::silence).
inline constexpr std::chrono::milliseconds kRequestWait{
    1000};  // time that a request waits for changes
inline constexpr std::chrono::milliseconds kAnswerTime{
    2500};  // after this time the master counts as unreachable
inline constexpr std::chrono::milliseconds kSearchPause{500};  // between searches for the master

/// Interval and number of the queries to the master on the fabric after the connection was lost;
/// they end once it has answered.
inline constexpr std::chrono::milliseconds kQueryPause{200};
inline constexpr unsigned kQueries = 10;

/// The reason why registrations may be missing; empty: the copy has all registrations that were
/// answered. `alive_at`: when the last request on the fabric was sent that the master answered. A
/// master that still runs after the connection broke may have answered registrations that the copy
/// lacks.
inline std::string reason_incomplete(const Replication::Copy& copy, Replication::Time alive_at) {
  if (!copy.is_complete) return "the copy was not complete";
  if (copy.lost && alive_at > *copy.lost) return "the connection broke before the master failed";
  return {};
}

}  // namespace weft::replication
