// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/traps/trap_ledger.h"

#include "sm/traps/responder.h"

namespace weft {

TrapLedger::Key TrapLedger::key_of(const Notice& notice, Lid from) {
  Key key{.from = from};
  if (!trap_name(notice).empty()) key.trap = notice.trap;
  key.effect = static_cast<std::uint8_t>(effect_of(notice));
  if (is_about_errors(notice)) key.port = decode_trap_port_error(notice.details);
  return key;
}

unsigned TrapLedger::count(const Notice& notice, Lid from, TimeNs now) {
  const auto is_over = [&](const auto& row) { return now - row.second.last > kForgottenAfter; };
  if (rows_.size() >= kRowsMax) std::erase_if(rows_, is_over);
  if (rows_.size() >= kRowsMax) rows_.clear();  // too many distinct traps
  Row& row = rows_[key_of(notice, from)];
  if (now - row.last > kForgottenAfter) row.length = 0;
  row.last = now;
  return ++row.length;
}

bool is_about_errors(const Notice& notice) {
  return notice.is(TrapNumber::kLinkIntegrity) || notice.is(TrapNumber::kBufferOverrun) ||
         notice.is(TrapNumber::kFlowControlWatchdog);
}

}  // namespace weft
