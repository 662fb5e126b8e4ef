// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/http/http_server.h"

#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/log.h"

namespace weft {
namespace {

constexpr int kHttpTickMs = 250;
constexpr auto kOutOfDescriptors = std::chrono::milliseconds(100);
constexpr int kWorkerNiceness = 5;  // lower priority than the subnet manager
constexpr std::size_t kInputMax = kHttpHeadMax + kHttpBodyMax;

tl::unexpected<Error> http_socket_error(const std::string& what) {
  return fail(Code::kEnvironment, "http: {}: {}", what, std::strerror(errno));
}

/// On Linux, setpriority() with a thread id affects only that thread.
void lower_priority() {
  const auto id = static_cast<id_t>(::syscall(SYS_gettid));
  (void)::setpriority(PRIO_PROCESS, id, kWorkerNiceness);
}

}  // namespace

struct HttpServer::Connection {
  enum class State { kReading, kAnswering, kWriting, kStreaming };
  Connection(int socket, std::uint64_t number, Time now) : fd(socket), id(number), since(now) {}
  ~Connection() { ::close(fd); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  const int fd;
  const std::uint64_t id;
  State state = State::kReading;
  Time since;            // last progress in this state
  std::string in;        // received and not yet answered
  std::string out;       // to send
  std::size_t sent = 0;  // bytes of `out`
  Time not_before{};     // when to send `out`
  bool last = false;     // closes when `out` is sent
  bool closed = false;
  std::unique_ptr<HttpStream> stream;

  bool sends() const { return sent < out.size(); }
};

Result<std::unique_ptr<HttpServer>> HttpServer::open(const HttpAddress& address, Handlers handlers,
                                                     const HttpLimits& limits) {
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
    const auto error = http_socket_error(fmt::format("TCP port {}", address.port));
    ::close(listener);
    return error;
  }
  // The port has the same offset in sockaddr_in and sockaddr_in6.
  return std::unique_ptr<HttpServer>(
      new HttpServer(std::move(handlers), limits, listener, ntohs(bound.sin6_port)));
}

HttpServer::HttpServer(Handlers handlers, const HttpLimits& limits, int listener,
                       std::uint16_t port)
    : handlers_(std::move(handlers)), limits_(limits), listener_(listener), port_(port) {}

Status HttpServer::start() {
  if (::pipe2(wake_, O_CLOEXEC | O_NONBLOCK) != 0) return http_socket_error("pipe");
  for (unsigned i = 0; i < kWorkers; ++i)
    workers_.emplace_back([this] { work(jobs_, jobs_changed_); });
  workers_.emplace_back([this] { work(waiting_, waiting_changed_); });
  thread_ = std::thread([this] { serve(); });
  return {};
}

HttpServer::~HttpServer() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  jobs_changed_.notify_all();
  waiting_changed_.notify_all();
  wake();
  if (thread_.joinable()) thread_.join();
  for (std::thread& worker : workers_) worker.join();
  for (const int fd : {listener_, wake_[0], wake_[1]})
    if (fd >= 0) ::close(fd);
}

void HttpServer::wake() {
  if (wake_[1] >= 0) (void)!::write(wake_[1], "", 1);
}

void HttpServer::work(std::deque<Job>& jobs, std::condition_variable& changed) {
  lower_priority();
  while (true) {
    Job job;
    {
      std::unique_lock lock(mutex_);
      changed.wait(lock, [&] { return !jobs.empty() || ending_; });
      if (ending_) return;
      job = std::move(jobs.front());
      jobs.pop_front();
    }
    Done done{job.connection, job.later ? reply_to(job.head, job.body,
                                                   [&](const HttpRequest&) { return job.later(); })
                                        : reply_to(job.head, job.body, handlers_.thorough)};
    {
      const std::lock_guard lock(mutex_);
      if (done.reply.later && waiting_.size() < kWaitingMax) {
        job.later = std::move(done.reply.later);
        waiting_.push_back(std::move(job));
        waiting_changed_.notify_one();
        continue;
      }
      if (done.reply.later) {
        done.reply.bytes = refusal(503);
        done.reply.close = true;
      }
      done_.push_back(std::move(done));
    }
    wake();
  }
}

