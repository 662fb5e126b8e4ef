// The light sweep: one question to every switch, whether any of its ports changed state.
#pragma once

#include <string>

#include "sm/observed.h"
#include "sm/smp_client.h"

namespace weft {

class LightSweep final : public SmpWork {
 public:
  LightSweep(const Observed& observed, Mkey mkey) : observed_(observed), mkey_(mkey) {}

  bool next(Smp& request, std::uint64_t& cookie) override;
  void answered(std::uint64_t cookie, const Smp& answer) override;
  void failed(std::uint64_t cookie, const Smp& request) override;

  /// Why a heavy sweep is due; empty: nothing changed.
  const std::string& change() const { return change_; }

 private:
  const Observed& observed_;
  const Mkey mkey_;
  std::uint32_t at_ = 0;
  std::string change_;
};

}  // namespace weft
