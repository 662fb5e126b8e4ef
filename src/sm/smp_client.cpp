#include "sm/smp_client.h"

#include <algorithm>

#include "base/check.h"

namespace weft {
namespace {

constexpr unsigned kSlotBits = 12;
static_assert(SmpClient::kNoLimit == 1u << kSlotBits);
constexpr std::uint32_t kSlotMask = (1u << kSlotBits) - 1;
constexpr std::uint32_t kGenerationMask =
    (1u << (32 - kSlotBits)) - 1;  // only 32 bits of an id survive umad

bool is_answer(const Smp& smp) { return (static_cast<unsigned>(smp.method) & 0x80) != 0; }

}  // namespace

SmpClient::SmpClient(SmpTransport& transport, const Clock& clock, const SmpClientOptions& options)
    : transport_(transport), clock_(clock), options_(options) {
  const unsigned count =
      options.on_wire_max == 0 ? kNoLimit : std::min(options.on_wire_max, kNoLimit);
  slots_.resize(count);
  for (unsigned i = count; i > 0; --i) free_.push_back(i - 1);
}

std::uint64_t SmpClient::transaction_id(std::uint32_t slot) const {
  return (std::uint64_t{slots_[slot].generation & kGenerationMask} << kSlotBits) | slot;
}

bool SmpClient::step(SmpWork& work, TimeNs deadline) {
  fill(work);
  if (free_.size() == slots_.size()) return false;
  while (!expiries_.empty()) {  // entries of requests that are done are skipped here
    const Expiry& first = expiries_.front();
    const Slot& slot = slots_[first.slot];
    if (slot.busy && slot.generation == first.generation && slot.deadline == first.deadline) break;
    expiries_.pop_front();
  }
  transport_.wait_until(expiries_.empty() ? deadline
                                          : std::min(deadline, expiries_.front().deadline));
  drain(&work);
  expire(work);
  return true;
}

void SmpClient::wait(TimeNs deadline) {
  transport_.wait_until(deadline);
  drain(nullptr);
}

std::optional<Smp> SmpClient::take_unsolicited() {
  if (unsolicited_.empty()) return std::nullopt;
  Smp smp = unsolicited_.front();
  unsolicited_.pop_front();
  return smp;
}

void SmpClient::abandon() {
  for (std::uint32_t slot = 0; slot < slots_.size(); ++slot)
    if (slots_[slot].busy) release(slot);
  expiries_.clear();
}

void SmpClient::fill(SmpWork& work) {
  while (!free_.empty()) {
    const std::uint32_t index = free_.back();
    Slot& slot = slots_[index];
    if (!work.next(slot.request, slot.cookie)) return;
    free_.pop_back();
    slot.busy = true;
    slot.tries = 0;
    slot.request.transaction_id = transaction_id(index);
    transmit(index, work);
  }
}

void SmpClient::transmit(std::uint32_t index, SmpWork& work) {
  Slot& slot = slots_[index];
  ++slot.tries;
  ++counts_.sent;
  slot.deadline = clock_.now() + options_.timeout;
  if (transport_.send(slot.request)) {
    expiries_.push_back({slot.deadline, index, slot.generation});
    return;
  }
  ++counts_.timed_out;
  const Smp request = slot.request;
  const std::uint64_t cookie = slot.cookie;
  release(index);
  work.failed(cookie, request);
}

void SmpClient::drain(SmpWork* work) {
  while (auto arrived = transport_.receive()) {
    if (!is_answer(*arrived)) {
      if (unsolicited_.size() < kUnsolicitedMax) unsolicited_.push_back(std::move(*arrived));
      continue;
    }
    const std::uint32_t index = static_cast<std::uint32_t>(arrived->transaction_id) & kSlotMask;
    if (work == nullptr || index >= slots_.size() || !slots_[index].busy ||
        transaction_id(index) != arrived->transaction_id ||
        slots_[index].request.attribute != arrived->attribute) {
      ++counts_.stray;
      continue;
    }
    ++counts_.answered;
    if (arrived->status != mad_status::kGood) ++counts_.bad_status;
    const std::uint64_t cookie = slots_[index].cookie;
    release(index);
    work->answered(cookie, *arrived);
  }
}

void SmpClient::expire(SmpWork& work) {
  const TimeNs now = clock_.now();
  while (!expiries_.empty() && expiries_.front().deadline <= now) {
    const Expiry expiry = expiries_.front();
    expiries_.pop_front();
    Slot& slot = slots_[expiry.slot];
    if (!slot.busy || slot.generation != expiry.generation || slot.deadline != expiry.deadline)
      continue;
    if (slot.tries <= options_.retries) {
      ++counts_.retried;
      transmit(expiry.slot, work);
      continue;
    }
    ++counts_.timed_out;
    const Smp request = slot.request;
    const std::uint64_t cookie = slot.cookie;
    release(expiry.slot);
    work.failed(cookie, request);
  }
}

void SmpClient::release(std::uint32_t index) {
  slots_[index].busy = false;
  ++slots_[index].generation;
  free_.push_back(index);
}

}  // namespace weft
