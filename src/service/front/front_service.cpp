// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/front/front_service.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "service/http/event_stream.h"
#include "service/http/http_api.h"

namespace weft::front {
namespace {

using Steady = std::chrono::steady_clock;

constexpr int kServiceTickMs = 1000;  // time between two kFrontHeartbeat messages
constexpr std::size_t kBodiesMax = 256;
constexpr std::chrono::milliseconds kAtOnce{0};

std::int64_t steady_ns() { return Steady::now().time_since_epoch().count(); }

HttpAnswer busy(const char* why) { return http::error_answer(503, why); }

}  // namespace

FrontService::FrontService(Channel& channel, const FrontSetup& setup, const ServiceLimits& limits)
    : channel_(channel),
      limits_(limits),
      loopback_(setup.loopback),
      page_(PageFiles::of(setup.page)),
      last_message_ns_(steady_ns()),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

Status FrontService::start(const HttpListener& listener, std::shared_ptr<const HttpTls> tls) {
  HttpServer::Handlers handlers;
  handlers.quick = [this](const HttpRequest& request) { return quick_answer(request); };
  handlers.remote = [this](const HttpRequest& request, HttpServer::Done done) {
    ask_manager(request, std::move(done));
  };
  handlers.rank = [this](const HttpRequest& request) {
    return priority_of_path(request.path, is_page(request));
  };
  server_ = HttpServer::on(listener, std::move(handlers), {}, std::move(tls));
  ring_->on_entry_added = [this] { server_->wake(); };
  send(Kind::kReady, {});  // must precede the first request
  return server_->start();
}

void FrontService::run() {
  Time next_heartbeat{};
  while (true) {
    std::array<pollfd, 2> polled{{{channel_.fd(), POLLIN, 0}, {wake_.get(), POLLIN, 0}}};
    {
      const std::lock_guard lock(mutex_);
      if (!unsent_.empty()) polled[0].events |= POLLOUT;
    }
    (void)::poll(polled.data(), polled.size(), kServiceTickMs);
    std::uint64_t count = 0;
    if ((polled[1].revents & POLLIN) != 0) (void)!::read(wake_.get(), &count, sizeof count);
    Message message;
    Channel::Got got{};
    while ((got = channel_.receive(message, true)) == Channel::Got::kMessage)
      if (!take(std::move(message))) return;
    if (got != Channel::Got::kNothing) return;
    const Time now = Steady::now();
    if (now >= next_heartbeat) {
      next_heartbeat = now + std::chrono::milliseconds(kServiceTickMs);
      send(Kind::kFrontHeartbeat, {});
      check_deadlines();
    }
    if (!flush()) return;
  }
}

bool FrontService::is_page(const HttpRequest& request) const {
  return page_.find(request.path) != nullptr;
}

bool FrontService::is_manager_silent() const {
  return std::chrono::nanoseconds(steady_ns() - last_message_ns_) > limits_.silence_max;
}

HttpAnswer FrontService::health() const {
  if (!is_manager_silent()) return http::text_answer(200, "ok\n");
  const auto silent = std::chrono::duration_cast<std::chrono::seconds>(
      std::chrono::nanoseconds(steady_ns() - last_message_ns_));
  return http::text_answer(
      503, fmt::format("the subnet manager has not responded for {} s\n", silent.count()));
}

std::optional<HttpAnswer> FrontService::quick_answer(const HttpRequest& request) const {
  if (auto refused = refuse_host(loopback_, request)) return refused;
  if (request.method == "GET") {
    if (is_page(request)) return page_.answer(request);
    if (request.path == "/healthz") return health();
  }
  if (is_manager_silent()) return busy("the subnet manager does not respond");
  return std::nullopt;
}

void FrontService::ask_manager(const HttpRequest& request, HttpServer::Done done) {
  Request asked{0, request};
  // Refuse a request that the manager cannot decode: the manager treats it as an attack.
  if (!decode_request(encode(asked))) return done(refusal(400));
  bool is_full = false;
  {
    const std::lock_guard lock(mutex_);
    is_full = waiting_.size() >= limits_.waiting_max;
    if (!is_full) {
      asked.id = ++last_id_;
      waiting_.emplace(asked.id, Waiting{std::move(done), Steady::now()});
    }
  }
  if (is_full) return done(busy("too many requests wait for the subnet manager"));
  send(Kind::kRequest, encode(asked));
}

/// Queues the message for the thread of run(), because the calling thread must not block.
void FrontService::send(Kind kind, std::string bytes) {
  {
    const std::lock_guard lock(mutex_);
    if (kind == Kind::kFrontHeartbeat && !unsent_.empty()) return;
    unsent_.emplace_back(kind, std::move(bytes));
  }
  constexpr std::uint64_t kOne = 1;
  (void)!::write(wake_.get(), &kOne, sizeof kOne);
}

/// Sends the queued messages until the channel is full. Returns false if sending fails, as after
/// the end of the manager.
bool FrontService::flush() {
  while (true) {
    std::pair<Kind, std::string> next;
    {
      const std::lock_guard lock(mutex_);
      if (unsent_.empty()) return true;
      next = unsent_.front();
    }
    errno = 0;
    if (!channel_.send(static_cast<std::uint8_t>(next.first), next.second, {}, kAtOnce))
      return errno == EAGAIN;
    const std::lock_guard lock(mutex_);
    unsent_.pop_front();
  }
}

bool FrontService::take(Message message) {
  last_message_ns_ = steady_ns();
  switch (static_cast<Kind>(message.kind)) {
    case Kind::kAnswer:
      return take_answer(message);
    case Kind::kEvents:
      return take_events(message);
    case Kind::kTls:
      return take_tls(message);
    case Kind::kManagerHeartbeat:
      return true;
    default:
      return false;
  }
}

bool FrontService::take_answer(Message& message) {
  auto received = decode_answer(message.bytes);
  if (!received || message.descriptors.size() != (received->file_id != 0 ? 1U : 0U)) return false;
  HttpAnswer& answer = received->answer;
  if (received->file_id != 0) {
    std::weak_ptr<const std::string>& known = bodies_[received->file_id];
    answer.body = known.lock();
    if (!answer.body) {
      auto content = content_of(message.descriptors.front().get(), received->file_size);
      if (!content) return false;
      answer.body = std::make_shared<const std::string>(std::move(*content));
      known = answer.body;
    }
    if (bodies_.size() > kBodiesMax)
      std::erase_if(bodies_, [](const auto& entry) { return entry.second.expired(); });
  }
  if (answer.stream_after) answer.stream = http::event_stream_after(ring_, *answer.stream_after);
  HttpServer::Done done;
  {
    const std::lock_guard lock(mutex_);
    const auto found = waiting_.find(received->id);
    if (found == waiting_.end()) return true;  // the response arrived after the deadline
    done = std::move(found->second.done);
    waiting_.erase(found);
  }
  done(std::move(answer));
  return true;
}

bool FrontService::take_events(const Message& message) {
  auto entries = decode_events(message.bytes);
  if (!entries) return false;
  for (EventRing::Entry& entry : *entries) ring_->put(std::move(entry));
  return true;
}

bool FrontService::take_tls(const Message& message) {
  auto texts = decode_tls(message.bytes);
  if (!texts) return false;
  auto tls = HttpTls::of(std::move(*texts));
  if (!tls) return false;
  server_->set_tls(std::move(*tls));
  return true;
}

void FrontService::check_deadlines() {
  std::vector<HttpServer::Done> late;
  const Time now = Steady::now();
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(waiting_, [&](auto& entry) {
      if (now - entry.second.since <= limits_.answer_max) return false;
      late.push_back(std::move(entry.second.done));
      return true;
    });
  }
  for (const HttpServer::Done& done : late) done(busy("the subnet manager has not answered"));
}

}  // namespace weft::front
