// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Settings of the C library's heap for programs that compute routes.
#pragma once

namespace weft {

/// Keeps freed memory for later requests instead of returning it to the system at once: tables of
/// some hundred kilobytes are requested and freed many times in a run, and each page returned costs
/// a page fault when it is requested again (10 microseconds on a virtual machine, as much as
/// routing the page's LIDs). Call it once, before other threads start.
void keep_freed_memory();

}  // namespace weft
