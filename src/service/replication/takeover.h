// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Whether a standby that takes over has all that the previous master answered.
#pragma once

#include <chrono>

#include "service/replication/replication.h"

namespace weft::replication {

// Times of a standby's connection. It notices a silent master before the master counts it as
// silent, and from then on answers registrations that it lacks (Replication::Options::silence).
inline constexpr std::chrono::milliseconds kRequestWait{1000};  // of a request without changes
inline constexpr std::chrono::milliseconds kAnswerTime{2500};   // then the master is unreachable
inline constexpr std::chrono::milliseconds kSearchPause{500};   // between searches for the master

/// Once the connection is lost the master is queried on the fabric, as long as it is not known to
/// be alive, and so often.
inline constexpr std::chrono::milliseconds kQueryPause{200};
inline constexpr unsigned kQueries = 10;

/// Why registrations may be missing; empty: the copy has all that were answered. `alive_at`: the
/// master answered a request on the fabric that was sent then. A master that is alive after the
/// connection broke may have answered registrations that the copy lacks.
inline std::string reason_incomplete(const Replication::Copy& copy, Replication::Time alive_at) {
  if (!copy.is_complete) return "the copy was not complete";
  if (copy.lost && alive_at > *copy.lost) return "the connection broke before the master failed";
  return {};
}

}  // namespace weft::replication
