// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// weft top: shows the links of a fabric by load and errors, from the counters of the performance
// manager, and updates them continuously.

#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <thread>

#include "base/printable.h"
#include "cli/api_client.h"
#include "cli/common.h"
#include "cli/interrupt.h"
#include "cli/subcommands.h"
#include "cli/top/plane_lines.h"
#include "cli/top/replication_lines.h"

namespace weft::cli {
namespace {

using Steady = std::chrono::steady_clock;

constexpr std::size_t kPage = 10'000;           // limit of the HTTP service
constexpr std::size_t kEntriesMax = 1'000'000;  // of a list
constexpr double kBitsOfByte = 8, kGiga = 1e9;
constexpr unsigned kRowsWithoutTerminal = 20;

enum class Order { kLoad, kErrors, kWait, kName };

struct TopOptions {
  ServerArgument server;
  double interval = 5;
  double timeout = 30;
  std::string order = "load";
  std::size_t rows = 0;  // 0: as many as fit; with --once kRowsWithoutTerminal, with --json all
  bool once = false;
  bool json = false;
};

/// Counter totals of a port at one time.
struct Totals {
  std::int64_t read_at = 0;  // seconds since 1970
  std::uint64_t sent = 0, received = 0, wait = 0, errors = 0;
};
using Key = std::pair<std::string, unsigned>;  // node GUID and port
using Readings = std::map<Key, Totals>;

struct Cable {
  Key a, b;
  std::string a_name, b_name, kind, state;
  double gbps = 0;
  // Computed from the last two readings that differ; empty before the second reading.
  std::optional<double> there_gbps, back_gbps;  // from a to b, and from b to a
  double load = 0;                              // load of the busier channel, 0 to 1
  double wait_per_s = 0;
  std::uint64_t errors = 0, errors_new = 0;  // of both ends: total, and since the previous reading
};

/// The displayed links and the readings that their rates derive from.
struct Watched {
  std::vector<Cable> cables;
  Readings before, now;
  std::string no_fabric;                      // reason why no fabric is shown; empty: it is shown
  bool has_counters = false;                  // a performance manager is running
  std::uint64_t vports = 0, vport_hosts = 0;  // virtual ports, and CA ports with virtualization
  std::uint64_t unhealthy = 0;                // unhealthy ports
  Json replication;                           // response of /api/v1/replication
  Json planes;                                // response of /api/v1/planes; null: no fabric
  std::uint64_t sweeps = 0;
};

/// Reads all pages of a list. Fails with kEnvironment if the list is longer than kEntriesMax.
Result<Json> all_of(ApiClient& client, const std::string& path, const char* name, Json* first) {
  Json list = Json::array();
  while (true) {
    auto page = client.get(fmt::format("{}?limit={}&offset={}", path, kPage, list.size()));
    if (!page) return forward(page);
    if (first != nullptr && list.empty()) *first = *page;
    const Json& part = (*page)[name];
    if (part.size() > kEntriesMax - list.size())
      return fail(Code::kEnvironment, "{}{}: found more than {} entries", client.server(), path,
                  kEntriesMax);
    for (const Json& item : part) list.push_back(item);
    if (part.empty() || list.size() >= page->value("total", std::size_t{0})) return list;
  }
}

Status read_state(ApiClient& client, Watched& watched) {
  auto replication = client.get("/api/v1/replication");
  if (!replication) return forward(replication);
  watched.replication = std::move(*replication);
  const auto fabric = client.get("/api/v1/fabric");
  if (!fabric) return forward(fabric);
  const auto sweeps = fabric->value("heavy_sweeps", std::uint64_t{0});
  watched.unhealthy = fabric->value("unhealthy_ports", std::uint64_t{0});
  if (const Json sizes = fabric->value("fabric", Json()); sizes.is_object()) {
    watched.vports = sizes.value("vports", std::uint64_t{0});
    watched.vport_hosts = sizes.value("vport_hosts", std::uint64_t{0});
  }
  if (!fabric->value("fabric", Json()).is_object()) {
    watched.cables.clear();
    watched.planes = nullptr;
    watched.has_counters = false;
    watched.no_fabric = fmt::format("no links to show: the manager is {} and has no fabric",
                                    printable(fabric->value("state", "")));
    return {};
  }
  watched.no_fabric.clear();
  auto planes = client.get("/api/v1/planes");
  if (!planes) return forward(planes);
  watched.planes = std::move(*planes);
  if (!watched.cables.empty() && sweeps == watched.sweeps) return {};
  const auto links = all_of(client, "/api/v1/links", "links", nullptr);
  if (!links) return forward(links);
  watched.sweeps = sweeps;
  watched.cables.clear();
  for (const Json& link : *links) {
    const Json& a = link.at("a");
    const Json& b = link.at("b");
    Cable cable;
    cable.a = {printable(a.value("node", "")), a.value("port", 0u)};
    cable.b = {printable(b.value("node", "")), b.value("port", 0u)};
    cable.a_name = printable(a.value("name", ""));
    cable.b_name = printable(b.value("name", ""));
    cable.kind = printable(link.value("width", "") + link.value("speed", ""));
    cable.state = printable(link.value("state", ""));
    cable.gbps = link.value("gbps", 0.0);
    watched.cables.push_back(std::move(cable));
  }
  return {};
}

/// Reads the counters of all ports. Returns whether a port has a newer reading than before.
Result<bool> read_counters(ApiClient& client, Watched& watched) {
  if (!watched.no_fabric.empty()) return false;
  Json head;
  const auto ports = all_of(client, "/api/v1/counters", "ports", &head);
  if (!ports) return forward(ports);
  watched.has_counters = head.value("counted", false);
  bool updated = false;
  for (const Json& port : *ports) {
    const Key key{printable(port.value("node", "")), port.value("port", 0u)};
    const Totals totals{
        port.value("read_at", std::int64_t{0}), port.value("sent_bytes", std::uint64_t{0}),
        port.value("received_bytes", std::uint64_t{0}), port.value("wait_ticks", std::uint64_t{0}),
        port.value("errors", std::uint64_t{0})};
    const auto previous = watched.now.find(key);
    if (previous == watched.now.end()) {
      watched.now[key] = totals;
    } else if (previous->second.read_at < totals.read_at) {
      watched.before[key] = std::exchange(previous->second, totals);
      updated = true;
    }
  }
  return updated;
}

std::uint64_t increase(std::uint64_t before, std::uint64_t now) {
  return now >= before ? now - before : now;
}

/// Send rate of one end, Gbit/s. If that end has no two readings, the receive rate of the peer.
std::optional<double> send_rate(const Watched& watched, const Key& from, const Key& to) {
  const auto rate = [&](const Key& key, auto value_of) -> std::optional<double> {
    const auto before = watched.before.find(key), now = watched.now.find(key);
    if (before == watched.before.end() || now == watched.now.end()) return std::nullopt;
    const auto seconds = static_cast<double>(now->second.read_at - before->second.read_at);
    return static_cast<double>(increase(value_of(before->second), value_of(now->second))) *
           kBitsOfByte / seconds / kGiga;
  };
  const auto sent = rate(from, [](const Totals& totals) { return totals.sent; });
  return sent ? sent : rate(to, [](const Totals& totals) { return totals.received; });
}

void update_rates(Watched& watched) {
  for (Cable& cable : watched.cables) {
    cable.there_gbps = send_rate(watched, cable.a, cable.b);
    cable.back_gbps = send_rate(watched, cable.b, cable.a);
    const double busier = std::max(cable.there_gbps.value_or(0), cable.back_gbps.value_or(0));
    cable.load = cable.gbps > 0 ? busier / cable.gbps : 0;
    cable.errors = cable.errors_new = 0;
    cable.wait_per_s = 0;
    for (const Key& end : {cable.a, cable.b}) {
      const auto now = watched.now.find(end);
      if (now == watched.now.end()) continue;
      cable.errors += now->second.errors;
      const auto before = watched.before.find(end);
      if (before == watched.before.end()) continue;
      cable.errors_new += increase(before->second.errors, now->second.errors);
      cable.wait_per_s += static_cast<double>(increase(before->second.wait, now->second.wait)) /
                          static_cast<double>(now->second.read_at - before->second.read_at);
    }
  }
}

Order order_of(std::string_view word) {
  if (word == "errors") return Order::kErrors;
  if (word == "wait") return Order::kWait;
  return word == "name" ? Order::kName : Order::kLoad;
}

void sort(std::vector<Cable>& cables, Order order) {
  const auto place = [](const Cable& cable) { return std::tie(cable.a_name, cable.a, cable.b); };
  std::ranges::sort(cables, [&](const Cable& x, const Cable& y) {
    switch (order) {
      case Order::kLoad:
        if (x.load != y.load) return x.load > y.load;
        break;
      case Order::kErrors:
        if (x.errors_new != y.errors_new) return x.errors_new > y.errors_new;
        if (x.errors != y.errors) return x.errors > y.errors;
        break;
      case Order::kWait:
        if (x.wait_per_s != y.wait_per_s) return x.wait_per_s > y.wait_per_s;
        break;
      case Order::kName:
        break;
    }
    return place(x) < place(y);
  });
}

Json json_of(const Watched& watched, std::size_t rows) {
  Json list = Json::array();
  for (const Cable& cable : watched.cables) {
    if (rows != 0 && list.size() == rows) break;
    const auto end = [](const Key& key, const std::string& name) {
      return Json{{"node", key.first}, {"name", name}, {"port", key.second}};
    };
    Json json{{"a", end(cable.a, cable.a_name)},
              {"b", end(cable.b, cable.b_name)},
              {"kind", cable.kind},
              {"state", cable.state},
              {"gbps", cable.gbps},
              {"there_gbps", nullptr},
              {"back_gbps", nullptr},
              {"load", cable.load},
              {"wait_ticks_per_s", cable.wait_per_s},
              {"errors", cable.errors},
              {"errors_new", cable.errors_new}};
    if (cable.there_gbps) json["there_gbps"] = *cable.there_gbps;
    if (cable.back_gbps) json["back_gbps"] = *cable.back_gbps;
    list.push_back(std::move(json));
  }
  return {{"counted", watched.has_counters},    {"vports", watched.vports},
          {"vport_hosts", watched.vport_hosts}, {"unhealthy_ports", watched.unhealthy},
          {"replication", watched.replication}, {"planes", watched.planes},
          {"total", watched.cables.size()},     {"links", std::move(list)}};
}

std::string fitted(const std::string& text, std::size_t width) {
  return text.size() <= width ? text : text.substr(0, width - 1) + "~";
}

std::string rate_text(const std::optional<double>& gbps) {
  return gbps ? fmt::format("{:.2f}", *gbps) : "-";
}

/// Lines above the links.
std::vector<std::string> head_lines(const Watched& watched) {
  std::vector<std::string> lines = replication_lines(watched.replication);
  if (watched.vport_hosts > 0)
    lines.push_back(
        fmt::format("{} virtual ports on {} CA ports", watched.vports, watched.vport_hosts));
  for (std::string& line : plane_lines(watched.planes)) lines.push_back(std::move(line));
  if (watched.unhealthy > 0)
    lines.push_back(
        fmt::format("{} unhealthy ports: /api/v1/unhealthy-ports lists them", watched.unhealthy));
  return lines;
}

/// The lines above the links and those of the first `rows` links, each of at most `width` columns;
/// 0: no limit of the width.
std::vector<std::string> lines_of(const Watched& watched, std::size_t rows, std::size_t width) {
  constexpr std::size_t kNumbers = 60;  // width of the numeric columns
  std::size_t names = 8;
  for (const Cable& cable : watched.cables)
    names = std::max({names, cable.a_name.size() + 4, cable.b_name.size() + 4});
  if (width > kNumbers + 16) names = std::min(names, (width - kNumbers) / 2);
  std::vector<std::string> lines = head_lines(watched);
  rows += lines.size();
  lines.push_back(fmt::format("{:<{}} {:<{}} {:<9} {:>8} {:>8} {:>5} {:>9} {:>9}", "from", names,
                              "to", names, "link", "there", "back", "load", "wait/s", "errors"));
  for (const Cable& cable : watched.cables) {
    if (lines.size() > rows) break;
    const auto end = [&](const Key& key, const std::string& name) {
      const std::string port = fmt::format(":{}", key.second);
      return fitted(name.empty() ? key.first : name, names - port.size()) + port;
    };
    const std::string errors = cable.errors_new > 0
                                   ? fmt::format("{} +{}", cable.errors, cable.errors_new)
                                   : std::to_string(cable.errors);
    lines.push_back(fmt::format(
        "{:<{}} {:<{}} {:<9} {:>8} {:>8} {:>4.0f}% {:>9.0f} {:>9}", end(cable.a, cable.a_name),
        names, end(cable.b, cable.b_name), names, cable.kind, rate_text(cable.there_gbps),
        rate_text(cable.back_gbps), 100 * cable.load, cable.wait_per_s, errors));
  }
  if (width > 0)
    for (std::string& line : lines) line = line.substr(0, width);
  return lines;
}

/// Switches the terminal to the alternate screen and unbuffered input while the object exists.
class Screen {
 public:
  Screen() {
    tcgetattr(STDIN_FILENO, &before_);
    termios raw = before_;
    raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    put("\x1b[?1049h\x1b[?25l");
  }
  ~Screen() {
    put("\x1b[?25h\x1b[?1049l");
    tcsetattr(STDIN_FILENO, TCSANOW, &before_);
  }
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  static std::pair<std::size_t, std::size_t> size() {  // rows and columns
    winsize window{};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) != 0 || window.ws_row == 0) return {24, 80};
    return {window.ws_row, window.ws_col};
  }
  static void show(const std::vector<std::string>& lines) {
    std::string text = "\x1b[H";
    for (std::size_t i = 0; i < lines.size(); ++i)
      text += (i == 0 ? "" : "\r\n") + lines[i] + "\x1b[K";
    put(text + "\x1b[J");
  }
  /// The pressed key; 0 after the timeout, q at the end of the input.
  static char key(std::chrono::milliseconds timeout) {
    pollfd input{STDIN_FILENO, POLLIN, 0};
    if (::poll(&input, 1, static_cast<int>(timeout.count())) <= 0) return 0;
    char c = 0;
    return ::read(STDIN_FILENO, &c, 1) == 1 ? c : 'q';
  }

