// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// JSON of the overview: the manager, the fabric, the routes and the last sweep.
#pragma once

#include <string>

#include "service/http/data/json.h"
#include "service/sm_board.h"

namespace weft::http_data {

Json fabric(const SmBoard::Posted& posted, const std::string& version);
Json verdict(const Verdict& verdict);

}  // namespace weft::http_data
