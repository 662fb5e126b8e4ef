// What the subnet administration holds beyond a sweep: what clients have told it. Handlers change
// it.
#pragma once

#include <cstdint>
#include <vector>

#include "sa/aliases.h"
#include "sa/multicast_groups.h"
#include "sa/service_records.h"
#include "sa/subscriptions.h"

namespace weft::sa {

struct State {
  /// Of all requests, for reports and metrics.
  struct Counts {
    std::uint64_t requests = 0;
    std::uint64_t answered = 0;  // with a good status
    std::uint64_t refused = 0;   // with another
    std::uint64_t ignored = 0;  // no answer: a foreign SM_Key, nobody known, nothing to answer with
    std::uint64_t malformed = 0;    // not of the class, or not a request
    std::uint64_t overrun = 0;      // answers for which there was no room
    std::uint64_t crowded_out = 0;  // requests of ports that had their share of what waits
  };
  Counts counts;
  McGroups groups;
  Aliases aliases;
  Services services;
  Subscriptions subscriptions;
  /// What has happened since it was last reported; handlers add to it.
  std::vector<News> news;
};

}  // namespace weft::sa
