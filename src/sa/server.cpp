// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sa/server.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/log.h"
#include "sa/attributes.h"
#include "sa/dump/dump.h"
#include "sa/table_source.h"
#include "sa/trust.h"

namespace weft {
namespace {

constexpr std::uint64_t kViewsKept = 4;         // older views for tables that are being sent
constexpr std::size_t kReceivedAtOnce = 16384;  // requests received before some are served

Method response_to(Method method) {
  if (method == Method::kSet) return Method::kGetResp;
  return static_cast<Method>(static_cast<unsigned>(method) | 0x80);
}

bool is_request(Method method) {
  return method == Method::kGet || method == Method::kSet || method == sa_method::kGetTable ||
         method == sa_method::kDelete || method == sa_method::kGetMulti ||
         method == sa_method::kGetTraceTable;
}

/// Headers of an answer. `record_size`: distance between records in bytes.
Gmp response(const Gmp& request, std::uint16_t status, std::size_t record_size) {
  Gmp gmp = request;
  gmp.method = response_to(request.method);
  gmp.status = status;
  SaHeader header = sa_header(request);
  header.sm_key = SmKey(0);
  header.attribute_offset = static_cast<std::uint16_t>(record_size / 8);
  set_sa_header(gmp, header);
  return gmp;
}

/// Sets the RMPP header of an answer of one MAD.
void set_no_segments(Gmp& gmp) {
  RmppHeader none;
  none.version = rmpp_header(gmp).version;
  none.response_time = 0;
  set_rmpp_header(gmp, none);
}

std::chrono::nanoseconds system_time() {
  return std::chrono::system_clock::now().time_since_epoch();
}

/// A notice about a GID, issued by the SA itself.
Notice notice_of(TrapNumber trap, Lid issuer, const Gid& gid) {
  Notice notice;
  notice.type = NoticeType::kSubnetManagement;
  notice.producer = static_cast<std::uint32_t>(Producer::kClassManager);
  notice.trap = static_cast<std::uint16_t>(trap);
  notice.issuer_lid = issuer;
  notice.details = encode(TrapGid{gid});
  return notice;
}

}  // namespace

SaServer::SaServer(SaOptions options, GmpSink out)
    : options_(std::move(options)),
      out_(std::move(out)),
      time_of_day_(system_time),
      saved_(options_.saved),
      sender_(options_.rmpp, [this](Lid lid) { return port_of(lid); }),
      receiver_(options_.rmpp, [this](Lid lid) { return port_of(lid); }) {}

Lid SaServer::port_of(Lid lid) const {
  const EndportId endport = view_ ? view_->endport_of(lid) : kNoEndport;
  return endport == kNoEndport ? lid : view_->fabric().endport(endport).lid;
}

void SaServer::publish(std::shared_ptr<const Snapshot> snapshot) {
  publish_view(snapshot ? SaView::make_after(view_.get(), std::move(snapshot), options_) : nullptr);
}

std::shared_ptr<const SaView> SaServer::publish_view(std::shared_ptr<SaView> view) {
  const auto before = std::move(view_);
  ++generation_;
  const std::uint64_t oldest = view ? generation_ - std::min(generation_, kViewsKept) : generation_;
  sender_.abort_older(oldest, out_);
  while (const auto get = long_gets_.take_older(oldest)) {
    reply(get->request, mad_status::kBusy);
    count(*get);
  }
  if (view) view->set_aliases(&state_.aliases);
  view_ = std::move(view);
  queue_.set_view(view_);
  ++changes_;
  const bool inherits = view_ && !before && inherited_;
  if (inherits) apply_inherited();
  const bool same_ports = view_ && before && view_->has_same_ports(*before);
  if (!view_)
    state_.aliases.clear();
  else if (!same_ports)
    state_.aliases.follow(view_->fabric(), view_->snapshot().vports);
  state_.groups.follow(view_.get(), before.get());
  if (inherits) state_.groups.take_events();  // the groups are not new
  if (!view_) {
    delayed_.clear();  // requesters repeat their requests to the new master
    state_.groups.take_events();
    was_standby_ = was_standby_ || before != nullptr;
    return before;
  }
  if (options_.drop_event_subscriptions && (!same_ports || was_standby_)) drop_absent_ports();
  was_standby_ = false;
  if (!same_ports) ++ports_version_;
  if (before && !same_ports) report_port_changes(*before);
  report_group_events();
  report_pending_notices();
  return before;
}

/// Leases in files are based on wall-clock time.
std::uint64_t SaServer::unix_now() const {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::seconds>(time_of_day_()).count());
}

