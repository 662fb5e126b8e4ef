// The M_Keys of the fabric's agents. One table for the whole manager: the SmpClient asks it for
// each SMP that it sends, so that no stage needs to know about keys. What is known comes from the
// files of earlier runs, from PortInfo, which shows the key to whoever may see it, and from what
// this manager set.
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "sm/key_files.h"
#include "sm/observed.h"

namespace weft {

/// The port answers to everybody and shows no key: it has none, or one that we do not know.
inline bool hides_key(const PortInfo& info) {
  return info.mkey == Mkey(0) && info.mkey_protect == 1;
}
/// What an administrator can do about such a port when it does not take what it is told.
std::string way_out(const PortInfo& info);

class KnownKeys {
 public:
  /// So many keys are tried on a port that does not say which is its own.
  static constexpr std::size_t kTriedMax = 4;

  /// The key that all ports shall have; tried first where nothing better is known.
  void configure(Mkey configured) { configured_ = configured; }
  /// What earlier runs knew. `others`: keys that some ports may have, nobody knows which.
  void recall(const KeyMemory& keys, NeighborMemory neighbors, const KeyMemory& others);

  /// False while all keys are 0: nobody needs to think about them.
  bool in_use() const { return configured_ != Mkey(0) || any_; }

  // While a fabric is discovered
  void forget_paths();
  /// Keys for the agent behind a cable, the likeliest first, each once, never none. A near end with
  /// GUID 0: behind the manager's own port.
  std::vector<Mkey> candidates(const CableEnd& near) const;
  /// The same for a port that has said who it is; `heard` is the key that it answered to.
  std::vector<Mkey> candidates(Guid port, Mkey heard) const;
  /// Who was at the other end of the cable, according to the file.
  std::optional<CableEnd> neighbor(const CableEnd& near) const;
  /// SMPs along the ways of this observation carry the keys of the ports that they lead to.
  void bind_ways(const Observed& observed);
  /// SMPs along this path carry this key from now on.
  void bind(const DirectedPath& path, Mkey key);
  /// Nobody along this path answered to any of these keys: until more is known, sendings of an SMP
  /// try one after the other. Who was silent may have been so for another reason than his key.
  void guess(const DirectedPath& path, std::vector<Mkey> keys);
  /// The port holds this key, and nobody but a manager can change it.
  void learn(Guid port, const DirectedPath& path, Mkey key);

  // While keys are changed: a Set whose answer was lost may have taken effect
  void announce(const DirectedPath& path, Mkey next) { changing_[path] = next; }
  void settle(const DirectedPath& path) { changing_.erase(path); }

  /// The key of a port, or the one that it shall have where nothing is known.
  Mkey of(Guid port) const;
  /// The key that an SMP needs; `tries` counts the sendings of it, from 1.
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
  void add_others(std::vector<Mkey>& keys) const;

  Mkey configured_;
  bool any_ = false;  // some key is not 0
  KeyMemory by_guid_;
  NeighborMemory neighbors_;
  std::vector<Mkey> frequent_;  // of the files, the most frequent first, without 0
  ByPath by_path_;
  std::unordered_map<DirectedPath, std::vector<Mkey>, PathHash> guesses_;
  ByPath changing_;
};

}  // namespace weft
