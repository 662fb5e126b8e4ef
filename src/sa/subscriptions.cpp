// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sa/subscriptions.h"

#include <algorithm>

#include "sa/attribute.h"
#include "sa/state.h"

namespace weft::sa {
namespace {

constexpr std::uint16_t kInformInfoAt = 192;  // bit offset of InformInfo in the record
constexpr Component kInformInfoRecordComponents[]{{0, 0, 128},
                                                  {1, 128, 16},
                                                  {2, 144, 48},
                                                  {3, kInformInfoAt, 128},
                                                  {4, kInformInfoAt + 128, 16},
                                                  {5, kInformInfoAt + 144, 16},
                                                  {6, kInformInfoAt + 160, 16},
                                                  {7, kInformInfoAt + 176, 8},
                                                  {8, kInformInfoAt + 184, 8},
                                                  {9, kInformInfoAt + 192, 16},
                                                  {10, kInformInfoAt + 208, 16},
                                                  {11, kInformInfoAt + 224, 24},
                                                  {12, kInformInfoAt + 248, 3},
                                                  {13, kInformInfoAt + 251, 5},
                                                  {14, kInformInfoAt + 256, 8},
                                                  {15, kInformInfoAt + 264, 24}};

constexpr std::uint16_t kAll16 = 0xFFFF;
constexpr std::uint32_t kAll24 = 0xFFFFFF;
constexpr std::size_t kSubscribeAt = 23;  // byte offset of the field Subscribe in InformInfo
constexpr std::size_t kOnTheWire = 36;    // bytes of InformInfo, without padding to 8 bytes
constexpr std::uint16_t kMulticastFrom = 0xC000;

bool is_security_trap(std::uint16_t trap) {
  return trap >= static_cast<std::uint16_t>(TrapNumber::kBadMkey) &&
         trap <= static_cast<std::uint16_t>(TrapNumber::kBadPkeySwitchPort);
}

/// The request with the fields cleared that do not identify a subscription. Two requests concern
/// the same subscription if the results are equal.
InformInfo identifying_fields(InformInfo info) {
  info.subscribe = false;
  info.response_time_value = 0;
  return info;
}

bool is_valid_subscription(const SaQuery& query, const InformInfo& info) {
  if (std::to_integer<unsigned>(query.request.record[kSubscribeAt]) > 1) return false;
  const bool security = info.type == static_cast<std::uint16_t>(NoticeType::kSecurity) ||
                        (info.generic && is_security_trap(info.trap));
  if (security && !query.request.trusted) return false;
  if (info.gid != Gid{}) {
    const auto about = query.view.find(info.gid);
    return about && query.view.share_partition(query.requester, *about);
  }
  return info.lid_begin == Lid(kAll16) ||
         (info.lid_begin < Lid(kMulticastFrom) && info.lid_end < Lid(kMulticastFrom));
}

}  // namespace

bool is_about_security(const Notice& notice) {
  return notice.type == NoticeType::kSecurity || (notice.generic && is_security_trap(notice.trap));
}

bool matches_filter(const InformInfo& info, const Notice& notice, const Gid& issuer) {
  if (info.gid != Gid{}) {
    if (info.gid != issuer) return false;
  } else if (info.lid_begin != Lid(kAll16)) {
    const Lid last = info.lid_end == Lid(0) ? info.lid_begin : info.lid_end;
    if (notice.issuer_lid < info.lid_begin || last < notice.issuer_lid) return false;
  }
  return info.generic == notice.generic &&
         (info.type == kAll16 || info.type == static_cast<std::uint16_t>(notice.type)) &&
         (info.trap == kAll16 || info.trap == notice.trap) &&
         (info.producer == kAll24 || info.producer == notice.producer);
}

std::optional<Subscriptions::Id> Subscriptions::id_of(const Gid& subscriber,
                                                      const InformInfo& info) const {
  const auto own = by_subscriber_.find(subscriber);
  if (own == by_subscriber_.end()) return std::nullopt;
  const InformInfo wanted = identifying_fields(info);
  for (const Id id : own->second)
    if (identifying_fields(all_.at(id).info) == wanted) return id;
  return std::nullopt;
}

bool Subscriptions::add(const Subscription& subscription, std::size_t of_one_max) {
  if (const auto id = id_of(subscription.subscriber, subscription.info)) {
    all_[*id] = subscription;
    return true;
  }
  if (all_.size() >= kMax) return false;
  const auto own = by_subscriber_.find(subscription.subscriber);
  if (of_one_max != 0 && own != by_subscriber_.end() && own->second.size() >= of_one_max)
    return false;
  by_subscriber_[subscription.subscriber].insert(next_);
  all_.emplace(next_++, subscription);
  return true;
}

bool Subscriptions::remove(const Gid& subscriber, const InformInfo& info) {
  const auto id = id_of(subscriber, info);
  if (id) remove(*id);
  return id.has_value();
}

void Subscriptions::remove(Id id) {
  const auto at = all_.find(id);
  if (at == all_.end()) return;
  const auto own = by_subscriber_.find(at->second.subscriber);
  own->second.erase(id);
  if (own->second.empty()) by_subscriber_.erase(own);
  all_.erase(at);
  ++removed_;
}

Subscription* Subscriptions::find(Id id) {
  const auto at = all_.find(id);
  return at == all_.end() ? nullptr : &at->second;
}

namespace {

std::uint16_t set_inform_info(State& state, const SaQuery& query, SaAnswer& answer) {
  const InformInfo info = decode_inform_info(query.request.as<InformInfo>());
  if (!is_valid_subscription(query, info)) return sa_status::kRequestInvalid;
  const Gid subscriber = query.view.gid(query.requester);
  if (!info.subscribe) {
    if (!state.subscriptions.remove(subscriber, info)) return sa_status::kRequestInvalid;
  } else {
    InformInfo held = info;
    held.qpn = query.request.from.qpn;  // reports are sent to the requesting queue pair
    if (!state.subscriptions.add({held, subscriber, query.request.from, query.request.trusted},
                                 query.view.options().quotas.subscriptions)) {
      count_refusal(state, query, Refusal::kSubscriptions);
      return sa_status::kNoResources;
    }
  }
  std::array<std::byte, kOnTheWire> bytes{};
  const auto whole = encode(info);
  std::copy_n(whole.begin(), kOnTheWire, bytes.begin());
  answer.add(bytes);
  return mad_status::kGood;
}

std::uint16_t inform_info_records(State& state, const SaQuery& query, SaAnswer& answer) {
  const auto& all = state.subscriptions.all();
  for (auto at = all.rbegin(); at != all.rend(); ++at) {  // newest first
    const Subscription& subscription = at->second;
    const auto holder = query.view.find(subscription.subscriber);
    if (!holder || !query.view.share_partition(query.requester, *holder)) continue;
    InformInfoRecord record{subscription.subscriber, 0, subscription.info};
    if (!query.request.trusted) record.info.qpn = 0;
    const auto bytes = encode(record);
    if (query.filter.matches(bytes)) answer.add(bytes);
  }
  return mad_status::kGood;
}

}  // namespace

const Attribute kInformInfoAttribute{
    .id = SaAttribute::kInformInfo,
    .name = "InformInfo",
    .record_size = InformInfo::kSize,
    .set = &set_inform_info,
};

const Attribute kInformInfoRecordAttribute{
    .id = SaAttribute::kInformInfoRecord,
    .name = "InformInfoRecord",
    .record_size = InformInfoRecord::kSize,
    .components = kInformInfoRecordComponents,
    .get = &inform_info_records,
    .table = &inform_info_records,
};

}  // namespace weft::sa
