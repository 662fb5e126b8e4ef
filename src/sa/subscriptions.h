// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// InformInfo: subscriptions to notices. A subscription has a filter and an address. A notice that
// matches the filter is forwarded if the subscriber has access to the port or the multicast group
// that the notice concerns (reporter.h).
// Source: InfiniBand Architecture Specification, volume 1, chapters 13.4.8.3 and 13.4.9.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "sa/query.h"

namespace weft::sa {

struct Attribute;

/// A notice to be forwarded, with the data that determine which subscribers may receive it.
struct PendingNotice {
  Notice notice;
  Gid issuer{};
  /// Partition of the group of notices 66 and 67, which are forwarded to members of that partition.
  std::optional<Pkey> pkey{};
  /// For other notices, the port that the notice concerns. The notice is forwarded to ports that
  /// share a partition with this port in the view at the time of the notice.
  EndportId about = kNoEndport;
};

struct Subscription {
  InformInfo info;  // the QPN is the queue pair that sent the request
  Gid subscriber{};
  GmpAddress address;           // source of the request
  bool trusted = false;         // may receive notices of key violations
  unsigned unacknowledged = 0;  // number of consecutive reports without acknowledgement
};

/// Whether the filter matches a notice; `issuer`: GID of the port that issued the notice. Does not
/// check access rights.
bool matches_filter(const InformInfo& info, const Notice& notice, const Gid& issuer);
/// Whether a notice is about a key violation; only trusted subscribers receive these notices.
bool is_about_security(const Notice& notice);

class Subscriptions {
 public:
  using Id = std::uint64_t;
  static constexpr std::size_t kMax = 65536;

  /// Adds a subscription; a repeated request replaces the existing subscription, which keeps its
  /// id. Returns false if the table is full or the subscriber has `of_one_max` subscriptions
  /// already (0: no limit).
  bool add(const Subscription& subscription, std::size_t of_one_max = 0);
  /// Removes the subscription. Returns false if there is no such subscription.
  bool remove(const Gid& subscriber, const InformInfo& info);
  void remove(Id id);
  Subscription* find(Id id);
  std::size_t size() const { return all_.size(); }
  /// Number of subscriptions removed so far.
  std::uint64_t removed() const { return removed_; }
  /// All subscriptions, oldest first.
  const std::map<Id, Subscription>& all() const { return all_; }
  template <class Predicate>
  void remove_if(Predicate matches) {
    for (auto at = all_.begin(); at != all_.end();) {
      const auto next = std::next(at);
      if (matches(at->second)) remove(at->first);
      at = next;
    }
  }

 private:
  std::optional<Id> id_of(const Gid& subscriber, const InformInfo& info) const;
  std::map<Id, Subscription> all_;
  std::map<Gid, std::set<Id>> by_subscriber_;
  Id next_ = 1;
  std::uint64_t removed_ = 0;
};

extern const Attribute kInformInfoAttribute;
extern const Attribute kInformInfoRecordAttribute;

}  // namespace weft::sa
