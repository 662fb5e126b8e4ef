// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/front/front_host.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/secret.h"
#include "base/text.h"

namespace weft::front {
namespace {

using Steady = std::chrono::steady_clock;

constexpr int kHostTickMs = 1000;    // time between two kManagerHeartbeat messages
constexpr int kMessagesAtOnce = 64;  // messages received before other work
constexpr std::size_t kBodyInside = 16 * 1024;
constexpr auto kEndMax =
    std::chrono::seconds(1);  // time from the end of the channel until the process is killed
constexpr std::size_t kReasonMax = 300;  // logged characters of a text from the HTTP process

HttpAnswer answer_of(const std::function<HttpAnswer()>& make) {
  try {
    return make();
  } catch (const std::exception&) {  // such as std::bad_alloc
    return refusal(500);
  }
}

template <class Content>
std::optional<Content> content_as(const std::string& bytes) {
  Content content;
  if (bytes.size() != sizeof content) return std::nullopt;
  std::memcpy(&content, bytes.data(), sizeof content);
  return content;
}

}  // namespace

struct FrontHost::Peer {
  Peer(Descriptor socket, std::int32_t process) : channel(std::move(socket)), pid(process) {}

  Channel channel;
  const std::int32_t pid;
  bool is_ready = false;
  Time last_message = Steady::now();
  Time next_heartbeat{};
  std::uint64_t sent_event = 0;            // id of the last event that was sent
  std::atomic<std::size_t> under_way = 0;  // requests that wait for an answer
  std::atomic<bool> is_gone = false;       // the channel is closed
};

FrontHost::FrontHost(HttpApi& api, std::shared_ptr<const EventRing> ring,
                     const HttpListener& listener, FrontSetup setup, const HostLimits& limits)
    : api_(api),
      ring_(std::move(ring)),
      listener_(listener.fd),
      port_(listener.port),
      limits_(limits),
      setup_(std::move(setup)),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

Status FrontHost::start(Starter starter) {
  starter_pid_ = starter.pid;
  control_ = std::make_unique<Channel>(std::move(starter.control));
  workers_.start();
  thread_ = std::thread([this] {
    lower_http_priority();
    serve();
  });
  return {};
}

FrontHost::~FrontHost() {
  ending_ = true;
  wake();
  if (thread_.joinable()) thread_.join();
  if (peer_) peer_->is_gone = true;
  workers_.stop();
  if (control_) end_starter({starter_pid_, control_->take_socket()});
}

void FrontHost::wake() {
  constexpr std::uint64_t kOne = 1;
  (void)!::write(wake_.get(), &kOne, sizeof kOne);
}

void FrontHost::set_tls(const HttpTlsTexts& texts) {
  {
    const std::lock_guard lock(setup_mutex_);
    if (!setup_.tls) return;
    setup_.tls = texts;
  }
  has_new_tls_ = true;
  wake();
}

void FrontHost::serve() {
  while (!ending_) {
    std::array<pollfd, 3> polled{{{wake_.get(), POLLIN, 0},
                                  {control_ ? control_->fd() : -1, POLLIN, 0},
                                  {peer_ ? peer_->channel.fd() : -1, POLLIN, 0}}};
    (void)::poll(polled.data(), polled.size(), kHostTickMs);
    if (ending_) return;
    std::uint64_t count = 0;
    if ((polled[0].revents & POLLIN) != 0) (void)!::read(wake_.get(), &count, sizeof count);
    if (peer_ && polled[2].revents != 0) take_messages();
    if (control_ && polled[1].revents != 0) take_control();
    if (peer_) send_tls();
    if (peer_) send_events();
    if (peer_) check_peer();
    if (kill_at_ && Steady::now() >= *kill_at_) end_peer();
  }
}

void FrontHost::take_control() {
  Message message;
  const Channel::Got got = control_->receive(message, true);
  if (got == Channel::Got::kNothing) return;
  if (got != Channel::Got::kMessage) {
    log::error("HTTP process: the starter process has ended; restart the manager to restore HTTP");
    control_.reset();
    if (starter_pid_ > 0) (void)::waitpid(std::exchange(starter_pid_, -1), nullptr, WNOHANG);
    return;
  }
  if (message.kind == static_cast<std::uint8_t>(Control::kStarted)) return connect_peer(message);
  const auto ended = content_as<Ended>(message.bytes);
  if (message.kind != static_cast<std::uint8_t>(Control::kEnded) || !ended) return;
  constexpr double kMsPerSecond = 1000;
  log::error("HTTP process {} {}: restart in {} s", ended->pid, describe(*ended),
             ended->wait_ms / kMsPerSecond);
  drop_peer();
}

/// Connects to a new HTTP process and sends the setup, which has all data that the process needs.
void FrontHost::connect_peer(Message& message) {
  const auto started = content_as<Started>(message.bytes);
  if (!started || message.descriptors.size() != 1) return;
  drop_peer();
  peer_ = std::make_shared<Peer>(std::move(message.descriptors.front()), started->pid);
  has_new_tls_ = false;
  std::string bytes;
  {
    const std::lock_guard lock(setup_mutex_);
    bytes = encode(setup_);
  }
  const std::array<int, 1> passed{listener_.get()};
  if (!send(Kind::kSetup, bytes, passed)) kill_peer("received no setup");
  wipe(bytes);
}

void FrontHost::take_messages() {
  Message message;
  for (int i = 0; i < kMessagesAtOnce && peer_; ++i) {
    const Channel::Got got = peer_->channel.receive(message, false);
    if (got == Channel::Got::kNothing) return;
    if (got == Channel::Got::kInvalid)
      return kill_peer("sent a message that is too long, or a file");
    if (got == Channel::Got::kClosed) return disconnect_peer();
    peer_->last_message = Steady::now();
    take(std::move(message));
  }
}

void FrontHost::take(Message message) {
  switch (static_cast<Kind>(message.kind)) {
    case Kind::kReady:
      if (std::exchange(peer_->is_ready, true)) return kill_peer("reported its start twice");
      return log::info("HTTP process {} serves", peer_->pid);
    case Kind::kFrontHeartbeat:
      return;
    case Kind::kRequest:
      if (!peer_->is_ready) return kill_peer("sent a request before it reported its start");
      return take_request(message.bytes);
    case Kind::kFailed:
      log::error("HTTP process {}: {}", peer_->pid,
                 weft::quoted(std::string_view(message.bytes).substr(0, kReasonMax)));
      return;
    default:
      return kill_peer(fmt::format("sent a message of the unknown kind {}", message.kind));
  }
}

void FrontHost::take_request(const std::string& bytes) {
  auto request = decode_request(bytes);
  if (!request) return kill_peer("sent a " + request.error().message);
  const PeerPtr peer = peer_;
  if (++peer->under_way > limits_.requests_max) return kill_peer("sent too many requests");
  const std::uint64_t id = request->id;
  std::optional<HttpAnswer> quick;
  HttpAnswer failed = answer_of([&] {
    quick = api_.quick_answer(request->request);
    return HttpAnswer();
  });
  if (failed.status != 200) quick = std::move(failed);
  if (quick) return reply(peer, id, std::move(*quick));
  const bool has_priority = is_health_path(request->request.path);
  const auto kind = has_priority ? HttpWorkers::JobKind::kHealth : HttpWorkers::JobKind::kAnswers;
  auto job = [this, peer, id, asked = std::move(request->request)] { compute(peer, id, asked); };
  if (!workers_.post(kind, std::move(job), limits_.answers_max)) reply(peer, id, refusal(503));
}

/// Computes the response to a request, on a worker thread.
void FrontHost::compute(const PeerPtr& peer, std::uint64_t id, const HttpRequest& request) {
  if (peer->is_gone) return;
  HttpAnswer answer = answer_of([&] { return api_.answer(request); });
  if (answer.deferred) {
    auto done = [this, peer, id](HttpAnswer made) { reply(peer, id, std::move(made)); };
    return answer.deferred(std::move(done));
  }
  if (!answer.later) return reply(peer, id, std::move(answer));
  auto wait = [this, peer, id, later = std::move(answer.later)] {
    if (!peer->is_gone) reply(peer, id, answer_of(later));
  };
  if (!workers_.post(HttpWorkers::JobKind::kManager, std::move(wait), limits_.changes_max))
    reply(peer, id, refusal(503));
}

/// Sends the response to a request; called on any thread.
void FrontHost::reply(const PeerPtr& peer, std::uint64_t id, HttpAnswer answer) {
  --peer->under_way;
  if (peer->is_gone) return;
  Answer sent{id, std::move(answer)};
  std::optional<BodyFiles::File> file;
  if (const auto& body = sent.answer.body; body && body->size() > kBodyInside) {
    if (body->size() <= kFileMax) file = bodies_.file_of(body);
    if (file) {
      sent.file_id = file->id;
      sent.file_size = body->size();
    } else {
      sent.answer = refusal(503);
    }
  }
  std::vector<int> passed;
  if (file) passed.push_back(file->descriptor->get());
  const bool is_sent = (!file || peer->channel.await_read(limits_.send_max)) &&
                       peer->channel.send(static_cast<std::uint8_t>(Kind::kAnswer), encode(sent),
                                          passed, limits_.send_max);
  if (is_sent) return;
  peer->is_gone = true;
  wake();
}

bool FrontHost::send(Kind kind, std::string_view bytes, std::span<const int> descriptors) {
  return peer_->channel.send_any(kind, bytes, descriptors, limits_.send_max);
}

void FrontHost::send_events() {
  while (ring_ && peer_ && peer_->is_ready && peer_->sent_event < ring_->total()) {
    const auto entries = ring_->after(peer_->sent_event, kEventsAtOnce);
    if (entries.empty()) return;
    peer_->sent_event = entries.back().id;
    if (!send(Kind::kEvents, encode(entries))) return kill_peer("received no events");
  }
}

void FrontHost::send_tls() {
  if (!peer_->is_ready || !has_new_tls_.exchange(false)) return;
  std::string bytes;
  {
    const std::lock_guard lock(setup_mutex_);
    bytes = encode(*setup_.tls);
  }
  if (!send(Kind::kTls, bytes)) kill_peer("received no new certificate");
  wipe(bytes);
}

void FrontHost::check_peer() {
  if (peer_->is_gone) return kill_peer("does not read");
  const Time now = Steady::now();
  if (now - peer_->last_message > limits_.silence_max) return kill_peer("does not respond");
  if (!peer_->is_ready || now < peer_->next_heartbeat) return;
  peer_->next_heartbeat = now + std::chrono::milliseconds(kHostTickMs);
  if (!send(Kind::kManagerHeartbeat, {})) kill_peer("does not read");
}

/// Kills the HTTP process; the starter starts another process.
void FrontHost::kill_peer(std::string_view why) {
  log::error("HTTP process {} {}: killed", peer_->pid, why);
  end_peer();
}

void FrontHost::end_peer() {
  drop_peer();
  if (control_)
    (void)control_->send(static_cast<std::uint8_t>(Control::kKill), {}, {}, limits_.send_max);
}

/// Call when the HTTP process has closed the channel. If the starter does not report the end of the
/// process within kEndMax, the process is killed.
void FrontHost::disconnect_peer() {
  drop_peer();
  kill_at_ = Steady::now() + kEndMax;
}

void FrontHost::drop_peer() {
  if (peer_) peer_->is_gone = true;
  peer_.reset();
  kill_at_.reset();
}

}  // namespace weft::front
