// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Stage of a sweep: clears PortStateChange of switches. The discovery of a manager that is not
// master may not clear the bit, because only the master may send Sets, and the election follows
// discovery. A change between discovery and clearing would be lost, so the port states of these
// switches are read again.
#pragma once

#include <cstdint>
#include <deque>
#include <set>
#include <string>
#include <vector>

#include "sm/discovery/smp_client.h"
#include "sm/observed.h"

namespace weft {

class ChangeClearing final : public SmpWork {
 public:
  /// `observed` must outlive this object; its SwitchInfo is updated.
  explicit ChangeClearing(Observed& observed);

  bool next(Smp& request, std::uint64_t& cookie) override;
  void answered(std::uint64_t cookie, const Smp& answer) override;
  void failed(std::uint64_t cookie, const Error& why) override;

  /// Why the fabric must be discovered again; empty if all port states are unchanged. The ports of
  /// a switch that refuses the Set are not read.
  const std::string& change() const { return change_; }
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  struct Query {
    std::uint32_t node = 0;
    std::uint8_t port = 0;  // 0: SwitchInfo is set
  };
  std::string name(std::uint64_t cookie) const;
  void found(std::string change);

  Observed& observed_;
  std::deque<Query> queries_;
  std::set<std::uint32_t> set_again_;  // switches with PortStateChange still set after a Set
  std::string change_;
  std::vector<std::string> warnings_;
};

}  // namespace weft
