// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "registrar.h"

#include <algorithm>
#include <utility>

#include "ib/sa_records.h"

namespace weft::simulation {
namespace {

constexpr std::uint64_t kSubnetPrefix = 0xFE80000000000000;
constexpr std::uint64_t kMemberKeys = 1u << 0 | 1u << 1 | 1u << 16;  // MGID, PortGID, JoinState
constexpr std::uint64_t kNewGroup = kMemberKeys | 1u << 2 | 1u << 6 | 1u << 7 | 1u << 12 | 1u << 13;
constexpr std::uint64_t kServiceKeys = 0x7;
constexpr std::uint16_t kFirstTrap = 0x1000;  // trap numbers for which no notices occur
constexpr std::uint32_t kNoLeaseEnd = 0xFFFFFFFF;
constexpr TimeNs kAnswerWithin = std::chrono::seconds(2);

EndportId endport_of_host(const EmulatedFabric& emulated, std::uint32_t host) {
  return EndportId(emulated.fabric().switch_count() + host);
}

PortId port_of_host(const EmulatedFabric& emulated, std::uint32_t host) {
  return emulated.fabric().endport(endport_of_host(emulated, host)).port;
}

Gid mgid_of(std::uint32_t number) { return make_gid(0xFF15ull << 48, Guid(0x10000 + number)); }

InformInfo subscription_of(std::uint32_t number) {
  InformInfo info;
  info.lid_begin = Lid(0xFFFF);
  info.generic = true;
  info.type = 0xFFFF;
  info.trap = static_cast<std::uint16_t>(kFirstTrap + number);
  info.qpn = 1;
  info.producer = 0xFFFFFF;
  return info;
}

}  // namespace

Registrar::Registrar(EmulatedFabric& emulated, std::uint32_t host, std::uint64_t seed)
    : emulated_(emulated),
      host_(host),
      port_(port_of_host(emulated, host)),
      gid_(make_gid(kSubnetPrefix, emulated.fabric().port(port_).guid)),
      rng_(Rng(seed).fork(host)),
      wire_(emulated.attach_gmps(endport_of_host(emulated, host), MgmtClass::kSubnAdm)) {}

Registrar::~Registrar() {
  emulated_.detach_gmps(endport_of_host(emulated_, host_), MgmtClass::kSubnAdm);
}

bool Registrar::is_ready() const {
  const PortInfo& info = emulated_.port_info(port_);
  return info.lid != kLidNone && info.master_sm_lid != kLidNone && emulated_.carries_data(port_);
}

void Registrar::change_one() {
  if (!is_idle() || all_.empty()) return;
  const Key key = all_[rng_.below(all_.size())];
  const auto found = acknowledged_.find(key);
  queue_.emplace_back(key, found == acknowledged_.end() || !found->second);
}

void Registrar::send_request(Key key, bool registers) {
  Gmp gmp;
  gmp.class_version = kSaClassVersion;
  gmp.method = registers ? Method::kSet : sa_method::kDelete;
  gmp.transaction_id = std::uint64_t{host_ + 1} << 32 | ++transaction_;
  gmp.peer.lid = emulated_.port_info(port_).master_sm_lid;
  const auto set = [&](SaAttribute attribute, std::uint64_t mask, const auto& record) {
    gmp.attribute = static_cast<std::uint16_t>(attribute);
    set_sa_header(gmp, {SmKey(0), 0, mask});
    std::ranges::copy(encode(record), sa_data(gmp).begin());
  };
  const auto [kind, number] = key;
  if (kind == Kind::kGroup) {
    McMemberRecord record;
    record.mgid = mgid_of(number);
    record.port_gid = gid_;
    record.pkey = Pkey(0xFFFF);
    record.qkey = number;
    record.join_state = 1;
    set(SaAttribute::kMcMemberRecord, registers ? kNewGroup : kMemberKeys, record);
  } else if (kind == Kind::kSubscription) {
    InformInfo info = subscription_of(number);
    info.subscribe = registers;
    gmp.method = Method::kSet;
    set(SaAttribute::kInformInfo, 0, info);
  } else {
    ServiceRecord record;
    record.id = number;
    record.gid = gid_;
    record.pkey = Pkey(0xFFFF);
    record.lease = kNoLeaseEnd;
    record.name[0] = std::byte{'s'};
    set(SaAttribute::kServiceRecord, registers ? 0x7F : kServiceKeys, record);
  }
  acknowledged_.erase(key);
  pending_ = PendingRequest{key, registers, std::exchange(repeats_, false), gmp.transaction_id,
                            emulated_.clock().now() + kAnswerWithin};
  static_cast<void>(wire_.send(gmp));
}

void Registrar::step() {
  while (const auto gmp = wire_.receive()) {
    if (!pending_ || gmp->transaction_id != pending_->transaction) continue;
    const PendingRequest answered_request = *std::exchange(pending_, std::nullopt);
    if (gmp->status != mad_status::kGood) {
      // A repeated request can be refused because the first request was executed.
      refused_ += answered_request.repeats ? 0 : 1;
      continue;
    }
    ++answered_;
    if (std::ranges::find(all_, answered_request.key) == all_.end())
      all_.push_back(answered_request.key);
    acknowledged_[answered_request.key] = answered_request.registers;
  }
  if (pending_ && emulated_.clock().now() >= pending_->deadline) {
    ++unanswered_;
    repeats_ = true;
    queue_.emplace_back(pending_->key, pending_->registers);
    pending_.reset();
  }
  if (pending_ || queue_.empty() || !is_ready()) return;
  const auto [key, registers] = queue_.back();
  queue_.pop_back();
  send_request(key, registers);
}

bool Registrar::is_held(const Key& key, const sa::State& state) const {
  const auto [kind, number] = key;
  if (kind == Kind::kGroup) {
    const sa::McGroup* const group = state.groups.find(mgid_of(number));
    return group != nullptr && group->members.contains(emulated_.fabric().port(port_).guid);
  }
  if (kind == Kind::kService) return state.services.find({number, gid_, 0xFFFF}) != nullptr;
  const InformInfo wanted = subscription_of(number);
  return std::ranges::any_of(state.subscriptions.all(), [&](const auto& entry) {
    return entry.second.subscriber == gid_ && entry.second.info.trap == wanted.trap;
  });
}

std::optional<std::pair<Registrar::Key, bool>> Registrar::difference(const sa::State& state) const {
  for (const auto& [key, registered] : acknowledged_)
    if (is_held(key, state) != registered) return std::pair(key, registered);
  return std::nullopt;
}

}  // namespace weft::simulation
