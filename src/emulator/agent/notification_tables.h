// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The FRN tables, on switches that report support for them. mad_status.h describes what a serve_
// function does.
#pragma once

#include "emulator/adaptive.h"
#include "emulator/agent/mad_status.h"

namespace weft::emulator {

/// Serves a request for one of the four tables, which grow as they are written; other attributes
/// are unsupported.
MadStatus serve_notification_table(AdaptiveModel& adaptive, Smp& smp);

}  // namespace weft::emulator
