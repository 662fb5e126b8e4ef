// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/http/http_server.h"

#include <fcntl.h>
#include <microhttpd.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "service/http/server/http_exchange.h"

namespace weft {
namespace {

constexpr int kHttpTickMs = 250;
constexpr auto kPauseWithoutDescriptors = std::chrono::milliseconds(100);
constexpr auto kPauseAtLimit = std::chrono::milliseconds(5);
constexpr std::size_t kMemoryOfConnection = 2 * kHttpHeadMax;  // half for received bytes
constexpr std::size_t kStreamBlock = 8192;
constexpr auto kRetiredFor = std::chrono::seconds(10);

tl::unexpected<Error> http_socket_error(const std::string& what) {
  return fail(Code::kEnvironment, "http: {}: {}", what, std::strerror(errno));
}

HttpAnswer answer_by(const std::function<HttpAnswer()>& make) {
  try {
    return make();
  } catch (const std::exception&) {  // such as std::bad_alloc
    return refusal(500);
  }
}

}  // namespace

/// Functions that libmicrohttpd calls, all on its thread.
struct HttpServer::Callbacks {
  static HttpServer& server(void* self) { return *static_cast<HttpServer*>(self); }
  static ExchangePtr& exchange(void* slot) { return *static_cast<ExchangePtr*>(slot); }

  /// Called first for a request. libmicrohttpd passes the result to the other functions.
  static void* begun(void*, const char* target, MHD_Connection* connection) {
    return new ExchangePtr(
        std::make_shared<Exchange>(connection, target == nullptr ? "" : target, target));
  }
  static MHD_Result received(void* self, MHD_Connection*, const char*, const char* method,
                             const char* version, const char* data, std::size_t* size,
                             void** slot) {
    const ExchangePtr& request = exchange(*slot);
    bool good = true;
    if (!request->has_begun) {
      good = server(self).begin(request, method, version);
    } else if (*size > 0) {
      request->request.body.append(data, *size);
      *size = 0;
    } else {
      good = server(self).ask(request);
    }
    return good ? MHD_YES : MHD_NO;
  }
  static void completed(void* self, MHD_Connection*, void** slot, MHD_RequestTerminationCode) {
    if (*slot == nullptr) return;
    server(self).end(exchange(*slot));
    delete static_cast<ExchangePtr*>(std::exchange(*slot, nullptr));
  }
  static void changed(void* self, MHD_Connection* connection, void** slot,
                      MHD_ConnectionNotificationCode what) {
    if (what == MHD_CONNECTION_NOTIFY_STARTED) server(self).started(connection, slot);
    if (what == MHD_CONNECTION_NOTIFY_CLOSED) server(self).closed(connection, slot);
  }
  /// Does not decode the text, because request_of() decodes it.
  static std::size_t keep(void*, MHD_Connection*, char* text) { return std::strlen(text); }