 private:
  static void put(std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stdout);  // escape sequences
    std::fflush(stdout);
  }
  termios before_{};
};

/// Reason why the links or their rates are not shown; empty: both are shown.
std::string reason_not_shown(const Watched& watched) {
  if (!watched.no_fabric.empty()) return watched.no_fabric;
  if (watched.has_counters) return "";
  return "no port counters: start weft sm with --perfmgr (interval: perfmgr_sweep_time_s)";
}

int run_once(ApiClient& client, const TopOptions& options) {
  Watched watched;
  if (const auto status = read_state(client, watched); !status) return report(status.error());
  const auto end = Steady::now() + std::chrono::duration<double>(options.timeout);
  const auto pause = std::chrono::duration<double>(std::min(options.interval, 1.0));
  while (true) {
    const auto updated = read_counters(client, watched);
    if (!updated) return report(updated.error());
    if (*updated || !watched.has_counters || Steady::now() >= end) break;
    std::this_thread::sleep_for(pause);
  }
  update_rates(watched);
  sort(watched.cables, order_of(options.order));
  if (options.json) {
    print(json_of(watched, options.rows));
  } else {
    std::string text;
    for (const std::string& line :
         lines_of(watched, options.rows == 0 ? kRowsWithoutTerminal : options.rows, 0))
      text += line + "\n";
    append_to_stdout(text);
  }
  if (const std::string why = reason_not_shown(watched); !why.empty())
    return report({Code::kUnroutable, why});
  return 0;
}

