// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Programs virtual ports (vports): first the blocks of their P_Key tables that differ, then
// VPortInfo of vports that are not ACTIVE, need a LID, or need ClientReregister. A vport that
// requires a LID of its own stays in INIT without one. Vports with a GUID that
// belongs to another vport stay in INIT. Vports that tenants_policy_file forbids get an empty P_Key
// table and stay in their state. Vports are programmed after the CA ports, because the P_Key tables
// of a CA port also apply to its vports.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sm/discovery/smp_work.h"
#include "sm/observed.h"
#include "sm/partitions/partitions.h"
#include "sm/vports/vport_lids.h"

namespace weft {

struct VportReport {
  // GUIDs of vports that have another owner than before (sm/observed_vports.h)
  std::uint64_t appeared = 0, gone = 0, moved = 0;
  std::uint64_t pkey_blocks = 0;  // blocks written
  std::uint64_t activated = 0;    // VPortInfo written: vports activated, or ClientReregister set
  std::uint64_t failed = 0;       // failed Sets
  std::vector<std::string> failures;  // messages for the first failures
};

class VportProgramming final : public SmpWork {
 public:
  /// `reregister`: by PortId, as in Desired. `moved`: GUIDs of vports with a new owner, which need
  /// ClientReregister. `observed` and `fabric` have the same ports.
  struct Input {
    const Observed& observed;
    const Fabric& fabric;
    const PkeyPlan& pkeys;
    const std::vector<bool>& reregister;
    const std::vector<Guid>& moved;
    const VportLids& lids;
    bool client_rereg = true;
  };
  explicit VportProgramming(const Input& input);

  bool next(Smp& request, std::uint64_t& cookie) override;
  void answered(std::uint64_t cookie, const Smp& answer) override;
  void failed(std::uint64_t cookie, const Error& why) override;
  bool advance() override;

  /// To be called once at the end. Records the programmed values in `vports` and the report.
  /// Returns the port GUIDs of hosts with a vport that answered with another GUID than known: the
  /// known vports of these hosts are outdated, or were read from a corrupted answer.
  [[nodiscard]] std::vector<Guid> conclude(Vports& vports, VportReport& report) &&;

 private:
  static constexpr std::size_t kFailuresNamed = 10;

  struct Op {
    std::uint32_t host = 0;   // index in hosts_
    std::uint32_t vport = 0;  // index in the vports of the host
    std::uint16_t block = 0;  // block of the P_Key table
    bool reregister = false;  // ClientReregister of VPortInfo
    Lid lid{};                // own LID of the vport; 0: none
  };
  struct Host {
    Guid guid;
    PortId port;
    DirectedPath path;
    HostVports vports;
    bool changed = false;
    bool is_outdated = false;  // a vport answered with another GUID than known
  };
  void plan(const Input& input, const Host& host, std::uint32_t index);
  std::span<const Pkey> pkeys_of(const Input& input, const Host& host, const Vport& vport) const;
  bool is_managed(const Input& input, const Host& host, const Vport& vport) const;
  void fail_op(const Op& op, const std::string& why);
  const std::vector<Op>& ops() const { return is_second_ ? infos_ : pkeys_; }

  std::vector<Host> hosts_;
  std::vector<Op> pkeys_, infos_;
  std::vector<PkeyTable> blocks_;  // by index in pkeys_
  bool is_second_ = false;         // false: P_Key tables; true: VPortInfo
  std::size_t at_ = 0;
  VportReport report_;
};

}  // namespace weft