  static ssize_t next_part(void* slot, std::uint64_t, char* buffer, std::size_t size) {
    const ExchangePtr& stream = exchange(slot);
    HttpServer& owner = *stream->stream_of;
    const std::lock_guard lock(owner.mutex_);
    if (owner.ending_ || owner.connections_.is_cut(stream->fd))
      return MHD_CONTENT_READER_END_WITH_ERROR;
    if (stream->unsent.empty()) stream->unsent = stream->stream->next();
    const std::size_t count = stream->unsent.copy(buffer, size);
    stream->unsent.erase(0, count);
    if (count == 0) {
      owner.suspend(*stream);
      owner.suspended_.push_back(stream);
    }
    return static_cast<ssize_t>(count);
  }
  static void free_slot(void* slot) { delete static_cast<ExchangePtr*>(slot); }
  static void free_body(void* body) { delete static_cast<HttpBodies::Body*>(body); }
};

Result<HttpListener> listen_for_http(const HttpAddress& address) {
  const int family = address.is_v6 ? AF_INET6 : AF_INET;
  const int listener = ::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (listener < 0) return http_socket_error("socket");
  const int yes = 1;
  (void)::setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  const auto* at = address.is_v6 ? reinterpret_cast<const sockaddr*>(&address.v6)
                                 : reinterpret_cast<const sockaddr*>(&address.v4);
  const socklen_t size = address.is_v6 ? sizeof address.v6 : sizeof address.v4;
  sockaddr_in6 bound{};
  socklen_t bound_size = sizeof bound;
  if (::bind(listener, at, size) != 0 || ::listen(listener, SOMAXCONN) != 0 ||
      ::getsockname(listener, reinterpret_cast<sockaddr*>(&bound), &bound_size) != 0) {
    const auto error = http_socket_error(fmt::format("cannot listen on TCP port {}", address.port));
    ::close(listener);
    return error;
  }
  // The port has the same offset in sockaddr_in and sockaddr_in6.
  return HttpListener{listener, ntohs(bound.sin6_port)};
}

Result<std::unique_ptr<HttpServer>> HttpServer::open(const HttpAddress& address, Handlers handlers,
                                                     const HttpLimits& limits,
                                                     std::shared_ptr<const HttpTls> tls) {
  const auto listener = listen_for_http(address);
  if (!listener) return forward(listener);
  return on(*listener, std::move(handlers), limits, std::move(tls));
}

std::unique_ptr<HttpServer> HttpServer::on(const HttpListener& listener, Handlers handlers,
                                           const HttpLimits& limits,
                                           std::shared_ptr<const HttpTls> tls) {
  return std::unique_ptr<HttpServer>(
      new HttpServer(std::move(handlers), limits, std::move(tls), listener.fd, listener.port));
}

HttpServer::HttpServer(Handlers handlers, const HttpLimits& limits,
                       std::shared_ptr<const HttpTls> tls, int listener, std::uint16_t port)
    : handlers_(std::move(handlers)),
      limits_(limits),
      listener_(listener),
      port_(port),
      connections_(limits, tls != nullptr),
      bodies_(limits.bodies_max),
      tls_(std::move(tls)) {}

Status HttpServer::start() {
  if (::pipe2(wake_, O_CLOEXEC | O_NONBLOCK) != 0) return http_socket_error("pipe");
  std::promise<Status> started;
  thread_ = std::thread([&, this] {
    lower_http_priority();  // the thread of libmicrohttpd inherits the priority
    Status status = start_daemon();
    const bool good = status.has_value();
    started.set_value(std::move(status));
    if (good) serve();
  });
  Status status = started.get_future().get();
  if (status && !handlers_.remote) workers_.start();
  return status;
}

Status HttpServer::start_daemon() {
  unsigned flags =
      MHD_USE_POLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_NO_LISTEN_SOCKET;
  std::vector<MHD_OptionItem> options;
  if (tls_) {
    flags |= MHD_USE_TLS;
    options = {{MHD_OPTION_HTTPS_MEM_CERT, 0, const_cast<char*>(tls_->certificate().c_str())},
               {MHD_OPTION_HTTPS_MEM_KEY, 0, const_cast<char*>(tls_->key().c_str())},
               {MHD_OPTION_HTTPS_PRIORITIES, 0, const_cast<char*>(kHttpTlsPriorities)}};
  }
  options.push_back({MHD_OPTION_END, 0, nullptr});
  const auto most = static_cast<unsigned>(limits_.connections_max + limits_.reserved);
  daemon_ = MHD_start_daemon(flags, 0, nullptr, nullptr, &Callbacks::received, this,    //
                             MHD_OPTION_CONNECTION_LIMIT, 3 * most,                     //
                             MHD_OPTION_CONNECTION_MEMORY_LIMIT, kMemoryOfConnection,   //
                             MHD_OPTION_URI_LOG_CALLBACK, &Callbacks::begun, this,      //
                             MHD_OPTION_UNESCAPE_CALLBACK, &Callbacks::keep, nullptr,   //
                             MHD_OPTION_NOTIFY_COMPLETED, &Callbacks::completed, this,  //
                             MHD_OPTION_NOTIFY_CONNECTION, &Callbacks::changed, this,   //
                             MHD_OPTION_ARRAY, options.data(), MHD_OPTION_END);
  if (daemon_ == nullptr) return http_socket_error("libmicrohttpd cannot start");
  return {};
}

HttpServer::~HttpServer() {
  ending_ = true;
  wake();
  if (thread_.joinable()) thread_.join();
  workers_.stop();
  {
    const std::lock_guard lock(mutex_);
    for (const ExchangePtr& exchange : suspended_) resume(*exchange);
    suspended_.clear();
  }
  if (daemon_ != nullptr) MHD_stop_daemon(daemon_);
  for (const int fd : {listener_, wake_[0], wake_[1]})
    if (fd >= 0) ::close(fd);
}

void HttpServer::wake() {
  if (wake_[1] >= 0) (void)!::write(wake_[1], "", 1);
}

void HttpServer::set_tls(std::shared_ptr<const HttpTls> tls) {
  const std::lock_guard lock(mutex_);
  if (tls_ && tls) tls_ = std::move(tls);
}

void HttpServer::started(MHD_Connection* connection, void** slot) {
  auto client = std::make_unique<Client>();
  client->address = address_of(connection);
  {
    const std::lock_guard lock(mutex_);
    client->tls = tls_;
  }
  if (client->tls) client->tls->use_in(session_of(connection));
  *slot = client.release();
}

void HttpServer::closed(MHD_Connection* connection, void** slot) {
  connections_.closed(socket_of(connection));
  const std::unique_ptr<Client> client(static_cast<Client*>(std::exchange(*slot, nullptr)));
  if (!client || !client->tls) return;
  const std::lock_guard lock(mutex_);
  retired_.emplace_back(std::move(client->tls), std::chrono::steady_clock::now());
}

void HttpServer::serve() {
  Time next_check{};
  while (!ending_) {
    std::array<pollfd, 2> polled{{{wake_[0], POLLIN, 0}, {listener_, POLLIN, 0}}};
    (void)::poll(polled.data(), polled.size(), kHttpTickMs);
    if (ending_) return;
    if ((polled[0].revents & POLLIN) != 0) {
      std::array<char, 256> drained{};
      while (::read(wake_[0], drained.data(), drained.size()) > 0) {
      }
      resume_streams();
    }
    if ((polled[1].revents & POLLIN) != 0) admit();
    const Time now = std::chrono::steady_clock::now();
    if (now < next_check) continue;
    next_check = now + std::chrono::milliseconds(kHttpTickMs);
    connections_.check_deadlines();
    resume_delayed();
    resume_streams();
  }
}

void HttpServer::admit() {
  // The number of accepted connections is limited, so that deadlines are checked during a flood.
  for (std::size_t i = 0; i < limits_.connections_max; ++i) {
    // Cut connections hold descriptors until they are closed. At this limit, new connections stay
    // in the backlog.
    if (connections_.size() >= 2 * (limits_.connections_max + limits_.reserved)) {
      std::this_thread::sleep_for(kPauseAtLimit);
      return;
    }
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    const int fd = ::accept4(listener_, reinterpret_cast<sockaddr*>(&address), &size,
                             SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0) {
      // Without free descriptors, the listener stays readable. Close a connection and wait, so that
      // the loop does not spin.
      if (errno != EMFILE && errno != ENFILE) return;
      (void)connections_.make_room();
      std::this_thread::sleep_for(kPauseWithoutDescriptors);
      return;
    }
    add(fd, address, size);
  }
}

void HttpServer::add(int fd, const sockaddr_storage& address, socklen_t size) {
  prepare_socket(fd, limits_);
  if (!connections_.admit(fd, address)) {
    const std::string full = refusal_bytes(503);
    (void)!::send(fd, full.data(), full.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    ::close(fd);
    return;
  }
  // MHD_add_connection() closes the socket if it fails.
  if (MHD_add_connection(daemon_, fd, reinterpret_cast<const sockaddr*>(&address), size) != MHD_YES)
    connections_.closed(fd);
}

void HttpServer::suspend(Exchange& exchange) {
  exchange.suspended = true;
  MHD_suspend_connection(exchange.connection);
}

void HttpServer::resume(Exchange& exchange) {
  if (!std::exchange(exchange.suspended, false)) return;
  MHD_resume_connection(exchange.connection);
}

void HttpServer::resume_streams() {
  const std::lock_guard lock(mutex_);
  std::erase_if(suspended_, [&](const ExchangePtr& exchange) {
    if (!exchange->stream) return false;
    resume(*exchange);
    return true;
  });
}

void HttpServer::resume_delayed() {
  const std::lock_guard lock(mutex_);
  const Time now = std::chrono::steady_clock::now();
  std::erase_if(retired_, [&](const auto& entry) { return now - entry.second > kRetiredFor; });
  std::erase_if(suspended_, [&](const ExchangePtr& exchange) {
    if (!exchange->answer || exchange->not_before > now) return false;
    resume(*exchange);
    return true;
  });
}

bool HttpServer::begin(const ExchangePtr& exchange, const char* method, const char* version) {
  exchange->has_begun = true;
  if (ending_) return false;
  auto request = request_of_connection(exchange->connection, exchange->target, exchange->target_at,
                                       method, version);
  if (!request) return queue(exchange, refusal(request.error()));
  exchange->request = std::move(*request);
  Client& client = *static_cast<Client*>(
      MHD_get_connection_info(exchange->connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)
          ->socket_context);
  exchange->request.address = client.address;
  if (!client.tls) return true;
  if (!client.certificate)
    client.certificate = client.tls->peer_of(session_of(exchange->connection));
  exchange->request.certificate = client.certificate->common_name;
  exchange->request.has_valid_certificate = client.certificate->is_valid;
  return true;
}

/// Handles a complete request, or queues its answer if the answer is ready. Returns false to close
/// the connection.
bool HttpServer::ask(const ExchangePtr& exchange) {
  std::unique_ptr<HttpAnswer> ready;
  {
    const std::lock_guard lock(mutex_);
    ready = std::move(exchange->answer);
  }
  if (ending_) return false;
  if (ready) return queue(exchange, std::move(*ready));
  if (handlers_.rank) exchange->rank = handlers_.rank(exchange->request);
  std::optional<HttpAnswer> quick;
  HttpAnswer failed = answer_by([&] {
    quick = handlers_.quick(exchange->request);
    return HttpAnswer();
  });
  if (failed.status != 200) quick = std::move(failed);
  if (quick && !quick->penalty && !quick->stream) return queue(exchange, std::move(*quick));
  if (!connections_.begin_answer(exchange->fd, exchange->rank))
    return !connections_.is_cut(exchange->fd) && queue(exchange, refusal(503));
  if (!quick) return compute(exchange);
  if (quick->stream) return queue(exchange, std::move(*quick));
  const std::lock_guard lock(mutex_);
  exchange->answer = std::make_unique<HttpAnswer>(std::move(*quick));
  exchange->not_before = std::chrono::steady_clock::now() + limits_.penalty;
  suspend(*exchange);
  suspended_.push_back(exchange);
  return true;
}

bool HttpServer::compute(const ExchangePtr& exchange) {
  {
    const std::lock_guard lock(mutex_);
    suspend(*exchange);
    suspended_.push_back(exchange);
  }
  if (handlers_.remote) {
    handlers_.remote(exchange->request,
                     [this, exchange](HttpAnswer answer) { deliver(exchange, std::move(answer)); });
    return true;
  }
  const auto kind =
      exchange->has_priority() ? HttpWorkers::JobKind::kHealth : HttpWorkers::JobKind::kAnswers;
  if (!workers_.post(
          kind, [this, exchange] { work(exchange); }, limits_.connections_max + limits_.reserved))
    deliver(exchange, refusal(503));
  return true;
}

void HttpServer::work(const ExchangePtr& exchange) {
  HttpAnswer answer = answer_by([&] { return handlers_.blocking(exchange->request); });
  if (!answer.later) return deliver(exchange, std::move(answer));
  auto wait = [this, exchange, later = std::move(answer.later)] {
    deliver(exchange, answer_by(later));
  };
  if (!workers_.post(HttpWorkers::JobKind::kManager, std::move(wait), limits_.waiting_max))
    deliver(exchange, refusal(503));
}

/// Stores the answer of a suspended connection, and resumes the connection, after the delay if the
/// answer has a penalty; called on any thread.
void HttpServer::deliver(const ExchangePtr& exchange, HttpAnswer answer) {
  const std::lock_guard lock(mutex_);
  const bool delayed = answer.penalty;
  exchange->answer = std::make_unique<HttpAnswer>(std::move(answer));
  if (delayed) {
    exchange->not_before = std::chrono::steady_clock::now() + limits_.penalty;
    return;
  }
  std::erase(suspended_, exchange);
  resume(*exchange);
}

bool HttpServer::queue(const ExchangePtr& exchange, HttpAnswer answer) {
  if (exchange->request.head_only) answer.stream.reset();
  if (answer.stream) {
    exchange->stream = std::move(answer.stream);
    if (connections_.begin_stream(exchange->fd)) return queue_stream(exchange);
    exchange->stream.reset();
    answer = refusal(503);
  }
  if (!bodies_.add(answer.body, exchange->has_priority())) {
    (void)connections_.cut_lowest_rate();
    answer = refusal(503);
    answer.headers.emplace_back("Retry-After", "1");
    (void)bodies_.add(answer.body, true);
  } else if (bodies_.bytes() > limits_.bodies_max) {
    (void)connections_.cut_lowest_rate();
  }
  exchange->body = answer.body;
  if (!connections_.begin_sending(exchange->fd)) return false;
  MHD_Response* const response = response_of(answer, &Callbacks::free_body);
  if (response == nullptr) return false;
  const auto status = static_cast<unsigned>(answer.status);
  const bool good = MHD_queue_response(exchange->connection, status, response) == MHD_YES;
  MHD_destroy_response(response);
  return good;
}

bool HttpServer::queue_stream(const ExchangePtr& exchange) {
  exchange->stream_of = this;
  MHD_Response* const response =
      MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, kStreamBlock, &Callbacks::next_part,
                                        new ExchangePtr(exchange), &Callbacks::free_slot);
  if (response == nullptr) return false;
  for (const auto& [name, value] :
       {std::pair{"Content-Type", "text/event-stream"}, std::pair{"Cache-Control", "no-store"},
        std::pair{"X-Content-Type-Options", "nosniff"}, std::pair{"Connection", "close"}})
    (void)MHD_add_response_header(response, name, value);
  const bool good = MHD_queue_response(exchange->connection, MHD_HTTP_OK, response) == MHD_YES;
  MHD_destroy_response(response);
  return good;
}

void HttpServer::end(const ExchangePtr& exchange) {
  bodies_.remove(exchange->body);
  (void)connections_.end_answer(exchange->fd);
}

}  // namespace weft
