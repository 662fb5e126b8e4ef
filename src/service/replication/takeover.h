// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Whether a standby that takes over has all that the previous master answered.
#pragma once

#include <chrono>

#include "service/replication/replication.h"

namespace weft::replication {

/// A master that was alive so long after the connection broke may have answered registrations that
/// the copy lacks.
inline constexpr auto kAliveMargin = std::chrono::seconds(1);

/// Why registrations may be missing; empty: the copy has all that were answered. `alive_at`: last
/// sign of life of the master on the fabric.
inline std::string reason_incomplete(const Replication::Copy& copy, Replication::Time alive_at) {
  if (!copy.is_complete) return "the copy was not complete";
  if (copy.lost && alive_at > *copy.lost + kAliveMargin)
    return "the connection broke before the master failed";
  return {};
}

}  // namespace weft::replication