void SaServer::inherit(std::shared_ptr<const sa::Saved> saved, TimeNs now) {
  inherited_ = std::move(saved);
  inherited_at_ = now;
  inherited_at_unix_ = unix_now();
}

void SaServer::apply_inherited() {
  state_.subscriptions.remove_if([](const auto&) { return true; });
  state_.services.remove_if([](const auto&) { return true; });
  was_standby_ = false;  // the registrations are current
  saved_ = nullptr;      // older than these registrations
  sa::inherit(*std::exchange(inherited_, nullptr), state_, *view_, inherited_at_,
              inherited_at_unix_);
}

/// A number that increases with each change by handlers, by the reporter and by expired leases.
std::uint64_t SaServer::registrations_version() const {
  return changes_ + state_.subscriptions.removed() + state_.services.removed();
}

std::optional<sa::Registrations> SaServer::take_registrations(TimeNs now) {
  const std::uint64_t version = registrations_version();
  if (!replicated_ || !view_ || now < replica_due_ || version == replica_taken_)
    return std::nullopt;
  const TimeNs begun = time_of_day_();
  sa::Registrations all{version, sa::dump_records(state_, *view_, now, begun)};
  // An administrator may have set the time of day meanwhile.
  const TimeNs took = std::clamp(time_of_day_() - begun, TimeNs{0}, kReplicaTimeMax);
  replica_taken_ = version;
  replica_due_ = now + std::max(kReplicaInterval, kReplicaPause * took);
  return all;
}

/// Sends the answer to a request that changed registrations.
void SaServer::send_change(const Gmp& answer, TimeNs now) {
  ++changes_;
  if (!replicated_ || hold_most_ == TimeNs{0} || delayed_.size() >= kDelayedMax) {
    unconfirmed_ += replicated_ ? 1 : 0;
    return out_(answer);
  }
  delayed_.push_back({answer, registrations_version(), now + hold_most_});
}

void SaServer::release_answers(TimeNs now) {
  while (!delayed_.empty() && (delayed_.front().version <= confirmed_ ||
                               delayed_.front().until <= now || hold_most_ == TimeNs{0})) {
    unconfirmed_ += delayed_.front().version > confirmed_ ? 1 : 0;
    out_(delayed_.front().answer);
    delayed_.pop_front();
  }
}

/// Reports ports that came into service (notice 64) or left it (notice 65). Both lists of ports are
/// in the same order.
void SaServer::report_port_changes(const SaView& before) {
  const auto report = [&](TrapNumber trap, const SaView& view, EndportId endport) {
    reporter_.queue_notice({notice_of(trap, view_->snapshot().sm_lid(), view.gid(endport)),
                            view_->gid(view_->snapshot().sm), std::nullopt, endport},
                           view, state_.subscriptions);
  };
  const auto place_of = [](const SaView& view, EndportId endport) {
    return opensm_order(view.fabric().port(view.fabric().endport(endport).port).guid);
  };
  auto old = before.endports().begin();
  auto now = view_->endports().begin();
  while (old != before.endports().end() || now != view_->endports().end()) {
    const bool only_old =
        now == view_->endports().end() ||
        (old != before.endports().end() && place_of(before, *old) < place_of(*view_, *now));
    if (only_old) {
      report(TrapNumber::kGidOutOfService, before, *old++);
    } else if (old == before.endports().end() || place_of(*view_, *now) < place_of(before, *old)) {
      report(TrapNumber::kGidInService, *view_, *now++);
    } else {
      ++old, ++now;
    }
  }
}

