// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The M_Keys of the fabric's SMAs, in one table: the SmpClient looks up the key of each SMP, so
// that stages need no keys. Sources are the files of earlier runs, PortInfo (where protection does
// not hide the key), and Sets of this manager.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/secret.h"
#include "sm/keys/key_files.h"
#include "sm/observed.h"

namespace weft {

/// True if the port answers requests without its key, and its PortInfo shows key 0: the port has no
/// key, or an unknown key.
inline bool hides_key(const PortInfo& info) {
  return info.mkey == Mkey(0) && info.mkey_protect == 1;
}
/// Text for messages about a port with a hidden key that refuses Sets: what the administrator can
/// do.
std::string unlock_advice(const PortInfo& info);

class KnownKeys {
 public:
  /// Maximum number of keys to try on a port that hides its key.
  static constexpr std::size_t kTriedMax = 4;

  /// Sets one key for all ports. This key is a candidate for each port, after the known key of the
  /// port.
  void configure(Mkey configured) {
    configured_ = configured;
    seed_ = {};
  }
  /// Sets one key for each port, derived from `seed`. Requests to a port never carry the key of
  /// another port. `before`: the key that all ports had; 0: none.
  void configure_per_port(Secret seed, Mkey before) {
    configured_ = before;
    seed_ = std::move(seed);
  }
  /// GUID of the manager's port; 0: unknown.
  void set_own_port(Guid own) { own_ = own; }
  /// Replaces the known keys by `keys`, from earlier runs. `others`: keys that a port may have
  /// instead of its key in `keys`. If there is one key for all ports, each port may have any key in
  /// `keys` and `others`.
  void recall(const KeyMemory& keys, NeighborMemory neighbors, const KeyMemory& others);

  /// False while all keys are 0.
  bool in_use() const { return configured_ != Mkey(0) || any_ || is_per_port(); }

  // During discovery
  void forget_paths();
  /// Candidate keys for the SMA at the other end of a cable, most likely first, without duplicates,
  /// at least one. `near` with GUID 0: the manager's own port.
  std::vector<Mkey> candidates(const CableEnd& near) const;
  /// Candidate keys for a port with known GUID; `answered_key` is the key of a request that it
  /// answered.
  std::vector<Mkey> candidates(Guid port, Mkey answered_key) const;
  /// The other end of the cable according to the neighbors file.
  std::optional<CableEnd> neighbor(const CableEnd& near) const;
  /// The end of a directed path.
  struct PathEnd {
    DirectedPath path;
    Guid port;
  };
  /// From now on, SMPs along these paths carry the keys of the ports at their ends, and SMPs along
  /// other paths carry no key that was bound before.
  void bind_paths(std::span<const PathEnd> ends);
  /// SMPs along this path carry this key from now on.
  void bind(const DirectedPath& path, Mkey key);
  /// To be called if the node at this path answered no request with these keys. The node may have
  /// been silent for another reason, so retries of an SMP use the keys in turn until one key is
  /// confirmed.
  void guess(const DirectedPath& path, std::vector<Mkey> keys);
  /// Stores the key of the port as read; only a manager can change it.
  void learn(Guid port, const DirectedPath& path, Mkey key);

  // During a change of keys: a Set may have taken effect although its answer was lost, so each
  // second try of a Set of PortInfo carries the next key.
  void announce(const DirectedPath& path, Mkey next) { changing_[path] = next; }
  void settle(const DirectedPath& path) { changing_.erase(path); }

  /// The key of a port; if unknown, the configured or derived key.
  Mkey of(Guid port) const;
  /// The key that was read from the port, set in the port, or read from a file; 0 if unknown.
  Mkey held_by(Guid port) const;
  /// The key for an SMP by directed route; an SMP by LID keeps its key. `tries` is the number of
  /// transmissions of the SMP, from 1.
  Mkey key_for(const Smp& request, unsigned tries) const;
  const KeyMemory& memory() const { return by_guid_; }

 private:
  struct PathHash {
    std::size_t operator()(const DirectedPath& path) const {
      return std::hash<std::string_view>{}(
          {reinterpret_cast<const char*>(path.hops.data()) + 1, path.count});
    }
  };
  using ByPath = std::unordered_map<DirectedPath, Mkey, PathHash>;
  bool is_per_port() const { return !seed_.empty(); }
  void add_known(std::vector<Mkey>& keys, Guid port) const;
  void add_others(std::vector<Mkey>& keys) const;

  Mkey configured_;
  Secret seed_;  // empty: one key for all ports
  Guid own_;
  bool any_ = false;  // at least one key is not 0
  KeyMemory by_guid_;
  KeyMemory others_;  // other possible keys, by port GUID
  NeighborMemory neighbors_;
  std::vector<Mkey> frequent_;  // from the files, most frequent first, without 0
  ByPath by_path_;
  std::unordered_map<DirectedPath, std::vector<Mkey>, PathHash> guesses_;
  ByPath changing_;
};

}  // namespace weft
