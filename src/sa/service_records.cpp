// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sa/service_records.h"

#include <algorithm>

#include "sa/attribute.h"
#include "sa/state.h"

namespace weft::sa {
namespace {

constexpr Component kServiceRecordComponents[]{
    {0, 0, 64},     {1, 64, 128},   {2, 192, 16},   {3, 208, 16},   {4, 224, 32},   {5, 256, 128},
    {6, 384, 512},  {7, 896, 8},    {8, 904, 8},    {9, 912, 8},    {10, 920, 8},   {11, 928, 8},
    {12, 936, 8},   {13, 944, 8},   {14, 952, 8},   {15, 960, 8},   {16, 968, 8},   {17, 976, 8},
    {18, 984, 8},   {19, 992, 8},   {20, 1000, 8},  {21, 1008, 8},  {22, 1016, 8},  {23, 1024, 16},
    {24, 1040, 16}, {25, 1056, 16}, {26, 1072, 16}, {27, 1088, 16}, {28, 1104, 16}, {29, 1120, 16},
    {30, 1136, 16}, {31, 1152, 32}, {32, 1184, 32}, {33, 1216, 32}, {34, 1248, 32}, {35, 1280, 64},
    {36, 1344, 64}};

namespace service_bit {
enum ServiceBit : unsigned { kPkeyBit = 2, kLeaseBit = 4, kKeyBit = 5 };
}  // namespace service_bit
constexpr std::uint64_t kNeededMask = 0x3;  // id and GID
constexpr Pkey kPkeyIfUnspecified{0xFFFF};

/// Whether the requester may register a service at the GID: a multicast group, or a port that
/// shares a partition with the requester. If the P_Key of the record is not 0, requester and port
/// must be members of its partition. As in OpenSM, the GID prefix is ignored, because some clients
/// send it with its bytes swapped.
bool may_offer_at(const SaQuery& query, const ServiceRecord& record) {
  const bool of_partition = (record.pkey.value() & kPkeyBaseMask) != 0;
  if (of_partition && !query.view.is_member(query.requester, record.pkey)) return false;
  if (is_multicast(record.gid)) return true;
  const auto holder = port_of_service(query.view, record, query.requester);
  return holder && query.view.share_partition(query.requester, *holder) &&
         (!of_partition || query.view.is_member(*holder, record.pkey));
}

/// Whether the requester shares the partition of the record. A record with P_Key 0 is visible to
/// all ports.
bool may_see_service(const SaQuery& query, const ServiceRecord& record) {
  if ((record.pkey.value() & kPkeyBaseMask) == 0) return true;
  return std::ranges::any_of(query.view.pkeys(query.requester),
                             [&](Pkey held) { return match_pkeys(held, record.pkey); });
}

/// A record with a ServiceKey can be changed only by its registrant, by trusted requests, and by
/// requests with this key.
bool may_change_service(const SaQuery& query, const Service& service, const ServiceRecord& wanted) {
  return query.request.trusted || service.record.key == std::array<std::byte, 16>{} ||
         service.registrant == query.view.gid(query.requester) || service.record.key == wanted.key;
}

void add_service(const SaQuery& query, ServiceRecord record, SaAnswer& answer) {
  if (!query.request.trusted) record.key = {};
  answer.add(encode(record));
}

}  // namespace

std::optional<EndportId> port_of_service(const SaView& view, const ServiceRecord& record,
                                         EndportId near) {
  const auto found = view.fabric().find_endport(guid_of(record.gid));
  const auto local = [&] { return make_gid(view.options().subnet_prefix, guid_of(record.gid)); };
  if (found && near != kNoEndport && view.find(local(), near) == near) return near;
  if (!found && view.snapshot().vports.owners().contains(guid_of(record.gid)))
    return view.find(local());
  if (!found || view.fabric().endport(*found).lid == kLidNone) return std::nullopt;
  return found;
}

bool is_served(const SaView& view, const ServiceRecord& record) {
  return is_multicast(record.gid) || port_of_service(view, record);
}

const Service* Services::find(const Rid& rid) const {
  const auto at = numbers_.find(rid);
  return at == numbers_.end() ? nullptr : &by_number_.at(at->second);
}

std::size_t Services::count_of(const Gid& registrant) const {
  const auto held = by_registrant_.find(registrant);
  return held == by_registrant_.end() ? 0 : held->second;
}

void Services::release(const Gid& registrant) {
  const auto held = by_registrant_.find(registrant);
  if (--held->second == 0) by_registrant_.erase(held);
}

bool Services::put(const Service& service, std::size_t of_one_max) {
  const Rid rid = rid_of(service.record);
  auto at = numbers_.find(rid);
  const bool is_new = at == numbers_.end();
  const bool is_own = !is_new && by_number_.at(at->second).registrant == service.registrant;
  if (is_new && by_number_.size() >= kMax) return false;
  if (!is_own && of_one_max != 0 && count_of(service.registrant) >= of_one_max) return false;
  ++by_registrant_[service.registrant];
  if (is_new) {
    at = numbers_.emplace(rid, next_++).first;
  } else {
    const Service& old = by_number_.at(at->second);
    leases_.erase({old.expires, at->second});
    release(old.registrant);
  }
  by_number_[at->second] = service;
  if (service.expires != TimeNs::max()) leases_.emplace(service.expires, at->second);
  return true;
}

void Services::remove(const Rid& rid) {
  const auto at = numbers_.find(rid);
  if (at == numbers_.end()) return;
  const auto service = by_number_.find(at->second);
  leases_.erase({service->second.expires, at->second});
  release(service->second.registrant);
  by_number_.erase(service);
  numbers_.erase(at);
  ++removed_;
}

void Services::expire(TimeNs now) {
  while (!leases_.empty() && leases_.begin()->first <= now)
    remove(rid_of(by_number_.at(leases_.begin()->second).record));
}

namespace {

std::uint16_t service_records(State& state, const SaQuery& query, SaAnswer& answer) {
  state.services.expire(query.now);
  state.services.for_all([&](const Service& service) {
    if (may_see_service(query, service.record) && query.filter.matches(encode(service.record)))
      add_service(query, service.record, answer);
  });
  return mad_status::kGood;
}

std::uint16_t set_service(State& state, const SaQuery& query, SaAnswer& answer) {
  if ((query.filter.mask() & kNeededMask) != kNeededMask) return sa_status::kRequestInvalid;
  Service service{decode_service_record(query.request.as<ServiceRecord>()),
                  query.view.gid(query.requester), TimeNs::max()};
  ServiceRecord& record = service.record;
  if (!query.has_component(service_bit::kPkeyBit)) record.pkey = kPkeyIfUnspecified;
  if (!may_offer_at(query, record)) return sa_status::kRequestInvalid;
  if (!query.has_component(service_bit::kLeaseBit)) record.lease = Services::kForEver;
  if (!query.has_component(service_bit::kKeyBit)) record.key = {};
  if (record.lease != Services::kForEver)
    service.expires = query.now + std::chrono::seconds(record.lease);
  state.services.expire(query.now);
  const Service* old = state.services.find(Services::rid_of(record));
  if (old != nullptr && !may_change_service(query, *old, record)) return sa_status::kRequestInvalid;
  if (!state.services.put(service, query.view.options().quotas.services)) {
    count_refusal(state, query, Refusal::kServices);
    return sa_status::kNoResources;
  }
  add_service(query, record, answer);
  return mad_status::kGood;
}

std::uint16_t delete_service(State& state, const SaQuery& query, SaAnswer& answer) {
  const ServiceRecord wanted = decode_service_record(query.request.as<ServiceRecord>());
  state.services.expire(query.now);
  const Service* old = state.services.find(Services::rid_of(wanted));
  if (old == nullptr || !may_see_service(query, old->record)) return sa_status::kNoRecords;
  const bool is_others = old->registrant != query.view.gid(query.requester);
  if (!may_change_service(query, *old, wanted) ||
      (is_others && !query.request.trusted && !may_offer_at(query, old->record)))
    return sa_status::kRequestInvalid;
  add_service(query, old->record, answer);
  state.services.remove(Services::rid_of(wanted));
  return mad_status::kGood;
}

}  // namespace

const Attribute kServiceRecordAttribute{
    .id = SaAttribute::kServiceRecord,
    .name = "ServiceRecord",
    .record_size = ServiceRecord::kSize,
    .components = kServiceRecordComponents,
    .get = &service_records,
    .table = &service_records,
    .set = &set_service,
    .remove = &delete_service,
};

}  // namespace weft::sa