void SaServer::drop_absent_ports() {
  state_.subscriptions.remove_if([&](const sa::Subscription& subscription) {
    return was_standby_ || !view_->find(subscription.subscriber);
  });
  state_.services.remove_if([&](const sa::Service& service) {
    return was_standby_ || !sa::is_served(*view_, service.record);
  });
}

void SaServer::on_trap(const Notice& notice) {
  if (!view_) return;
  const EndportId issuer = view_->fabric().endport_of(notice.issuer_lid);
  if (issuer == kNoEndport) return;
  reporter_.queue_notice({notice, view_->gid(issuer), std::nullopt, issuer}, *view_,
                         state_.subscriptions);
}

/// Reports the notices that handlers and report_group_events() have added.
void SaServer::report_pending_notices() {
  if (state_.pending_notices.empty()) return;
  for (const sa::PendingNotice& pending : std::exchange(state_.pending_notices, {}))
    reporter_.queue_notice(pending, *view_, state_.subscriptions);
}

/// Adds notices about created groups (notice 66) and deleted groups (notice 67), for the members of
/// their partition; report_pending_notices() reports them.
void SaServer::report_group_events() {
  for (const sa::McGroupEvent& event : state_.groups.take_events()) {
    log::debug("SA: multicast group {:016x}{:016x} {}", prefix_of(event.mgid),
               guid_of(event.mgid).value(), event.created ? "created" : "deleted");
    const auto trap = event.created ? TrapNumber::kGroupCreated : TrapNumber::kGroupDeleted;
    state_.pending_notices.push_back({notice_of(trap, view_->snapshot().sm_lid(), event.mgid),
                                      view_->gid(view_->snapshot().sm), event.pkey});
  }
}

void SaServer::set_options(SaOptions options) {
  options_ = std::move(options);
  ++options_version_;
  if (view_) publish(view_->shared_snapshot());
}

void SaServer::on_gmp(const Gmp& gmp, TimeNs now) {
  if (gmp.mgmt_class == MgmtClass::kSubnAdm && gmp.method == Method::kReportResp)
    return reporter_.on_response(gmp, state_.subscriptions);
  if (gmp.mgmt_class != MgmtClass::kSubnAdm || is_response(gmp.method)) {
    ++state_.counts.malformed;
    return;
  }
  const RmppHeader header = rmpp_header(gmp);
  // Programs that rely on RMPP of the kernel, which ibsim does not have, send type 0 and one
  // segment.
  if (header.active && header.type != RmppType::kNone) return on_rmpp(gmp, header, now);
  on_request(gmp, sa_data(gmp), now);
}

void SaServer::serve_waiting(std::size_t count, TimeNs now) {
  while (count-- > 0) {
    const auto gmp = queue_.pop();
    if (!gmp) return;
    on_gmp(*gmp, now);
  }
}

void SaServer::on_rmpp(const Gmp& gmp, const RmppHeader& header, TimeNs now) {
  if (header.type != RmppType::kData) {
    if (header.type == RmppType::kStop || header.type == RmppType::kAbort) receiver_.forget(gmp);
    return sender_.on_gmp(gmp, now, out_);
  }
  const std::uint64_t refused = receiver_.refused();
  auto received = receiver_.on_data(gmp, now, out_);
  if (receiver_.refused() != refused) {
    const EndportId port = view_ ? view_->endport_of(gmp.peer.lid) : kNoEndport;
    state_.refusals.count(sa::Refusal::kRmppRequests,
                          port == kNoEndport ? Guid(0) : guid_of(view_->gid(port)), gmp.peer.lid,
                          now);
  }
  if (received) {
    received->payload.resize(std::max(received->payload.size(), kSaDataSize));
    on_request(received->first, received->payload, now);
  }
}