int run_live(ApiClient& client, const TopOptions& options) {
  if (isatty(STDIN_FILENO) == 0 || isatty(STDOUT_FILENO) == 0)
    return report({Code::kUsage, "standard input or output is not a terminal: use --once"});
  const auto& interrupted = catch_interrupts();
  Watched watched;
  Order order = order_of(options.order);
  std::string error_line;
  const Screen screen;
  auto due = Steady::now();
  while (!interrupted) {
    if (Steady::now() >= due) {
      due = Steady::now() + std::chrono::duration_cast<Steady::duration>(
                                std::chrono::duration<double>(options.interval));
      const auto state = read_state(client, watched);
      const auto updated = state ? read_counters(client, watched) : Result<bool>(forward(state));
      error_line = updated ? reason_not_shown(watched) : printable(updated.error().message);
      update_rates(watched);
    }
    sort(watched.cables, order);
    const auto [rows, columns] = Screen::size();
    std::vector<std::string> lines{
        fmt::format("weft top: {}, {} cables   q quit, l load, e errors, w wait, n name",
                    client.server(), watched.cables.size())};
    lines.push_back(error_line);
    for (std::string& line : lines) line = line.substr(0, columns);
    const std::size_t used = 4 + head_lines(watched).size();
    const std::size_t room = rows > used ? rows - used : 1;
    for (std::string& line :
         lines_of(watched, options.rows == 0 ? room : std::min(room, options.rows), columns))
      lines.push_back(std::move(line));
    Screen::show(lines);
    switch (Screen::key(std::chrono::milliseconds(200))) {
      case 'q':
        return 0;
      case 'l':
        order = Order::kLoad;
        break;
      case 'e':
        order = Order::kErrors;
        break;
      case 'w':
        order = Order::kWait;
        break;
      case 'n':
        order = Order::kName;
        break;
      default:
        break;
    }
  }
  return 0;
}

