// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// ServiceRecords: services that clients register under a service id, with a lease. The key of a
// record is service id, GID and P_Key. Requesters see the records of their partitions and the
// records with P_Key 0.
// Source: InfiniBand Architecture Specification, volume 1, chapter 15.2.5.14.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "sa/query.h"

namespace weft::sa {

struct Attribute;

struct Service {
  ServiceRecord record;
  Gid registrant{};  // GID that set the service last
  TimeNs expires = TimeNs::max();
};

class Services {
 public:
  static constexpr std::size_t kMax = 65536;
  static constexpr std::uint32_t kForEver = 0xFFFFFFFF;  // value of a lease without end

  using Rid = std::tuple<std::uint64_t, Gid, std::uint16_t>;
  static Rid rid_of(const ServiceRecord& record) {
    return {record.id, record.gid, record.pkey.value()};
  }

  /// The service with this key; null if there is none.
  const Service* find(const Rid& rid) const;
  /// Adds a service, or replaces the service with the same id, GID and P_Key. Returns false if the
  /// service is new and the number of services is kMax, or if the registrant would have more than
  /// `of_one_max` services; 0: no limit.
  bool put(const Service& service, std::size_t of_one_max = 0);
  /// Number of services that a registrant set last.
  std::size_t count_of(const Gid& registrant) const;
  void remove(const Rid& rid);
  /// Drops services with an expired lease.
  void expire(TimeNs now);
  TimeNs next_expiry() const { return leases_.empty() ? TimeNs::max() : leases_.begin()->first; }
  std::size_t size() const { return by_number_.size(); }
  /// Number of services removed so far.
  std::uint64_t removed() const { return removed_; }

  /// Calls `take` for each service, newest first.
  template <class Take>
  void for_all(Take take) const {
    for_numbered([&](std::uint64_t, const Service& service) { take(service); });
  }
  /// Calls `take` for each service with its number, newest first by the time of the first Set.
  template <class Take>
  void for_numbered(Take take) const {
    // std::views::reverse does not compile with clang 14 and this standard library.
    std::for_each(by_number_.rbegin(), by_number_.rend(),
                  [&](const auto& record) { take(record.first, record.second); });
  }
  template <class Predicate>
  void remove_if(Predicate matches) {
    for (auto at = by_number_.begin(); at != by_number_.end();) {
      const auto next = std::next(at);
      if (matches(at->second)) remove(rid_of(at->second.record));
      at = next;
    }
  }

 private:
  void release(const Gid& registrant);

  std::map<Rid, std::uint64_t> numbers_;
  std::map<std::uint64_t, Service> by_number_;
  std::map<Gid, std::size_t> by_registrant_;           // number of services of each registrant
  std::set<std::pair<TimeNs, std::uint64_t>> leases_;  // services with limited leases
  std::uint64_t next_ = 0;
  std::uint64_t removed_ = 0;
};

/// The port with a LID that has the GUID of the record's GID, as its own GUID or as the GUID of a
/// virtual port; empty if there is none. The GID prefix is ignored. If several plane ports have the
/// GUID, `near` if it is one of them, else the first.
std::optional<EndportId> port_of_service(const SaView& view, const ServiceRecord& record,
                                         EndportId near = kNoEndport);
/// Whether the service can exist: its GID is a multicast GID, or port_of_service() finds a port.
bool is_served(const SaView& view, const ServiceRecord& record);

extern const Attribute kServiceRecordAttribute;

}  // namespace weft::sa
