// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Settings of the C library's heap for programs that compute routes.
#pragma once

namespace weft {

/// Keeps freed memory for later requests instead of returning it to the system at once. Tables of
/// some hundred kilobytes are requested and freed many times in a run. A page that was returned
/// causes a page fault at the next request: 10 microseconds on a virtual machine, as much time as
/// routing the LIDs of the page. Call this function once, before other threads start.
void keep_freed_memory();

}  // namespace weft
