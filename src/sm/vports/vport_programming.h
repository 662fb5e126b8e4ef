// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Programs virtual ports (vports): first the blocks of their P_Key tables that differ, then the
// blocks of VPortGUIDInfo of vports with alias GUIDs from the SA, then VPortInfo of vports that are
// not ACTIVE, need a LID, or need ClientReregister. A vport that requires a LID of its own stays in
// INIT without one. Vports with a GUID that belongs to another vport stay in INIT. Vports that
// tenants_policy_file forbids get an empty P_Key table and stay in their state. Vports are
// programmed after the CA ports, because the P_Key tables of a CA port also apply to its vports.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "sm/discovery/smp_work.h"
#include "sm/lids/alias_guids.h"
#include "sm/observed.h"
#include "sm/partitions/partitions.h"
#include "sm/vports/vport_lids.h"

namespace weft {

struct VportReport {
  // GUIDs of vports that have another owner than before (sm/observed_vports.h)
  std::uint64_t appeared = 0, gone = 0, moved = 0;
  std::uint64_t pkey_blocks = 0;  // blocks written
  /// VPortInfo written, to activate a vport, or to set its LID or ClientReregister.
  std::uint64_t activated = 0;
  std::uint64_t failed = 0;           // failed Sets
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
    const AliasGuids& aliases;  // by port GUID, of physical ports too
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
  [[nodiscard]] std::vector<Guid> conclude(Vports& vports, TimeNs now, VportReport& report) &&;

 private:
  static constexpr std::size_t kFailuresNamed = 10;

  struct Op {
    std::uint32_t host = 0;   // index in hosts_
    std::uint32_t vport = 0;  // index in the vports of the host
    std::uint16_t block = 0;  // block of the P_Key table or of VPortGUIDInfo
    bool reregister = false;  // ClientReregister of VPortInfo
    Lid lid{};                // own LID of the vport; 0: none
  };
  struct Host {
    Guid guid;
    PortId port;
    DirectedPath path;
    HostVports vports;
    bool changed = false;
    bool has_new_guids = false;
    // Indices of vports that answered with another GUID than known: another vport has replaced the
    // vport that was read, or its GUID was read from a corrupted answer. Such a vport is removed
    // from the known vports, so that the next read reads all its attributes.
    std::set<std::uint16_t> replaced{};
  };
  void plan(const Input& input, const Host& host, std::uint32_t index);
  void plan_guids(const Input& input, const Vport& vport, std::uint32_t host, std::uint32_t index);
  void on_guids(const Op& op, const GuidInfo& wanted, const Smp& answer);
  std::span<const Pkey> pkeys_of(const Input& input, const Host& host, const Vport& vport) const;
  bool is_managed(const Input& input, const Host& host, const Vport& vport) const;
  void fail_op(const Op& op, const std::string& why);
  enum class Stage : std::uint8_t { kPkeys, kGuids, kInfos };
  const std::vector<Op>& ops() const { return ops_[static_cast<std::size_t>(stage_)]; }
  std::vector<Op>& of(Stage stage) { return ops_[static_cast<std::size_t>(stage)]; }

  std::vector<Host> hosts_;
  std::array<std::vector<Op>, 3> ops_;  // by Stage
  std::vector<PkeyTable> blocks_;       // by index in the operations of kPkeys
  std::vector<GuidInfo> guids_;         // by index in the operations of kGuids
  Stage stage_ = Stage::kPkeys;
  std::size_t at_ = 0;
  VportReport report_;
};

}  // namespace weft
