// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// SmpWork of one request; stores its answer or its failure.
#pragma once

#include <optional>
#include <string>

#include "sm/discovery/smp_client.h"

namespace weft {

class OneSmp final : public SmpWork {
 public:
  explicit OneSmp(const Smp& request) : request_(request) {}

  bool next(Smp& request, std::uint64_t& cookie) override;
  void answered(std::uint64_t cookie, const Smp& answer) override;
  void failed(std::uint64_t cookie, const Error& why) override;

  /// The answer; none if there is no answer, or if its status is an error.
  const std::optional<Smp>& answer() const { return answer_; }
  const std::string& failure() const { return failure_; }

 private:
  Smp request_;
  bool sent_ = false;
  std::optional<Smp> answer_;
  std::string failure_;
};

}  // namespace weft
