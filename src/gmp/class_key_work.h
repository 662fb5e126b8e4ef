// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Sets the keys of a management class: a separate key in each CA port and switch, in class 0x0C in
// each switch only; key 0 with KeyUse::kDisable. The key is derived from a secret seed, the GUID
// and the version of the key, which changes with time (rotation).
// ClassKeyWork generates the requests and handles their outcomes; the owner of the object sends the
// requests.
//   work.begin(snapshot, options, version, now);
//   while (work.next(request, ticket)) ...;   work.on_outcome(ticket, answer);
// Each port is queried for ClassPortInfo until one query is answered. It supports keys if the
// answer has good status and, in class 0x0A, announces keys; otherwise it gets no further requests
// of the class. A port that does not answer is queried again by the first round after a pause; if
// no port of the same kind of device has answered before, no port of this kind is queried during
// the pause. The MAD that sets a key must carry the current key of the port. That may be the key of
// the last round, of this version or of the previous version; these keys are tried one after
// another. A restarted port has no key, and accepts any key. In class 0x0C with KeyUse::kEnable, a
// switch then gets the LIDs and keys of the neighboring switches that have a key (NeighborsInfo),
// which it needs to send notifications to its neighbors.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gmp/devices/agent_round.h"
#include "gmp/gmp_client.h"
#include "gmp/options.h"
#include "ib/gmps/class_keys.h"
#include "sm/keys/key_files.h"
#include "sm/sweep_report.h"

namespace weft {

/// The key of a port for a class. Never 0.
std::uint64_t derive_class_key(const Secret& seed, KeyedClass keyed, Guid port,
                               std::uint64_t version);

class ClassKeyWork {
 public:
  explicit ClassKeyWork(KeyedClass keyed) : keyed_(keyed) {}

  /// Replaces the known keys by the keys of earlier runs; for each port they are tried first.
  void recall(const KeyMemory& keys) { known_keys_ = keys; }
  /// Begins a round over all CA ports and switches with a LID (in class 0x0C, over the switches
  /// only). There is no work if `snapshot` is null, or with KeyUse::kIgnore.
  void begin(std::shared_ptr<const Snapshot> snapshot, const ClassKeyOptions& options,
             std::uint64_t version, TimeNs now);
  /// Returns the next request and its ticket; false if no request is to be sent now.
  bool next(Gmp& request, std::uint64_t& ticket);
  /// Handles the outcome of the request with this ticket.
  void on_outcome(std::uint64_t ticket, const std::optional<Gmp>& answer);
  /// True if no request is outstanding or waiting.
  bool is_done() const { return round_.is_done(); }

  /// The key of a port, as confirmed or from an earlier run; 0: none.
  std::uint64_t key_of(Guid port) const;
  const KeyMemory& known_keys() const { return known_keys_; }

  struct Counts {
    std::uint64_t supported = 0;  // ports of this round that support keys
    std::uint64_t set = 0;        // keys set, with a confirmation by the answer
    std::uint64_t failed = 0;     // ports of which the key or a block of NeighborsInfo is not set
    std::uint64_t neighbors = 0;  // blocks of NeighborsInfo set
  };
  const Counts& counts() const { return counts_; }

 private:
  enum class Step : std::uint8_t { kQuery, kCheck, kSet, kNeighbors };
  struct Device {
    Guid port{};
    Step step{};
    std::uint64_t wanted = 0;
    std::vector<std::uint64_t> candidates{};  // possible keys of the port
    std::size_t tried = 0;                    // number of candidates tried
    bool has_key = false;                     // key confirmed in this round
    std::size_t block = 0;                    // block of NeighborsInfo
  };
  void begin_neighbors();
  std::vector<NeighborsBlock> neighbors_of(std::uint32_t index) const;
  NeighborsBlock wanted_block(std::uint32_t index) const;
  bool next_block(std::uint32_t index);
  void on_neighbors(std::uint32_t index, const std::optional<Gmp>& answer);
  void add(EndportId at, std::uint64_t version);
  void select_step(std::uint32_t index);
  void try_next(std::uint32_t index);
  void on_class_port_info(std::uint32_t index, const std::optional<Gmp>& answer);
  void on_key_info(std::uint32_t index, const std::optional<Gmp>& answer);
  std::string feature() const;
  void fail(std::uint32_t index, const std::string& why);
  ClassKeyInfo wanted_info(const Device& device) const;
  std::span<const std::byte, ClassKeyInfo::kSize> key_info_of(const Gmp& gmp) const;

  const KeyedClass keyed_;
  AgentRound round_;
  ClassKeyOptions options_;
  std::vector<Device> devices_;  // by index in round_, which is the ticket of a request
  KeyMemory known_keys_;
  std::map<Guid, bool> confirmed_;                         // confirmed by this process
  std::map<Guid, bool> supports_;                          // by port; only ports that answered
  std::map<Guid, std::vector<NeighborsBlock>> neighbors_;  // by port, as confirmed
  bool neighbors_begun_ = false;
  Counts counts_;
};

}  // namespace weft
