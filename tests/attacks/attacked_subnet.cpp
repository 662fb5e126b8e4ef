// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "attacked_subnet.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>

#include "sa/paths/paths.h"

namespace weft::attacks {

using std::chrono::milliseconds;
using std::chrono::seconds;

// ---- The manager's wire

Status WatchedWire::send(const Smp& smp) {
  if (smp.method == Method::kTrapRepress && represses_.size() < kKept) represses_.push_back(smp);
  return wire_.send(smp);
}

std::optional<Smp> WatchedWire::receive() {
  if (injected_.empty()) return wire_.receive();
  const Smp first = injected_.front();
  injected_.erase(injected_.begin());
  return first;
}

void WatchedWire::wait_until(TimeNs deadline) {
  if (injected_.empty()) wire_.wait_until(deadline);
}

Status DelayedTransport::send(const Gmp& gmp) {
  held_.push_back({delay_ ? delay_() : TimeNs{0}, gmp});
  return {};
}

void DelayedTransport::release(TimeNs now) {
  for (; !held_.empty() && held_.front().first <= now; held_.pop_front())
    if (const auto sent = wire_.send(held_.front().second); !sent) break;
}

namespace {

TimeNs thread_time() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return seconds(time.tv_sec) + TimeNs(time.tv_nsec);
}

/// Processor time of all threads of this process, since routes are computed on several threads.
TimeNs processor_time() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return seconds(time.tv_sec) + TimeNs(time.tv_nsec);
}

}  // namespace

// ---- The subnet

AttackedSubnet::AttackedSubnet(Fabric fabric, SmOptions sm_options, SaOptions sa_options,
                               const EmulatorOptions& emulator)
    : fabric_(std::move(fabric)),
      emulated_(fabric_, emulator),
      sm_options_(std::move(sm_options)),
      sa_options_(std::move(sa_options)) {
  sm_options_.cache_dir = cache_.path();
}

AttackedSubnet::~AttackedSubnet() {
  if (!sm_) return;
  sa_.reset();
  emulated_.detach_gmps(endport(0), MgmtClass::kSubnAdm);
  sm_.reset();
  wire_.reset();
  emulated_.detach(endport(0));
}

bool AttackedSubnet::start() {
  wire_.emplace(emulated_.attach(endport(0)));
  sm_ = std::make_unique<SubnetManager>(*wire_, emulated_.clock(), sm_options_);
  queries_.emplace(emulated_.attach_gmps(endport(0), MgmtClass::kSubnAdm));
  sa_ = std::make_unique<SaServer>(sa_options_, send_by(*queries_));
  const bool up = run_until(
      [&] { return sm_->settled() && sm_->snapshot() != nullptr && sm_->last_report().up; });
  run_for(milliseconds(20));
  return up;
}

/// Prepares the view for the SA, and applies changes of groups and alias GUIDs, as the manager's
/// thread does.
void AttackedSubnet::prepare_sa_view() {
  replaced_.clear();
  if (const auto snapshot = sm_->snapshot(); snapshot != published_) {
    published_ = snapshot;
    to_publish_ =
        snapshot ? SaView::make_after(newest_view_.get(), snapshot, sa_options_) : nullptr;
    newest_view_ = *to_publish_;
  }
  occurrences_ += sm_->take_occurrences().size();
  if (groups_) sm_->change_multicast_groups(*std::exchange(groups_, std::nullopt));
  if (aliases_) sm_->set_alias_guids(*std::exchange(aliases_, std::nullopt));
}

void AttackedSubnet::serve_sa(std::size_t requests) {
  if (to_publish_)
    replaced_.push_back(sa_->publish_view(*std::exchange(to_publish_, std::nullopt)));
  for (const Notice& trap : sm_->take_traps()) {
    ++traps_forwarded_;
    sa_->on_trap(trap);
  }
  serve(*sa_, *queries_, emulated_.clock(), requests);
  if (auto groups = sa_->take_multicast_groups(emulated_.clock().now())) {
    if (!groups_) groups_.emplace();
    groups_->add(std::move(*groups));
  }
  if (auto aliases = sa_->take_alias_guids()) aliases_ = std::move(aliases);
}

