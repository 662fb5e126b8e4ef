// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A client on a host with many registrations. The client registers and withdraws groups,
// subscriptions and services, one request at a time, and records what the SA has acknowledged.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "emulator/emulated_fabric.h"
#include "sa/state.h"

namespace weft::simulation {

class Registrar {
 public:
  enum class Kind : std::uint8_t { kGroup, kSubscription, kService };
  using Key = std::pair<Kind, std::uint32_t>;  // kind and number

  Registrar(EmulatedFabric& emulated, std::uint32_t host, std::uint64_t seed);
  ~Registrar();
  Registrar(const Registrar&) = delete;

  /// Queues a registration to be made.
  void add(Key key) { queue_.emplace_back(key, true); }
  /// Queues a change of a random registration: withdraws it if it is registered, or registers it.
  void change_one();
  /// Processes an answer, repeats a request that got none in time, and sends the next request.
  void step();
  bool is_idle() const { return queue_.empty() && !pending_; }

  /// Compares the acknowledged registrations with `state`. Returns a key that differs, and whether
  /// this key should be registered; empty if all keys are equal.
  std::optional<std::pair<Key, bool>> difference(const sa::State& state) const;
  std::size_t known_count() const { return acknowledged_.size(); }
  std::uint64_t answered() const { return answered_; }
  std::uint64_t unanswered() const { return unanswered_; }
  /// Number of refused requests, except repetitions of earlier requests.
  std::uint64_t refused() const { return refused_; }
  std::uint32_t reregistrations() const { return emulated_.reregistrations(port_); }
  std::uint32_t host() const { return host_; }

 private:
  struct PendingRequest {
    Key key;
    bool registers = false;
    bool repeats = false;
    std::uint64_t transaction = 0;
    TimeNs deadline{};
  };
  bool is_ready() const;
  void send_request(Key key, bool registers);
  bool is_held(const Key& key, const sa::State& state) const;

  EmulatedFabric& emulated_;
  const std::uint32_t host_;
  const PortId port_;
  const Gid gid_;
  Rng rng_;
  GmpTransport& wire_;
  std::vector<std::pair<Key, bool>> queue_;  // used from the end
  std::optional<PendingRequest> pending_;
  bool repeats_ = false;              // the next request repeats the previous one
  std::map<Key, bool> acknowledged_;  // false: acknowledged as not registered
  std::vector<Key> all_;
  std::uint64_t transaction_ = 0, answered_ = 0, unanswered_ = 0, refused_ = 0;
};

}  // namespace weft::simulation
