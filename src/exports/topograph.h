// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The text of ibnetdiscover in the form that the InfiniBand providers of topograph read. The
// description of each adapter is the name of the host and one more word; the description of each
// switch is one word.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "exports/names.h"

namespace weft {

/// Returns the text with the switches and with the adapters of the hosts. Fails with kBadInput if
/// there are neither switches nor hosts.
Result<std::string> topograph_text(const Fabric& fabric, const std::vector<Host>& hosts,
                                   const std::vector<std::string>& switch_names);

}  // namespace weft