void HttpServer::serve() {
  lower_priority();
  while (!ending_) {
    wait();
    std::erase_if(connections_, [](const auto& entry) { return entry.second->closed; });
  }
  connections_.clear();
}

void HttpServer::wait() {
  std::vector<pollfd> polled{{wake_[0], POLLIN, 0}, {listener_, POLLIN, 0}};
  std::vector<Connection*> order;
  const Time before = std::chrono::steady_clock::now();
  for (const auto& [id, connection] : connections_) {
    const bool sends = connection->sends() && before >= connection->not_before;
    // A connection waiting for its answer is not read, but a disconnect is detected.
    const bool reads = connection->state == Connection::State::kReading ||
                       connection->state == Connection::State::kStreaming;
    polled.push_back(
        {connection->fd, static_cast<short>((sends ? POLLOUT : 0) | (reads ? POLLIN : 0)), 0});
    order.push_back(connection.get());
  }
  (void)::poll(polled.data(), polled.size(), kHttpTickMs);
  if (ending_) return;
  if ((polled[0].revents & POLLIN) != 0) {
    std::array<char, 256> drained{};
    while (::read(wake_[0], drained.data(), drained.size()) > 0) {
    }
  }
  take_done();
  for (std::size_t i = 0; i < order.size(); ++i) {
    Connection& connection = *order[i];
    const short events = polled[i + 2].revents;
    if ((events & (POLLERR | POLLHUP | POLLNVAL)) != 0) connection.closed = true;
    if ((events & POLLIN) != 0 && !connection.closed) read_from(connection);
    if (connection.stream && !connection.closed) feed_stream(connection);
    if (connection.sends() && !connection.closed) write_to(connection);
    check_timeouts(connection);
  }
  if ((polled[1].revents & POLLIN) != 0) admit();
}

void HttpServer::admit() {
  while (true) {
    const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0) {
      // Without descriptors the listener stays readable: close a connection, and do not spin.
      if (errno != EMFILE && errno != ENFILE) return;
      make_room();
      std::this_thread::sleep_for(kOutOfDescriptors);
      return;
    }
    const int yes = 1;
    (void)::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    if (connections_.size() >= kConnectionsMax) make_room();
    if (connections_.size() >= kConnectionsMax) {
      const std::string full = refusal(503);
      (void)!::send(fd, full.data(), full.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      ::close(fd);
      continue;
    }
    const std::uint64_t id = next_id_++;
    connections_.emplace(id,
                         std::make_unique<Connection>(fd, id, std::chrono::steady_clock::now()));
  }
}

/// Closes the connection that has been idle for longest, among those without a complete request.
void HttpServer::make_room() {
  auto oldest = connections_.end();
  for (auto at = connections_.begin(); at != connections_.end(); ++at)
    if (at->second->state == Connection::State::kReading &&
        (oldest == connections_.end() || at->second->since < oldest->second->since))
      oldest = at;
  if (oldest != connections_.end()) connections_.erase(oldest);
}

void HttpServer::read_from(Connection& connection) {
  std::array<char, 16384> buffer{};
  const ssize_t got = ::recv(connection.fd, buffer.data(), buffer.size(), 0);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got <= 0) {
    connection.closed = true;
    return;
  }
  if (connection.state != Connection::State::kReading) return;  // ignore input during a stream
  if (connection.in.empty()) connection.since = std::chrono::steady_clock::now();
  connection.in.append(buffer.data(), static_cast<std::size_t>(got));
  take_request(connection);
}

