// The other subnet managers on the fabric: who answers SMInfo, and where. Only questions here.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ib/sm_info.h"
#include "sm/election.h"
#include "sm/observed.h"
#include "sm/smp_client.h"

namespace weft {

struct OtherManager {
  std::string name;  // of its port, for messages
  Smp request;       // addressed to it: by directed route, or by LID
  Lid lid;           // of its port when it was found
  SmInfo info;
  Guid node{};                // 0: only its LID is known
  std::string description{};  // of the node
  PortNum port{};
  bool silent = false;  // it did not answer when it was last asked
};

Contender contender(const OtherManager& manager);

/// Asks SMInfo of every port that says that a manager sits behind it, or of managers that are known
/// already. Who does not answer has died without taking its sign down, and is left out.
class ManagerInquiry final : public SmpWork {
 public:
  /// All but the own port.
  ManagerInquiry(const Observed& observed, Mkey mkey);
  explicit ManagerInquiry(std::vector<OtherManager> known) : asked_(std::move(known)) {}

  bool next(Smp& request, std::uint64_t& cookie) override;
  void answered(std::uint64_t cookie, const Smp& answer) override;
  void failed(std::uint64_t cookie, const Error& why) override;

  /// Who answered, in the order of ports.
  std::vector<OtherManager> found() const;
  /// Who did not, and why.
  const std::vector<std::string>& silent() const { return silent_; }

 private:
  std::vector<OtherManager> asked_;
  std::vector<bool> answered_;
  std::vector<std::string> silent_;
  std::size_t at_ = 0;
};

/// One request and what became of it.
class OneSmp final : public SmpWork {
 public:
  explicit OneSmp(const Smp& request) : request_(request) {}

  bool next(Smp& request, std::uint64_t& cookie) override;
  void answered(std::uint64_t cookie, const Smp& answer) override;
  void failed(std::uint64_t cookie, const Error& why) override;

  /// Of an answer with good status.
  const std::optional<Smp>& answer() const { return answer_; }
  const std::string& failure() const { return failure_; }

 private:
  Smp request_;
  bool sent_ = false;
  std::optional<Smp> answer_;
  std::string failure_;
};

/// An SMP to whoever sent `received`, along the way that it came.
Smp back_to_sender(const Smp& received, Method method, AttributeId attribute,
                   std::uint32_t modifier);

}  // namespace weft