void SaServer::on_request(const Gmp& gmp, std::span<const std::byte> record, TimeNs now) {
  if (!is_request(gmp.method)) {
    ++state_.counts.malformed;
    return;
  }
  const auto begun = std::chrono::steady_clock::now();
  outcome_ = sa::Meter::kIgnored;
  const std::size_t long_gets = long_gets_.size();
  answer(gmp, record, now);
  if (long_gets_.size() > long_gets) return;  // is counted when it is answered
  meter_->count(static_cast<SaAttribute>(gmp.attribute), outcome_,
                std::chrono::steady_clock::now() - begun);
}

/// Returns the endport of the requester; kNoEndport if the request must be ignored.
EndportId SaServer::admit(const Gmp& gmp, TimeNs now) {
  const EndportId requester = view_ ? view_->endport_of(gmp.peer.lid) : kNoEndport;
  if (requester == kNoEndport) {
    ++state_.counts.ignored;
    return kNoEndport;
  }
  if (rate_.admits(view_->fabric().endport(requester).lid, options_.rate_threshold, now))
    return requester;
  ignore(gmp, requester, sa::Refusal::kRate, now);
  return kNoEndport;
}

void SaServer::ignore(const Gmp& gmp, EndportId requester, sa::Refusal why, TimeNs now) {
  ++state_.counts.ignored;
  state_.refusals.count(why, guid_of(view_->gid(requester)), gmp.peer.lid, now);
}

/// Whether a request with sa_key is trusted. The public default key is not secret, so requests with
/// this key from other ports than the manager's are trusted only with option trust_public_key.
bool SaServer::is_trusted_with_key(EndportId requester) const {
  return options_.sa_key != kPublicSaKey || options_.trust_public_key ||
         requester == view_->snapshot().sm;
}

/// Whether the GID of the global route header, if any, belongs to the port with the source LID, as
/// its own GID, an alias or the GID of a virtual port.
bool SaServer::has_own_gid(const Gmp& gmp, EndportId requester) const {
  return !gmp.peer.route || view_->find(gmp.peer.route->gid) == requester;
}

void SaServer::answer(const Gmp& gmp, std::span<const std::byte> record, TimeNs now) {
  ++state_.counts.requests;
  const EndportId requester = admit(gmp, now);
  if (requester == kNoEndport) return;
  if (gmp.class_version != kSaClassVersion) return reply(gmp, mad_status::kBadVersion);
  sender_.end_unacknowledged(gmp.peer.lid, now);
  const SaHeader header = sa_header(gmp);
  const bool has_key = header.sm_key != SmKey(0) && header.sm_key == options_.sa_key;
  if (!has_key && header.sm_key != SmKey(0))
    return ignore(gmp, requester, sa::Refusal::kWrongKey, now);
  const bool trusted = has_key && is_trusted_with_key(requester);
  if (options_.check_source_gid && !has_own_gid(gmp, requester))
    return ignore(gmp, requester, sa::Refusal::kSourceGid, now);
  const auto id = static_cast<SaAttribute>(gmp.attribute);
  const sa::Attribute* attribute = sa::find_attribute(id);
  if (attribute == nullptr || sa::handler_of(*attribute, gmp.method) == nullptr)
    return reply(gmp, mad_status::kMethodAttributeUnsupported);
  if (attribute->trusted_only && !trusted) return reply(gmp, sa_status::kRequestInvalid);
  SaQuery query{{gmp.method, id, gmp.modifier, header.component_mask, record, gmp.peer, trusted},
                requester,
                *view_,
                RecordFilter(attribute->components, header.component_mask, record),
                now};
  if (options_.trust.enabled && !trusted && !sa::is_allowed_untrusted(query)) {
    sa::count_refusal(state_, query, sa::Refusal::kTrust);
    return reply(gmp, sa_status::kDenied);
  }
  answer(gmp, *attribute, query);
}