void HttpServer::take_request(Connection& connection) {
  const HttpFrame frame = find_request(connection.in);
  if (frame.kind == HttpFrame::Kind::kPartial) {
    connection.closed = connection.in.size() > kInputMax;
    return;
  }
  connection.since = std::chrono::steady_clock::now();
  if (frame.kind == HttpFrame::Kind::kRefused) {
    connection.out = refusal(frame.status);
    connection.in.clear();
    connection.last = true;
    connection.state = Connection::State::kWriting;
    return;
  }
  Job job{connection.id, connection.in.substr(0, frame.head),
          connection.in.substr(frame.head, frame.body)};
  connection.in.erase(0, frame.head + frame.body);
  if (auto reply = quick_reply_to(job.head, job.body, handlers_.quick))
    return take(connection, std::move(*reply));
  connection.state = Connection::State::kAnswering;
  {
    // The limit includes jobs of peers that have disconnected.
    const std::lock_guard lock(mutex_);
    if (jobs_.size() < kConnectionsMax) {
      jobs_.push_back(std::move(job));
    } else {
      connection.out = refusal(503);
      connection.last = true;
      connection.state = Connection::State::kWriting;
    }
  }
  jobs_changed_.notify_one();
}

void HttpServer::take_done() {
  std::vector<Done> done;
  {
    const std::lock_guard lock(mutex_);
    done.swap(done_);
  }
  for (Done& answered : done) {
    const auto found = connections_.find(answered.connection);
    if (found == connections_.end()) continue;  // the peer has disconnected
    take(*found->second, std::move(answered.reply));
    write_to(*found->second);
  }
}

/// Stores the reply in the connection without sending it.
void HttpServer::take(Connection& connection, HttpReply reply) {
  connection.since = std::chrono::steady_clock::now();
  const bool too_many = reply.stream && std::ranges::count_if(connections_, [](const auto& entry) {
                                          return entry.second->stream != nullptr;
                                        }) >= static_cast<std::ptrdiff_t>(kStreamsMax);
  connection.out = too_many ? refusal(503) : std::move(reply.bytes);
  connection.sent = 0;
  connection.last = reply.close || too_many;
  connection.not_before = reply.penalty ? connection.since + limits_.penalty : Time{};
  if (!too_many) connection.stream = std::move(reply.stream);
  connection.state =
      connection.stream ? Connection::State::kStreaming : Connection::State::kWriting;
}

void HttpServer::feed_stream(Connection& connection) {
  if (connection.sent > 0) connection.out.erase(0, std::exchange(connection.sent, 0));
  // A peer that does not read gets no more events; it misses those that the ring drops meanwhile.
  if (connection.out.size() < kUnsentMax) connection.out += connection.stream->next();
}

void HttpServer::write_to(Connection& connection) {
  const Time now = std::chrono::steady_clock::now();
  if (now < connection.not_before) return;
  while (connection.sends()) {
    const ssize_t done =
        ::send(connection.fd, connection.out.data() + connection.sent,
               connection.out.size() - connection.sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (done <= 0) {
      if (done < 0 && errno == EINTR) continue;
      connection.closed = done == 0 || errno != EAGAIN;
      return;
    }
    connection.sent += static_cast<std::size_t>(done);
    connection.since = now;
  }
  connection.out = {};
  connection.sent = 0;
  if (connection.state != Connection::State::kWriting) return;
  connection.closed = connection.last;
  connection.state = Connection::State::kReading;
  if (!connection.in.empty()) take_request(connection);  // pipelined request
}

void HttpServer::check_timeouts(Connection& connection) {
  if (connection.closed) return;
  const auto past = std::chrono::steady_clock::now() - connection.since;
  switch (connection.state) {
    case Connection::State::kReading:
      if (connection.in.empty()) {
        connection.closed = past > limits_.idle_max;
      } else if (past > limits_.request_max) {
        connection.out = refusal(408);
        connection.last = true;
        connection.in.clear();
        connection.state = Connection::State::kWriting;
        connection.since = std::chrono::steady_clock::now();
      }
      return;
    case Connection::State::kAnswering:
      return;
    case Connection::State::kWriting:
    case Connection::State::kStreaming:
      if (connection.sends() && past > limits_.stuck_max) connection.closed = true;
      return;
  }
}

}  // namespace weft
