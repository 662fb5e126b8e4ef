// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Access rights of requests: requests about other ports, and the enhanced trust model. With
// sa_enhanced_trust_model, only requests that hosts need are allowed without sa_key, such as a
// query for a path between two given ends.
#pragma once

#include "sa/query.h"

namespace weft::sa {

/// Whether the requester may make requests for the port: the port is the requester, or shares a
/// partition with the requester.
bool may_act_for(const SaQuery& query, EndportId port);

/// Whether the enhanced trust model allows the request without sa_key.
bool is_allowed_untrusted(const SaQuery& query);

}  // namespace weft::sa
