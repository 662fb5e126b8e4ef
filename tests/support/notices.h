// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Notices, and traps as SMPs: of agents, or forged by hosts.
#pragma once

#include "ib/notice.h"
#include "ib/smp.h"

namespace weft {

inline Notice notice_of(TrapNumber number, NoticeType type, const NoticeDetails& details,
                        Lid issuer, Producer producer) {
  Notice notice;
  notice.type = type;
  notice.producer = static_cast<std::uint32_t>(producer);
  notice.trap = static_cast<std::uint16_t>(number);
  notice.issuer_lid = issuer;
  notice.details = details;
  return notice;
}

/// A trap by LID.
inline Smp trap_of(const Notice& notice, Lid from, Lid to, std::uint64_t transaction) {
  Smp trap;
  trap.mgmt_class = MgmtClass::kSmpLidRouted;
  trap.method = Method::kTrap;
  trap.attribute = AttributeId::kNotice;
  trap.transaction_id = transaction;
  trap.slid = from;
  trap.dlid = to;
  trap.data = encode(notice);
  return trap;
}

}  // namespace weft
