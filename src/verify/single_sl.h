// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Finds whether routes are deadlock-free if all unicast traffic uses one SL, for clients that
// ignore the SL of their path record.
#pragma once

#include <cstdint>
#include <span>

#include "fabric/fabric.h"
#include "routes/routes.h"
#include "verify/lid_tally.h"

namespace weft {

/// Whether packets of different SLs may use different private tables, and so different paths.
bool sls_select_tables(const Routes& routes);

/// SLs (bit mask) that are mapped to VLs that every link has, for SL2VL maps that are the same at
/// all ports.
std::uint16_t sls_on_links(const Routes& routes, const Common& common);

/// SLs (bit mask), each of which all unicast traffic may use without a credit loop or a discarded
/// packet. Multicast packets keep the SL of their group. `unicast` has the dependencies with the
/// SLs of path records; its `switches` includes those of `cas`. `multicast` has the dependencies of
/// the groups; null if there are no groups.
std::uint16_t safe_single_sls(const Fabric& fabric, const Routes& routes, const Common& common,
                              std::span<const MulticastGroup> groups, unsigned threads,
                              const Dependencies& unicast, const Dependencies* multicast);

}  // namespace weft
