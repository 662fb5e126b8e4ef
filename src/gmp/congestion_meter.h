// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Statistics of congestion control, for metrics. Written by the thread of the congestion manager.
#pragma once

#include <atomic>
#include <cstdint>

namespace weft {

struct CongestionMeter {
  // Settings of annex A10: MADs without repetitions, and their results.
  std::atomic<std::uint64_t> sent{0};
  std::atomic<std::uint64_t> answered{0};  // answered with good status
  std::atomic<std::uint64_t> refused{0};   // answered with another status
  std::atomic<std::uint64_t> silent{0};    // not answered

  // Programmable congestion control: the state after the last completed round.
  std::atomic<std::uint64_t> programmable_ports{0};     // ports that announce the feature
  std::atomic<std::uint64_t> algorithms_enabled{0};     // pairs of port and algorithm
  std::atomic<std::uint64_t> programmable_failures{0};  // ports with an error
  // All rounds: confirmed Sets of the configuration or the parameters of a slot.
  std::atomic<std::uint64_t> programmable_changes{0};

  // DCQCN, as above: CA ports and switches that announce it and that the policy configures.
  std::atomic<std::uint64_t> dcqcn_devices{0};
  std::atomic<std::uint64_t> dcqcn_configured{0};  // configured as in the policy
  std::atomic<std::uint64_t> dcqcn_failures{0};
  std::atomic<std::uint64_t> dcqcn_changes{0};  // confirmed Sets
};

}  // namespace weft
