// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The configuration of replication: the managers from which a standby copies the state.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace weft {

/// Parses URLs separated by commas. Fails with kBadInput if there are more than 16 URLs, or if a
/// URL is neither https://HOST[:PORT] nor http:// with an address of this machine: the state
/// contains secret keys.
Result<std::vector<std::string>> parse_replication_peers(std::string_view text);

}  // namespace weft
