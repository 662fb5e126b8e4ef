// InformInfo: who wants to hear of what. A subscription is a filter on notices and an address; a
// notice that passes it, about somebody whom the subscriber may know, is reported (reporter.h).
// Source: InfiniBand Architecture Specification, volume 1, chapters 13.4.8.3 and 13.4.9.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "sa/query.h"

namespace weft::sa {

struct State;

/// What is to be reported, and to whom it may be.
struct News {
  Notice notice;
  Gid issuer{};
  /// The partition that it is about: 66 and 67 are told to those who are members of the group's.
  std::optional<Pkey> pkey{};
  /// Else the ports that may know of it, as a view had it when it happened: those that share a
  /// partition with this port.
  EndportId about = kNoEndport;
};

struct Subscription {
  InformInfo info;  // its queue pair is the one that the request came from
  Gid subscriber{};
  GmpAddress address;    // as the request came
  bool trusted = false;  // may hear of broken keys
  unsigned unheard = 0;  // reports in a row that were not acknowledged
};

/// Whether the filter lets a notice pass; not whether the subscriber may know.
bool wants(const InformInfo& info, const Notice& notice, const Gid& issuer);
/// About keys that did not fit: for those who are trusted.
bool is_about_security(const Notice& notice);

class Subscriptions {
 public:
  using Id = std::uint64_t;
  static constexpr std::size_t kMax = 65536;
  static constexpr std::size_t kMaxOfOne = 1024;  // of one subscriber

  /// Subscribing again is the same subscription. False where there is no room.
  bool add(const Subscription& subscription);
  /// False where there is none like it.
  bool remove(const Gid& subscriber, const InformInfo& info);
  void remove(Id id) { all_.erase(id); }
  Subscription* find(Id id);
  std::size_t size() const { return all_.size(); }
  /// The oldest first.
  const std::map<Id, Subscription>& all() const { return all_; }
  template <class Doomed>
  void remove_if(Doomed doomed) {
    std::erase_if(all_, [&](const auto& entry) { return doomed(entry.second); });
  }

 private:
  std::optional<Id> id_of(const Gid& subscriber, const InformInfo& info) const;
  std::map<Id, Subscription> all_;
  Id next_ = 1;
};

std::uint16_t set_inform_info(State& state, const SaQuery& query, SaAnswer& answer);
std::uint16_t inform_info_records(State& state, const SaQuery& query, SaAnswer& answer);

}  // namespace weft::sa
