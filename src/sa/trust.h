// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Requests for other ports, and the enhanced trust model: with sa_enhanced_trust_model, requests
// without sa_key are limited to those that hosts need for themselves.
#pragma once

#include "sa/query.h"

namespace weft::sa {

/// Whether the requester may make requests for the port: its own, or one with which it shares a
/// partition.
bool may_act_for(const SaQuery& query, EndportId port);

/// Whether the enhanced trust model allows the request without sa_key.
bool is_allowed_untrusted(const SaQuery& query);

}  // namespace weft::sa