void AttackedSubnet::step(TimeNs deadline) {
  sm_->step(deadline);
  prepare_sa_view();
  serve_sa(kServedPerCall);
  queries_->release(TimeNs::max());
}

void AttackedSubnet::timed_step() {
  constexpr TimeNs kTick = std::chrono::microseconds(5);
  const TimeNs now = emulated_.clock().now();
  if (now >= sm_busy_until_) {
    const TimeNs begin = processor_time();
    sm_->step(now);
    prepare_sa_view();
    sm_busy_until_ = now + processor_time() - begin;
    busy_.sm_longest = std::max(busy_.sm_longest, sm_busy_until_ - now);
    busy_.sm += sm_busy_until_ - now;
  }
  queries_->release(now);
  while (sa_busy_until_ < now + kTick) {
    const TimeNs from = std::max(now, sa_busy_until_), begin = thread_time();
    queries_->set_delay([from, begin] { return from + thread_time() - begin; });
    serve_sa(kServedAtOnce);
    queries_->set_delay({});
    sa_busy_until_ = from + thread_time() - begin;
    busy_.sa_longest = std::max(busy_.sa_longest, sa_busy_until_ - from);
    busy_.sa += sa_busy_until_ - from;
    if (sa_->next_event() > now) break;
  }
  emulated_.run_until(now + kTick);
}

void AttackedSubnet::run_for(TimeNs span) {
  const TimeNs end = emulated_.clock().now() + span;
  while (emulated_.clock().now() < end) {
    if (charges_time_)
      timed_step();
    else
      step(emulated_.clock().now() + milliseconds(1));
  }
}

bool AttackedSubnet::run_until(const std::function<bool()>& done, TimeNs limit) {
  const TimeNs end = emulated_.clock().now() + limit;
  while (!done() && emulated_.clock().now() < end) run_for(milliseconds(5));
  return done();
}

// ---- A host

Host::Host(AttackedSubnet& subnet, unsigned number, bool is_sm)
    : subnet_(subnet),
      number_(number),
      wire_(subnet.emulated().attach(subnet.endport(number), is_sm)) {
  client_.emplace(subnet.emulated().attach_gmps(subnet.endport(number), MgmtClass::kSubnAdm),
                  subnet.emulated().clock(), subnet.lid(0),
                  [this] { subnet_.run_for(milliseconds(1)); });
}

Host::~Host() {
  subnet_.emulated().detach_gmps(subnet_.endport(number_), MgmtClass::kSubnAdm);
  subnet_.emulated().detach(subnet_.endport(number_));
}

std::size_t Host::drain() {
  std::size_t count = 0;
  while (client_->transport().receive()) ++count;
  while (wire_.receive()) ++count;
  return count;
}

void Host::trap(const Notice& notice) {
  static_cast<void>(wire_.send(trap_of(notice, lid(), subnet_.lid(0), 7)));
}

std::optional<Smp> Host::sm_info(Method method, std::uint32_t modifier, const SmInfo& info) {
  Smp smp;
  smp.mgmt_class = MgmtClass::kSmpLidRouted;
  smp.method = method;
  smp.attribute = AttributeId::kSmInfo;
  smp.modifier = modifier;
  smp.transaction_id = 99;
  smp.slid = lid();
  smp.dlid = subnet_.lid(0);
  if (method == Method::kSet) smp.data = encode(info);
  static_cast<void>(wire_.send(smp));
  for (int attempt = 0; attempt < 200; ++attempt) {
    subnet_.run_for(milliseconds(1));
    while (const auto came = wire_.receive())
      if (came->attribute == AttributeId::kSmInfo && came->method == Method::kGetResp) return came;
  }
  return std::nullopt;
}

