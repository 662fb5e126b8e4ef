// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/discovery/smp_client.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/check.h"
#include "sm/discovery/busy.h"

namespace weft {
namespace {

static_assert(std::endian::native == std::endian::little, "the first hop is in the lowest byte");

constexpr unsigned kSlotBits = 12;
static_assert(SmpClient::kNoLimit == 1u << kSlotBits);
constexpr std::uint32_t kSlotMask = (1u << kSlotBits) - 1;
// umad preserves only 32 bits of a transaction ID. They contain a slot, a bit for Sets, and a
// generation, which counts the tries of the requests in the slot.
constexpr std::uint32_t kSetBit = 1u << kSlotBits;
constexpr std::uint32_t kGenerationShift = kSlotBits + 1;
constexpr std::uint32_t kGenerationMask = (1u << (32 - kGenerationShift)) - 1;

constexpr unsigned kVendorAttributesBegin = 0xFF00;

/// Receives answers after the work was abandoned.
class DiscardedWork final : public SmpWork {
 public:
  bool next(Smp&, std::uint64_t&) override { return false; }
  void answered(std::uint64_t, const Smp&) override {}
  void failed(std::uint64_t, const Error&) override {}
};

bool is_vendor_specific(const Smp& smp) {
  return static_cast<unsigned>(smp.attribute) >= kVendorAttributesBegin;
}

bool is_answer(const Smp& smp) { return (static_cast<unsigned>(smp.method) & 0x80) != 0; }

}  // namespace

SmpCounts operator-(const SmpCounts& now, const SmpCounts& before) {
  SmpCounts span;
  span.sent = now.sent - before.sent;
  span.answered = now.answered - before.answered;
  span.retried = now.retried - before.retried;
  span.retried_sets = now.retried_sets - before.retried_sets;
  span.timed_out = now.timed_out - before.timed_out;
  span.refused = now.refused - before.refused;
  span.bad_status = now.bad_status - before.bad_status;
  span.busy = now.busy - before.busy;
  span.stray = now.stray - before.stray;
  span.stray_sets = now.stray_sets - before.stray_sets;
  span.unsolicited = now.unsolicited - before.unsolicited;
  span.overrun = now.overrun - before.overrun;
  span.window_cuts = now.window_cuts - before.window_cuts;
  return span;
}

SmpClient::DeviceName::DeviceName(const Smp& request) {
  if (request.mgmt_class == MgmtClass::kSmpLidRouted) {
    words[0] = request.dlid.value();
    return;
  }
  hops = request.hop_count;
  for (unsigned i = 0; i < used(); ++i)
    std::memcpy(&words[i], request.initial_path.data() + i * sizeof(std::uint64_t),
                sizeof(std::uint64_t));
  words[0] = words[0] >> 8 << 8;  // entry 0 is not used
  // Clears the bytes after the last hop.
  words[used() - 1] &= ~std::uint64_t{0} >> (56 - hops % 8 * 8);
}

bool SmpClient::DeviceName::operator==(const DeviceName& other) const {
  if (hops != other.hops) return false;
  for (unsigned i = 0; i < used(); ++i)
    if (words[i] != other.words[i]) return false;
  return true;
}

std::size_t SmpClient::DeviceNameHash::operator()(const DeviceName& name) const {
  constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15;  // 2^64 / golden ratio, mixes all bits
  std::uint64_t hash = name.hops;
  for (unsigned i = 0; i < name.used(); ++i) {
    hash = (hash ^ name.words[i]) * kOdd;
    hash ^= hash >> 32;
  }
  return hash;
}

SmpClient::SmpClient(SmpTransport& transport, const Clock& clock, const SmpClientOptions& options,
                     const KnownKeys* keys)
    : transport_(transport), clock_(clock), options_(options), keys_(keys) {
  const unsigned count =
      options.on_wire_max == 0 ? kNoLimit : std::min(options.on_wire_max, kNoLimit);
  slots_.resize(count);
  for (unsigned i = count; i > 0; --i) free_.push_back(i - 1);
  // Late answers to a previous manager on this port must not match the new transaction IDs.
  const auto first = static_cast<std::uint32_t>(clock.now().count() / 1000) + 1;
  for (Slot& slot : slots_) slot.generation = first;
}

std::uint64_t SmpClient::transaction_id(std::uint32_t slot) const {
  const bool is_set = slots_[slot].request.method == Method::kSet;
  return std::uint64_t{slots_[slot].generation & kGenerationMask} << kGenerationShift |
         (is_set ? kSetBit : 0) | slot;
}

bool SmpClient::step(SmpWork& work, TimeNs deadline) {
  fill(work);
  if (idle()) return false;
  while (!expiries_.empty()) {  // skips entries of completed requests
    if (is_current(expiries_.front())) break;
    expiries_.pop_front();
  }
  if (!postponed_.empty()) deadline = std::min(deadline, postponed_.begin()->first);
  transport_.wait_until(expiries_.empty() ? deadline
                                          : std::min(deadline, expiries_.front().deadline));
  drain(&work);
  send_postponed();
  expire(work);
  return true;
}

void SmpClient::wait(TimeNs deadline) {
  transport_.wait_until(deadline);
  drain(nullptr);
}

std::optional<Smp> SmpClient::take_unsolicited() { return unsolicited_.pop(); }

void SmpClient::abandon() {
  forget_held();
  for (std::uint32_t slot = 0; slot < slots_.size(); ++slot)
    if (slots_[slot].busy) release(slot);
  expiries_.clear();
  postponed_.clear();
}

void SmpClient::abandon(SmpWork& work, const Error& why) {
  std::vector<std::uint64_t> cookies;
  for (const Slot& slot : slots_)
    if (slot.busy) cookies.push_back(slot.cookie);
  devices_.for_each([&](Devices::Element& element) {
    for (const std::uint64_t cookie : held_.take_all(element.second.held))
      cookies.push_back(cookie);
  });
  abandon();
  std::ranges::sort(cookies);  // the map of devices has no defined order
  for (const std::uint64_t cookie : cookies) work.failed(cookie, why);
}

void SmpClient::forget_held() {
  devices_.for_each([&](Devices::Element& element) {
    held_.take_all(element.second.held);
    element.second.ready = false;
  });
  ready_.clear();
}

void SmpClient::wind_up(TimeNs deadline) {
  DiscardedWork discarded;
  forget_held();
  drain(&discarded);
  while (!idle() && clock_.now() < deadline) {
    transport_.wait_until(deadline);
    drain(&discarded);
  }
  abandon();
}

unsigned SmpClient::full_window() const {
  const auto total = static_cast<unsigned>(slots_.size());
  return options_.device_max == 0 ? total : std::min(options_.device_max, total);
}

/// Whether the window of a device and the limit of vendor-specific requests permit a request now.
bool SmpClient::has_room(const Device& device, const Smp& request) const {
  if (device.on_wire >= device.window) return false;
  return options_.vendor_max == 0 || device.vendor_on_wire < options_.vendor_max ||
         !is_vendor_specific(request);
}

SmpClient::Device& SmpClient::device_of(const Smp& request) {
  const DeviceName name(request);
  if (latest_ != nullptr && latest_->first == name) return latest_->second;
  const auto [found, is_new] = devices_.find_or_add(name);
  latest_ = found;
  Device& device = found->second;
  if (is_new) {
    device.window = full_window();
    if (devices_.size() > kDevicesMax + slots_.size() + held_.size())
      devices_.erase_if([&](const Devices::Element& element) {
        const Device& idle = element.second;
        return idle.on_wire == 0 && idle.held.empty() && !idle.ready && &idle != &device;
      });
  }
  return device;
}

void SmpClient::fill(SmpWork& work) {
  while (!free_.empty()) {
    if (send_held()) continue;
    if (held_.size() >= kHeldMax) return;
    HeldRequest& next = held_.draft();
    if (!work.next(next.request, next.cookie)) return;
    Device& device = device_of(next.request);
    if (device.held.empty() && has_room(device, next.request))
      start(device, next.request, next.cookie);
    else
      held_.push(device.held);
  }
}

/// Sends one waiting request, round-robin over the devices with a window that is not full; false if
/// there is none.
bool SmpClient::send_held() {
  while (!ready_.empty()) {
    Device& device = *ready_.front();
    ready_.pop_front();
    device.ready = false;
    if (device.held.empty()) continue;
    const HeldRequest& next = held_.front(device.held);
    if (!has_room(device, next.request)) continue;
    start(device, next.request, next.cookie);
    held_.pop(device.held);
    make_ready(device);
    return true;
  }
  return false;
}

void SmpClient::make_ready(Device& device) {
  if (device.ready || device.held.empty()) return;
  if (!has_room(device, held_.front(device.held).request)) return;
  device.ready = true;
  ready_.push_back(&device);
}

void SmpClient::start(Device& device, const Smp& request, std::uint64_t cookie) {
  const std::uint32_t index = free_.back();
  free_.pop_back();
  Slot& slot = slots_[index];
  slot.request = request;
  slot.cookie = cookie;
  slot.device = &device;
  slot.busy = true;
  slot.tries = slot.busy_answers = 0;
  ++device.on_wire;
  if (is_vendor_specific(request)) ++device.vendor_on_wire;
  transmit(index);
}

/// The window grows by one after as many answers as its size.
void SmpClient::on_answer(Device& device) {
  device.answered_at = clock_.now();
  if (device.window >= full_window() || ++device.answers < device.window) return;
  device.answers = 0;
  ++device.window;
}

/// Halves the window once for all SMPs that were lost together: SMPs sent before the last halving
/// do not halve it again.
void SmpClient::on_timeout(const Slot& slot) {
  Device& device = *slot.device;
  if (slot.refused || slot.sent_at <= device.cut_at || device.window == 1) return;
  device.window /= 2;
  device.answers = 0;
  device.cut_at = clock_.now();
  ++counts_.window_cuts;
}

/// A try that the transport refuses counts as lost: the next try may succeed.
void SmpClient::transmit(std::uint32_t index) {
  Slot& slot = slots_[index];
  if (++slot.tries > 1) ++slot.generation;
  slot.request.transaction_id = transaction_id(index);
  if (keys_ != nullptr) slot.request.mkey = keys_->key_for(slot.request, slot.tries);
  ++counts_.sent;
  slot.sent_at = clock_.now();
  if (slot.tries == 1) slot.first_sent_at = slot.sent_at;
  expiries_.push_back({slot.sent_at + options_.timeout, index, slot.generation});
  const auto sent = transport_.send(slot.request);
  slot.refused = !sent;
  if (sent) return;
  ++counts_.refused;
  refusal_ = sent.error();
}

void SmpClient::give_up(std::uint32_t index, SmpWork& work) {
  ++counts_.timed_out;
  const std::uint64_t cookie = slots_[index].cookie;
  const Error why = slots_[index].refused ? refusal_ : Error{Code::kTimeout, "does not answer"};
  Device& device = *slots_[index].device;
  const bool silent = !slots_[index].refused && device.answered_at <= slots_[index].first_sent_at;
  release(index);
  work.failed(cookie, why);
  if (silent) give_up_held(device, why, work);
}

/// If a device answered nothing during all tries of a request, its waiting requests fail too;
/// otherwise their timeouts would add up, because the window is small.
void SmpClient::give_up_held(Device& device, const Error& why, SmpWork& work) {
  const std::vector<std::uint64_t> cookies = held_.take_all(device.held);
  counts_.timed_out += cookies.size();
  for (const std::uint64_t cookie : cookies) work.failed(cookie, why);
}

void SmpClient::keep_unsolicited(const Smp& smp) {
  ++counts_.unsolicited;
  if (!unsolicited_.push(smp, smp.slid)) ++counts_.overrun;
}

bool SmpClient::is_awaited(const Smp& answer) const {
  const std::uint32_t index = static_cast<std::uint32_t>(answer.transaction_id) & kSlotMask;
  if (index >= slots_.size() || !slots_[index].busy) return false;
  const Smp& request = slots_[index].request;
  const auto id = static_cast<std::uint32_t>(answer.transaction_id);
  const std::uint32_t tries_since =
      (slots_[index].generation - (id >> kGenerationShift)) & kGenerationMask;
  const bool is_set = request.method == Method::kSet;
  return tries_since < slots_[index].tries && ((id & kSetBit) != 0) == is_set &&
         request.attribute == answer.attribute && request.modifier == answer.modifier &&
         request.hop_count == answer.hop_count;
}

bool SmpClient::is_current(const Expiry& expiry) const {
  const Slot& slot = slots_[expiry.slot];
  return slot.busy && slot.generation == expiry.generation;
}

void SmpClient::drain(SmpWork* work) {
  while (auto arrived = transport_.receive()) {
    if (!is_answer(*arrived)) {
      keep_unsolicited(*arrived);
      continue;
    }
    if (work == nullptr || !is_awaited(*arrived)) {
      ++counts_.stray;
      if ((arrived->transaction_id & kSetBit) != 0) ++counts_.stray_sets;
      continue;
    }
    ++counts_.answered;
    if (arrived->status != mad_status::kGood) ++counts_.bad_status;
    const std::uint32_t index = static_cast<std::uint32_t>(arrived->transaction_id) & kSlotMask;
    if (is_busy(*arrived) && postpone(index)) continue;
    const std::uint64_t cookie = slots_[index].cookie;
    on_answer(*slots_[index].device);
    release(index);
    work->answered(cookie, *arrived);
  }
}

/// After an answer with BUSY, stores the request for another try; false after the last retry. The
/// new try counts as a new request, so that a duplicate answer to the earlier try is stray.
bool SmpClient::postpone(std::uint32_t index) {
  Slot& slot = slots_[index];
  if (slot.busy_answers == kBusyAnswersMax) return false;
  ++counts_.busy;
  ++slot.generation;
  slot.tries = 0;
  slot.device->answered_at = clock_.now();
  const TimeNs due = clock_.now() + busy_pause(slot.busy_answers++);
  postponed_.emplace(due, Expiry{due, index, slot.generation});
  return true;
}

void SmpClient::send_postponed() {
  while (!postponed_.empty() && postponed_.begin()->first <= clock_.now()) {
    const Expiry due = postponed_.begin()->second;
    postponed_.erase(postponed_.begin());
    if (is_current(due)) transmit(due.slot);
  }
}

void SmpClient::expire(SmpWork& work) {
  const TimeNs now = clock_.now();
  while (!expiries_.empty() && expiries_.front().deadline <= now) {
    const Expiry expiry = expiries_.front();
    expiries_.pop_front();
    if (!is_current(expiry)) continue;
    const Slot& slot = slots_[expiry.slot];
    on_timeout(slot);
    if (slot.tries <= options_.retries) {
      ++counts_.retried;
      if (slot.request.method == Method::kSet) ++counts_.retried_sets;
      transmit(expiry.slot);
    } else {
      give_up(expiry.slot, work);
    }
  }
}

void SmpClient::release(std::uint32_t index) {
  Slot& slot = slots_[index];
  slot.busy = false;
  ++slot.generation;
  free_.push_back(index);
  --slot.device->on_wire;
  if (is_vendor_specific(slot.request)) --slot.device->vendor_on_wire;
  make_ready(*slot.device);
}

}  // namespace weft