Run set_up_top(CLI::App& app) {
  auto options = std::make_shared<TopOptions>();
  add_server(app, options->server);
  app.add_option("--interval", options->interval, "Update every this many seconds (default: 5)")
      ->check(CLI::Range(0.2, 3600.0))
      ->option_text("SECONDS");
  restrict_to(app.add_option("--sort", options->order, "Sort the links (default: load)"),
              {"load", "errors", "wait", "name"});
  app.add_option(
         "--rows", options->rows,
         "Show the first N links (default: as many as fit; with --once 20, with --json all)")
      ->option_text("N");
  app.add_flag("--once", options->once,
               "Print once, after the second reading of the counters, and exit");
  app.add_option("--wait", options->timeout,
                 "With --once: wait at most this many seconds for this reading (default: 30)")
      ->check(CLI::Range(0.0, 3600.0))
      ->option_text("SECONDS");
  app.add_flag("--json", options->json, "With --once: print one JSON object");
  return [options] {
    if (options->json && !options->once) return report({Code::kUsage, "--json requires --once"});
    auto client = ApiClient::open(options->server);
    if (!client) return report(client.error());
    return options->once ? run_once(*client, *options) : run_live(*client, *options);
  };
}

}  // namespace

const Subcommand kTopSubcommand{"top", "Show the links of a fabric by load and errors, live",
                                &set_up_top};

}  // namespace weft::cli