Gmp Host::path_to(unsigned host) {
  PathRecord path;
  path.sgid = gid();
  path.dgid = subnet_.gid(host);
  return client_->request(Method::kGet, SaAttribute::kPathRecord,
                          1u << sa::path_bit::kSgid | 1u << sa::path_bit::kDgid, path);
}

Gmp Host::member(Method method, std::uint64_t mask, const McMemberRecord& record) {
  return client_->request(method, SaAttribute::kMcMemberRecord, mask, record);
}

Gmp Host::service(Method method, const ServiceRecord& record) {
  return client_->request(method, SaAttribute::kServiceRecord, 0x7F, record);
}

Gmp Host::subscription(std::uint16_t trap, Lid about) {
  InformInfo info;
  info.lid_begin = about;
  info.generic = true;
  info.subscribe = true;
  info.type = 0xFFFF;
  info.trap = trap;
  info.qpn = 1;
  info.producer = 0xFFFFFF;
  return client_->request(Method::kSet, SaAttribute::kInformInfo, 0, info);
}

Gmp Host::aliases(Method method, Lid of, unsigned index, Guid guid) {
  GuidInfoRecord record;
  record.lid = of;
  record.table.guids[index] = guid;
  return client_->request(method, SaAttribute::kGuidInfoRecord,
                          std::uint64_t{3} | std::uint64_t{1} << (4 + index), record);
}

std::array<Gmp, 2> Host::long_request() {
  constexpr std::size_t kGids = 12;  // more GIDs than fit into one segment
  constexpr std::size_t kPayload = MultiPathRecord::kSize + kGids * sizeof(Gid);
  constexpr std::uint64_t kCounts = 1u << 19 | 1u << 20;
  MultiPathRecord wanted;
  wanted.sgid_count = 1;
  wanted.dgid_count = kGids - 1;
  std::array<std::byte, 2 * kSaDataSize> payload{};
  std::ranges::copy(encode(wanted), payload.begin());
  for (std::size_t i = 0; i < kGids; ++i)
    std::ranges::copy(gid(), payload.begin() + MultiPathRecord::kSize + i * sizeof(Gid));
  Gmp first = client_->request(sa_method::kGetMulti, SaAttribute::kMultiPathRecord, kCounts);
  std::copy_n(payload.begin(), kSaDataSize, sa_data(first).begin());
  RmppHeader header;
  header.version = kRmppVersion;
  header.type = RmppType::kData;
  header.active = true;
  header.first = true;
  header.segment = 1;
  header.length = static_cast<std::uint32_t>(2 * kSaHeaderSize + kPayload);
  set_rmpp_header(first, header);
  Gmp second = first;
  std::copy_n(payload.begin() + kSaDataSize, kSaDataSize, sa_data(second).begin());
  header.first = false;
  header.last = true;
  header.segment = 2;
  header.length = static_cast<std::uint32_t>(kSaHeaderSize + kPayload - kSaDataSize);
  set_rmpp_header(second, header);
  return {first, second};
}

bool Host::gets_path(unsigned host) {
  for (int attempt = 0; attempt < 5; ++attempt) {
    const auto reply = client_->query(path_to(host));
    if (reply && reply->status == mad_status::kGood) return true;
  }
  return false;
}

std::uint16_t Host::status_of(const Gmp& gmp) {
  const auto reply = client_->query(gmp);
  return reply ? reply->status : std::uint16_t{0xFFFF};
}

McMemberRecord membership(const Gid& group, const Gid& port, Pkey pkey) {
  McMemberRecord record;
  record.mgid = group;
  record.port_gid = port;
  record.join_state = 1;
  record.pkey = pkey;
  record.qkey = 0x4711;
  return record;
}

PartitionFile partitions_of(const std::string& text) {
  std::vector<std::string> warnings;
  auto file = parse_partitions(text, "attacks", warnings);
  EXPECT_TRUE(file) << text;
  return file ? *file : PartitionFile{};
}

}  // namespace weft::attacks