void SaServer::answer(const Gmp& gmp, const sa::Attribute& attribute, SaQuery& query) {
  const bool one = gmp.method == Method::kGet;  // further records are only counted
  if (sa::LongGets::is_long(attribute, query)) return begin_long_get(gmp, attribute, query);
  SaAnswer answer(one ? kSaDataSize : options_.answer_max, std::move(scratch_));
  const std::size_t parts = gmp.method == sa_method::kGetTable ? sa::parts_of(attribute, query) : 1;
  if (parts > 1) query.slice = {0, 0};  // errors are found without making records
  const std::uint16_t status = sa::handler_of(attribute, gmp.method)(state_, query, answer);
  if (parts > 1 && status == mad_status::kGood) {
    return reply_in_parts(
        gmp, attribute,
        std::make_unique<sa::TableSource>(state_, attribute, query, view_, parts, generation_),
        query.now);
  }
  report_group_events();
  report_pending_notices();
  if (status != mad_status::kGood) return reply(gmp, status);
  if (one) return finish_get(gmp, attribute, answer, query.now);
  if (answer.overflow()) return reply(gmp, sa_status::kNoResources);
  reply(gmp, answer, query.now);
}

/// Checks the request without making records, then queues the Get.
void SaServer::begin_long_get(const Gmp& gmp, const sa::Attribute& attribute, SaQuery& query) {
  query.slice = {0, 0};
  SaAnswer none(kSaDataSize);
  const std::uint16_t status = attribute.get(state_, query, none);
  if (status != mad_status::kGood) return reply(gmp, status);
  if (!long_gets_.begin(gmp, attribute, query, view_, generation_)) reply(gmp, mad_status::kBusy);
}

void SaServer::finish_get(const Gmp& gmp, const sa::Attribute& attribute, SaAnswer& answer,
                          TimeNs now) {
  if (answer.count() == 0) return reply(gmp, sa_status::kNoRecords);
  if (answer.count() > 1 && !attribute.first_of_many) return reply(gmp, sa_status::kTooManyRecords);
  reply(gmp, answer, now);
  scratch_ = answer.take_memory();
}

void SaServer::continue_long_gets() {
  const auto get = long_gets_.step(state_);
  if (!get) return;
  finish_get(get->request, get->attribute, get->answer, get->query.now);
  count(*get);
}

void SaServer::count(const sa::LongGets::Get& get) {
  meter_->count(get.attribute.id, outcome_, std::chrono::steady_clock::now() - get.begun);
}

void SaServer::reply_in_parts(const Gmp& request, const sa::Attribute& attribute,
                              std::unique_ptr<RmppSource> source, TimeNs now) {
  const Gmp gmp = response(request, mad_status::kGood, attribute.record_size);
  if (sender_.begin(gmp, std::move(source), now, out_)) {
    ++state_.counts.answered;
    outcome_ = sa::Meter::outcome_of(mad_status::kGood);
    return;
  }
  ++state_.counts.overrun;
  reply(request, mad_status::kBusy);
}

/// Sends an answer without records: the request with the status.
void SaServer::reply(const Gmp& request, std::uint16_t status) {
  ++state_.counts.refused;
  outcome_ = sa::Meter::outcome_of(status);
  Gmp gmp = response(request, status, 0);
  set_no_segments(gmp);
  out_(gmp);
}

void SaServer::reply(const Gmp& request, SaAnswer& answer, TimeNs now) {
  const bool has_offset =
      request.attribute != static_cast<std::uint16_t>(SaAttribute::kClassPortInfo);
  Gmp gmp = response(request, mad_status::kGood, has_offset ? answer.record_size() : 0);
  const bool table =
      request.method == sa_method::kGetTable || request.method == sa_method::kGetMulti;
  if (table) {
    if (!sender_.begin(gmp, answer.take(), now, out_)) {
      ++state_.counts.overrun;
      return reply(request, mad_status::kBusy);
    }
    ++state_.counts.answered;
    outcome_ = sa::Meter::outcome_of(mad_status::kGood);
    return;
  }
  ++state_.counts.answered;
  outcome_ = sa::Meter::outcome_of(mad_status::kGood);
  set_no_segments(gmp);
  const auto data = sa_data(gmp);
  std::ranges::fill(data, std::byte{0});
  std::ranges::copy(answer.bytes().first(std::min(answer.record_size(), data.size())),
                    data.begin());
  const bool changes = request.method == Method::kSet || request.method == sa_method::kDelete;
  if (changes) return send_change(gmp, now);
  out_(gmp);
}

