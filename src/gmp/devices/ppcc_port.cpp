// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "gmp/devices/ppcc_port.h"

#include <algorithm>
#include <span>
#include <utility>

#include "ib/gmps/ppcc_unconfirmed.h"

namespace weft {
namespace {

std::uint16_t sls_of(const CongestionSetting* wanted) {
  return wanted == nullptr ? 0 : wanted->sls;
}

/// The configuration of a slot with the fields that a Set writes.
PpccConfig config_of_set(bool is_enabled, std::uint16_t sls, const CongestionSetting* wanted) {
  PpccConfig config{.is_enabled = is_enabled, .sls = sls};
  config.traces = wanted != nullptr && wanted->traces;
  config.counts = wanted != nullptr && wanted->counts;
  return config;
}

PpccConfig wanted_config(const CongestionSetting* wanted) {
  return config_of_set(wanted != nullptr, sls_of(wanted), wanted);
}

/// The configuration of a slot that keeps only SLs of the policy.
PpccConfig without_other_sls(const PpccConfig& held, const CongestionSetting* wanted) {
  const auto kept = static_cast<std::uint16_t>(held.sls & sls_of(wanted));
  return config_of_set(kept != 0, kept, wanted);
}

/// Whether two configurations of a slot agree; two disabled slots always agree.
bool agrees_with(const PpccConfig& held, const PpccConfig& config) {
  return held.is_enabled == config.is_enabled && (!held.is_enabled || held.sls == config.sls) &&
         (!held.is_enabled || (held.traces == config.traces && held.counts == config.counts));
}

/// The parameters as read, with the values of the policy.
PpccParameters with_values(PpccParameters parameters, const CongestionSetting& wanted) {
  parameters.type = PpccConfig::kList;
  parameters.length = ppcc_unconfirmed::length_of_list(wanted.values.size());
  std::ranges::copy(wanted.values, parameters.values.begin());
  return parameters;
}

}  // namespace

void PpccPort::write(Gmp& request) const {
  const auto set = [&](const CongestionData& data) {
    request.method = Method::kSet;
    std::ranges::copy(data, congestion_data(request).begin());
  };
  request.method = Method::kGet;
  request.attribute = kPpccConfig;
  request.modifier = ppcc_unconfirmed::slot_modifier(slot_);
  if (slots_.empty()) return;
  const Slot& slot = slots_[slot_];
  if (step_ == Step::kRemoveSls) set(encode(without_other_sls(slot.held, slot.wanted)));
  if (step_ == Step::kEnable) set(encode(wanted_config(slot.wanted)));
  if (step_ != Step::kReadValues && step_ != Step::kWriteValues) return;
  request.attribute = kPpccParameters;
  if (step_ == Step::kWriteValues) set(encode(with_values(*slot.parameters, *slot.wanted)));
}

/// Whether the current step is to be executed for the current slot.
bool PpccPort::needs() const {
  const Slot& slot = slots_[slot_];
  if (slot.algorithm.id == 0) return false;
  switch (step_) {
    case Step::kList:
      return false;
    case Step::kRead:
      return slot_ > 0;  // Step::kList has read slot 0
    case Step::kRemoveSls:
      return slot.held.is_enabled && (slot.held.sls & ~sls_of(slot.wanted)) != 0;
    case Step::kReadValues:
      return slot.wanted != nullptr && !slot.wanted->values.empty();
    case Step::kWriteValues:
      return slot.parameters &&
             !std::ranges::equal(
                 slot.wanted->values,
                 std::span(slot.parameters->values).first(slot.wanted->values.size()));
    case Step::kEnable:
      return !agrees_with(slot.held, wanted_config(slot.wanted));
  }
  return false;
}

/// Continues with the next step and slot that need a request, beginning at the current step and
/// slot. If there is none, the port is configured.
void PpccPort::seek() {
  for (;; slot_ = 0) {
    for (; slot_ < slots_.size(); ++slot_)
      if (needs()) return;
    if (step_ == Step::kEnable) break;
    step_ = static_cast<Step>(static_cast<unsigned>(step_) + 1);
  }
  is_done_ = true;
}

std::uint64_t PpccPort::enabled() const {
  if (!is_done_) return 0;
  return static_cast<std::uint64_t>(
      std::ranges::count_if(slots_, [](const Slot& slot) { return slot.wanted != nullptr; }));
}

Status PpccPort::take(const Gmp& answer) {
  Status status;
  if (step_ == Step::kList)
    take_list(decode_ppcc_config(congestion_data(answer)));
  else if (step_ == Step::kReadValues || step_ == Step::kWriteValues)
    status = take_values(decode_ppcc_parameters(congestion_data(answer)));
  else
    status = take_config(decode_ppcc_config(congestion_data(answer)));
  if (status) seek();
  return status;
}

void PpccPort::take_list(const PpccConfig& config) {
  std::size_t count = 0;
  const auto algorithms = algorithms_of(config);
  for (std::size_t slot = 0; slot < algorithms.size(); ++slot)
    if (algorithms[slot].id != 0) count = slot + 1;
  for (const PpccAlgorithmId& algorithm : std::span(algorithms).first(count))
    slots_.push_back({.algorithm = algorithm, .held = {}});
  if (count > 0) slots_[0].held = config;
  if (wanted_ == nullptr) return;
  for (const CongestionSetting& setting : *wanted_) {
    const CongestionAlgorithm& algorithm = algorithms_[setting.algorithm];
    const auto slot = std::ranges::find_if(slots_, [&](const Slot& held) {
      return held.algorithm.id == algorithm.id.id && held.algorithm.major == algorithm.id.major &&
             held.algorithm.minor >= algorithm.id.minor;
    });
    if (slot != slots_.end())
      slot->wanted = &setting;
    else
      missing_ += fmt::format(
          "{}found no algorithm {} (0x{:04x}), expected version {}.{} or a later minor "
          "version",
          missing_.empty() ? "" : "; ", algorithm.name, algorithm.id.id, algorithm.id.major,
          algorithm.id.minor);
  }
}

Status PpccPort::take_config(const PpccConfig& config) {
  Slot& slot = slots_[slot_];
  const PpccConfig before = std::exchange(slot.held, config);
  if (step_ != Step::kRead) {
    const PpccConfig sent = step_ == Step::kRemoveSls ? without_other_sls(before, slot.wanted)
                                                      : wanted_config(slot.wanted);
    if (!agrees_with(config, sent))
      return fail(Code::kRejected,
                  "slot {}: the answer to the Set has enabled {}, SLs 0x{:04x}, traces {}, "
                  "counters {}; expected {}, 0x{:04x}, {}, {}",
                  slot_, config.is_enabled, config.sls, config.traces, config.counts,
                  sent.is_enabled, sent.sls, sent.traces, sent.counts);
    ++written_;
  }
  ++slot_;
  return {};
}

Status PpccPort::take_values(const PpccParameters& parameters) {
  slots_[slot_].parameters = parameters;
  if (step_ == Step::kWriteValues) {
    if (needs()) {
      const auto& wanted = slots_[slot_].wanted->values;
      const auto [expected, found] = std::ranges::mismatch(wanted, parameters.values);
      return fail(Code::kRejected,
                  "slot {}: the answer to the Set has other parameters than the Set: parameter {} "
                  "is {}, expected {}",
                  slot_, expected - wanted.begin(), *found, *expected);
    }
    ++written_;
  }
  ++slot_;
  return {};
}

}  // namespace weft
