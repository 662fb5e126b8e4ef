// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The other subnet managers on the fabric, and the queries for them (SubnGet(SMInfo)).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ib/sm_info.h"
#include "sm/discovery/smp_client.h"
#include "sm/election/election.h"
#include "sm/observed.h"

namespace weft {

struct OtherManager {
  std::string name;  // name of its port, for messages
  Smp request;       // template of requests to its port: by directed route or LID
  Lid lid;           // LID of its port in the last discovery
  SmInfo info;
  Guid node{};                // 0: unknown, only its LID is known
  std::string description{};  // node description
  PortNum port{};
  Guid port_guid{};     // GUID of its port in the last discovery, which its SMInfo should have
  bool silent = false;  // no answer to the last query
};

Contender contender(const OtherManager& manager);

/// The manager that may run on an endport, with the address of the endport. None for the own port,
/// and for an endport that was not discovered.
std::optional<OtherManager> manager_at(const Observed& observed, EndportId endport);

/// Queries SMInfo of every port with IsSM set, or of known managers. A port with IsSM set that does
/// not answer counts as stale, and is left out.
class ManagerInquiry final : public SmpWork {
 public:
  /// Queries all ports with IsSM except the manager's own port.
  explicit ManagerInquiry(const Observed& observed);
  explicit ManagerInquiry(std::vector<OtherManager> known) : asked_(std::move(known)) {}

  bool next(Smp& request, std::uint64_t& cookie) override;
  void answered(std::uint64_t cookie, const Smp& answer) override;
  void failed(std::uint64_t cookie, const Error& why) override;

  /// Managers that answered, in the order of the requests.
  std::vector<OtherManager> found() const;
  /// Ports without a valid answer, each with the reason.
  const std::vector<std::string>& silent() const { return silent_; }

 private:
  std::vector<OtherManager> asked_;
  std::vector<bool> answered_;
  std::vector<std::string> silent_;
  std::size_t at_ = 0;
};

/// An SMP to the sender of `received`, along the reverse path.
Smp back_to_sender(const Smp& received, Method method, AttributeId attribute,
                   std::uint32_t modifier);

}  // namespace weft
