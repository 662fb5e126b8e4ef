// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The stream of events of one client, as server-sent events.
#pragma once

#include <cstdint>
#include <memory>

#include "service/events/event_ring.h"
#include "service/http/http_message.h"

namespace weft::http {

/// A stream of the events with ids greater than `id`. If the ring does not have some of these
/// events any more, an event events_lost reports their number. Sends a comment every 15 s while
/// there are no events.
std::unique_ptr<HttpStream> event_stream_after(std::shared_ptr<const EventRing> ring,
                                               std::uint64_t id);

}  // namespace weft::http
