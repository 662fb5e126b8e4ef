// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/traps/trap_ledger.h"

namespace weft {

unsigned TrapLedger::count(const Notice& notice, Lid from, TimeNs now) {
  const auto is_over = [&](const auto& row) { return now - row.second.last > kForgottenAfter; };
  if (rows_.size() >= kRowsMax) std::erase_if(rows_, is_over);
  if (rows_.size() >= kRowsMax) rows_.clear();  // too many distinct traps
  Row& row = rows_[{from, notice.trap, notice.details}];
  if (now - row.last > kForgottenAfter) row.length = 0;
  row.last = now;
  return ++row.length;
}

bool is_about_errors(const Notice& notice) {
  return notice.is(TrapNumber::kLinkIntegrity) || notice.is(TrapNumber::kBufferOverrun) ||
         notice.is(TrapNumber::kFlowControlWatchdog);
}

}  // namespace weft
