// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "mix.h"

#include <algorithm>

namespace weft::attacks {
namespace {

constexpr std::array<std::string_view, kAttacks> kNames{"traps",
                                                        "link state",
                                                        "port errors",
                                                        "manager priority",
                                                        "SMInfo",
                                                        "paths",
                                                        "tables",
                                                        "joins",
                                                        "leaves",
                                                        "services",
                                                        "subscriptions",
                                                        "aliases",
                                                        "unfinished requests",
                                                        "RMPP",
                                                        "bytes to the SA",
                                                        "bytes to the manager"};

constexpr std::array kTables{
    SaAttribute::kNodeRecord,  SaAttribute::kPortInfoRecord,  SaAttribute::kPathRecord,
    SaAttribute::kLinkRecord,  SaAttribute::kMcMemberRecord,  SaAttribute::kServiceRecord,
    SaAttribute::kLftRecord,   SaAttribute::kSlToVlRecord,    SaAttribute::kGuidInfoRecord,
    SaAttribute::kVlArbRecord, SaAttribute::kPkeyTableRecord, SaAttribute::kInformInfoRecord};

}  // namespace

std::string_view name(Attack attack) { return kNames[static_cast<std::size_t>(attack)]; }

unsigned Mix::any_host() { return static_cast<unsigned>(rng_.below(subnet_.hosts())); }

Lid Mix::any_lid() {
  if (rng_.chance(0.1)) return Lid(static_cast<std::uint16_t>(rng_.next()));
  return subnet_.lid(any_host());
}

Notice Mix::notice(Host& attacker, Attack attack) {
  Notice notice = notice_of(TrapNumber::kLinkStateChange, NoticeType::kUrgent, {}, attacker.lid(),
                            rng_.chance(0.5) ? Producer::kSwitch : Producer::kCa);
  for (std::byte& byte : notice.details) byte = static_cast<std::byte>(rng_.next());
  const Lid about = rng_.chance(0.5) ? attacker.lid() : any_lid();
  const auto number = [](TrapNumber trap) { return static_cast<std::uint16_t>(trap); };
  switch (attack) {
    case Attack::kLinkState:
      std::ranges::copy_n(encode(TrapLinkState{about}).begin(), 2, notice.details.begin());
      break;
    case Attack::kPortErrors:
      notice.trap = static_cast<std::uint16_t>(number(TrapNumber::kLinkIntegrity) + rng_.below(3));
      notice.details =
          encode(TrapPortError{about, PortNum(static_cast<std::uint8_t>(rng_.below(8)))});
      break;
    case Attack::kPriority: {
      TrapCapability trap;
      trap.lid = about;
      trap.other_local_changes = true;
      trap.change_flags = TrapCapability::kSmPriority;
      trap.capability_mask = static_cast<std::uint32_t>(rng_.next());
      notice.trap = number(TrapNumber::kCapabilityChange);
      notice.details = encode(trap);
      break;
    }
    default:
      notice.generic = rng_.chance(0.8);
      notice.type = static_cast<NoticeType>(rng_.below(128));
      notice.trap =
          static_cast<std::uint16_t>(rng_.chance(0.8) ? 64 + rng_.below(200) : rng_.next());
      if (rng_.chance(0.5)) notice.issuer_lid = about;
  }
  return notice;
}

void Mix::send_to_manager(Host& attacker, Attack attack) {
  Smp smp;
  smp.mgmt_class = MgmtClass::kSmpLidRouted;
  smp.slid = attacker.lid();
  smp.dlid = subnet_.lid(0);
  smp.transaction_id = rng_.next();
  if (attack == Attack::kSmInfo) {
    smp.method = rng_.chance(0.5) ? Method::kGet : Method::kSet;
    smp.attribute = AttributeId::kSmInfo;
    smp.modifier = static_cast<std::uint32_t>(rng_.below(7));
    smp.data = encode(SmInfo{subnet_.guid(rng_.chance(0.8) ? attacker.number() : any_host()),
                             SmKey(rng_.below(2)), static_cast<std::uint32_t>(rng_.next()), 15,
                             static_cast<SmState>(rng_.below(4))});
  } else {
    constexpr std::array kMethods{Method::kGet,         Method::kSet,     Method::kTrap,
                                  Method::kTrapRepress, Method::kGetResp, Method::kSend};
    smp.method = kMethods[rng_.below(kMethods.size())];
    smp.attribute = static_cast<AttributeId>(rng_.below(0x40));
    smp.modifier = static_cast<std::uint32_t>(rng_.next());
    smp.status = static_cast<std::uint16_t>(rng_.below(0x8000));
    smp.mkey = Mkey(rng_.next());
    for (std::byte& byte : smp.data) byte = static_cast<std::byte>(rng_.next());
    // A Set to the agent of the attacker's own port may succeed without an M_Key; the manager
    // cannot prevent the Set.
    if (smp.method == Method::kSet) smp.attribute = AttributeId::kSmInfo;
  }
  static_cast<void>(attacker.smps().send(smp));
}

McMemberRecord Mix::member(Host& attacker) {
  const unsigned host = rng_.chance(0.5) ? attacker.number() : any_host();
  const Pkey pkey =
      rng_.chance(0.8) ? Pkey(0xFFFF) : Pkey(static_cast<std::uint16_t>(0x8001 + rng_.below(3)));
  McMemberRecord record =
      membership(multicast_gid(rng_.chance(0.5) ? rng_.below(20) : rng_.below(100'000)),
                 subnet_.gid(host), pkey);
  record.join_state = static_cast<std::uint8_t>(rng_.chance(0.8) ? 1 : rng_.below(16));
  if (rng_.chance(0.05)) record.mgid[rng_.below(16)] = static_cast<std::byte>(rng_.next());
  return record;
}

Gmp Mix::any_rmpp(Host& attacker) {
  Gmp gmp = attacker.long_request()[rng_.below(2)];
  gmp.transaction_id = rng_.below(64);
  RmppHeader header = rmpp_header(gmp);
  header.type = static_cast<RmppType>(rng_.below(6));
  header.status = static_cast<std::uint8_t>(rng_.below(256));
  header.segment = static_cast<std::uint32_t>(rng_.chance(0.5) ? rng_.below(4) : rng_.next());
  header.length = static_cast<std::uint32_t>(rng_.chance(0.5) ? rng_.below(4096) : rng_.next());
  header.first = rng_.chance(0.5);
  header.last = rng_.chance(0.3);
  set_rmpp_header(gmp, header);
  if (rng_.chance(0.5)) gmp.method = sa_method::kGetTable;
  return gmp;
}

Gmp Mix::any_bytes(Host& attacker) {
  Gmp gmp = attacker.sa().request(static_cast<Method>(rng_.below(256)),
                                  kTables[rng_.below(kTables.size())]);
  gmp.transaction_id = rng_.next();
  if (rng_.chance(0.3)) gmp.attribute = static_cast<std::uint16_t>(rng_.next());
  if (rng_.chance(0.1)) gmp.class_version = static_cast<std::uint8_t>(rng_.next());
  for (std::byte& byte : gmp.data)
    if (rng_.chance(0.5)) byte = static_cast<std::byte>(rng_.next());
  return gmp;
}

Gmp Mix::request_to_sa(Host& attacker, Attack attack) {
  switch (attack) {
    case Attack::kTable: {
      Gmp gmp = attacker.sa().request(sa_method::kGetTable, kTables[rng_.below(kTables.size())]);
      gmp.transaction_id = rng_.next();
      return gmp;
    }
    case Attack::kJoin:
      return attacker.member(Method::kSet, rng_.chance(0.7) ? kToCreate : kToJoin,
                             member(attacker));
    case Attack::kLeave:
      return attacker.member(sa_method::kDelete, kToJoin, member(attacker));
    case Attack::kService: {
      ServiceRecord record;
      record.id = rng_.below(1'000'000);
      record.gid = rng_.chance(0.8) ? attacker.gid() : subnet_.gid(any_host());
      record.pkey = Pkey(0xFFFF);
      record.lease = static_cast<std::uint32_t>(rng_.chance(0.5) ? rng_.below(100) : rng_.next());
      record.name[0] = static_cast<std::byte>(rng_.next());
      return attacker.service(rng_.chance(0.9) ? Method::kSet : sa_method::kDelete, record);
    }
    case Attack::kSubscription:
      return attacker.subscription(static_cast<std::uint16_t>(64 + rng_.below(200)), any_lid());
    case Attack::kAlias:
      return attacker.aliases(rng_.chance(0.6) ? Method::kSet : sa_method::kDelete, any_lid(),
                              1 + static_cast<unsigned>(rng_.below(7)), Guid(rng_.below(100)));
    case Attack::kUnfinished:
      return attacker.long_request()[0];
    case Attack::kRmpp:
      return any_rmpp(attacker);
    case Attack::kSaBytes:
      return any_bytes(attacker);
    default:
      return attacker.path_to(any_host());
  }
}

void Mix::send(Host& attacker, Attack attack) {
  switch (attack) {
    case Attack::kTrap:
    case Attack::kLinkState:
    case Attack::kPortErrors:
    case Attack::kPriority:
      return attacker.trap(notice(attacker, attack));
    case Attack::kSmInfo:
    case Attack::kSmpBytes:
      return send_to_manager(attacker, attack);
    default: {
      Gmp gmp = request_to_sa(attacker, attack);
      if (rng_.chance(0.02)) set_sa_header(gmp, {SmKey(rng_.below(3)), 0, rng_.next()});
      attacker.send(gmp);
    }
  }
}

void Mix::send(Host& attacker, std::span<const Attack> kinds, unsigned count) {
  for (unsigned i = 0; i < count; ++i) send(attacker, kinds[rng_.below(kinds.size())]);
}

}  // namespace weft::attacks