/// Members by alias GUIDs are routed to the port that has the alias.
std::optional<GroupChanges> SaServer::take_multicast_groups(TimeNs now) {
  const std::uint64_t version = state_.groups.version() + options_version_;
  if (now < groups_due_ || version == groups_taken_) return std::nullopt;
  const std::uint64_t of_all = options_version_ + state_.aliases.version() +
                               (state_.aliases.all().empty() ? 0 : ports_version_);
  const bool all = of_all != all_groups_taken_ || !view_;
  GroupChanges changes{all, {}};
  if (view_) changes.groups = state_.groups.take_changed(*view_, all ? SIZE_MAX : kGroupsPerCall);
  if (all) changes.groups = multicast_groups();
  if (!view_ || !state_.groups.has_changed()) {
    groups_taken_ = version;
    groups_due_ = now + kGroupsInterval;
  }
  all_groups_taken_ = of_all;
  if (options_.disable_multicast) changes.groups.clear();
  return changes;
}

std::optional<AliasGuids> SaServer::take_alias_guids() {
  const std::uint64_t version = state_.aliases.version();
  if (std::exchange(aliases_taken_, version) == version) return std::nullopt;
  return alias_guids();
}

std::string SaServer::dump(TimeNs now) const {
  return view_ ? sa::dump_text(state_, *view_, now, time_of_day_()) : std::string();
}

void SaServer::step(TimeNs now) {
  if (view_ && saved_)
    sa::restore(*std::exchange(saved_, nullptr), state_, *view_, now, unix_now());
  continue_long_gets();
  release_answers(now);
  sender_.step(now, out_);
  receiver_.step(now, out_);
  if (view_) reporter_.step(now, *view_, state_.subscriptions, out_);
  for (std::size_t kind = 0; kind < sa::kRefusalKinds; ++kind)
    meter_->refusals[kind].set(state_.refusals.of(static_cast<sa::Refusal>(kind)));
  state_.counts.dropped_over_share = queue_.dropped_over_share();
  meter_->malformed.set(state_.counts.malformed);
  meter_->transfers_under_way.set(transfers_under_way());
  meter_->bytes_under_way.set(bytes_under_way());
  meter_->subscriptions.set(state_.subscriptions.size());
  meter_->services.set(state_.services.size());
  meter_->groups.set(state_.groups.all().size());
  meter_->reports_sent.set(reporter_.counts().started);
}

TimeNs SaServer::next_event() const {
  if (queue_.size() > 0 || !long_gets_.empty()) return TimeNs{0};
  const TimeNs reports = view_ ? reporter_.next_event() : TimeNs::max();
  const TimeNs groups =
      state_.groups.version() + options_version_ == groups_taken_ ? TimeNs::max() : groups_due_;
  const bool is_replica_due = replicated_ && view_ && registrations_version() != replica_taken_;
  const TimeNs replica = is_replica_due ? replica_due_ : TimeNs::max();
  const TimeNs delayed = delayed_.empty() ? TimeNs::max() : delayed_.front().until;
  return std::min(
      {sender_.next_event(), receiver_.next_event(), reports, groups, replica, delayed});
}

GmpSink send_by(GmpTransport& transport) {
  return [&transport](const Gmp& gmp) {
    if (const auto sent = transport.send(gmp); !sent)
      log::debug("SA: MAD to LID {} not sent: {}", gmp.peer.lid.value(), sent.error().message);
  };
}

void serve(SaServer& server, GmpTransport& transport, const Clock& clock, std::size_t requests) {
  do {
    for (std::size_t taken = 0; taken < kReceivedAtOnce; ++taken) {
      const auto gmp = transport.receive();
      if (!gmp) break;
      server.enqueue(*gmp);
    }
    const std::size_t served = std::min(requests, kServedAtOnce);
    server.serve_waiting(served, clock.now());
    requests -= served;
  } while (requests > 0 && server.waiting() > 0);
  server.step(clock.now());
}

}  // namespace weft
