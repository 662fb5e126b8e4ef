// The light sweep: one question to every switch, whether any of its ports changed state, one to the
// manager's own port, and once more each that got no answer last time. It ends at the first change.
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
  void failed(std::uint64_t cookie, const Error& why) override;

  /// Why a heavy sweep is due; empty: nothing changed.
  const std::string& change() const { return change_; }

 private:
  enum class Asked : std::uint8_t { kSwitch, kOwnPort, kSilent };
  void on_switch(std::uint32_t node, const Smp& answer);
  void on_own_port(const Smp& answer);
  void found(std::string change);

  const Observed& observed_;
  const Mkey mkey_;
  std::size_t at_ = 0;  // switches, then the own port, then those that were silent
  std::string change_;
};

}  // namespace weft
