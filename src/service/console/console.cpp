// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/console/console.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "base/text.h"
#include "gmp/performance_console.h"
#include "service/config/config_file.h"
#include "service/config/key.h"
#include "service/console/console_reports.h"

namespace weft {

/// The execution of a command line: its input, and the answer that it fills.
struct ConsoleCall {
  const ConsoleCommand& command;
  std::span<const std::string_view> words;  // arguments
  const ConsoleView& view;
  ConsoleAnswer answer;

  template <class... Args>
  void print(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(answer.text), format, std::forward<Args>(args)...);
  }
  void print(const Result<std::string>& report) {
    answer.text += report ? *report : report.error().message + "\n";
  }
  std::string_view word(std::size_t index) const {
    return index < words.size() ? words[index] : std::string_view();
  }
  void request(SmRequest::Kind kind, unsigned value = 0) {
    answer.requests.push_back({kind, value});
  }
  void refuse() { print("Invalid {} command\n{}\n", command.name, command.usage); }
  /// The snapshot of the last sweep; prints a message and returns null if there is none.
  const Snapshot* snapshot() {
    if (!view.posted.snapshot) print("No data: no sweep has programmed the fabric yet\n");
    return view.posted.snapshot.get();
  }
};

namespace {

constexpr unsigned kPriorityMax = 15;
constexpr unsigned kLogFlagsMax = 0xFF;
constexpr std::size_t kRegexpsMax = 16;

using Kind = SmRequest::Kind;

void help(ConsoleCall& call) {
  const std::string_view wanted = call.word(0);
  for (const ConsoleCommand& command : console_commands()) {
    if (wanted.empty()) {
      call.print("{}\n", command.usage);
    } else if (wanted == command.name || (!command.alias.empty() && wanted == command.alias)) {
      return call.print("{}\n{}\n", command.usage, command.about);
    }
  }
  if (!wanted.empty()) call.print("{} : Command not found\n", weft::quoted(wanted));
}

void quit(ConsoleCall& call) {
  if (call.view.local) return call.print("not valid in local mode; use ctl-c\n");
  call.answer.quit = true;
}

void loglevel(ConsoleCall& call) {
  if (call.words.empty())
    return call.print("Current log level is {:#x}\n", call.view.posted.status.log_flags);
  const auto flags = parse_c_number<unsigned>(call.word(0));
  if (!flags || *flags > kLogFlagsMax)
    return call.print("Invalid log level {}; must be between 0 and 0xff\n",
                      weft::quoted(call.word(0)));
  call.print("Setting log level to {:#x}\n", *flags);
  call.request(Kind::kLogFlags, *flags);
}

void permodlog(ConsoleCall& call) {
  const std::string& file = call.view.posted.settings->per_module_logging_file;
  call.print("Flags by module: {}\n", file.empty() ? "no file" : file);
}

void priority(ConsoleCall& call) {
  if (call.words.empty())
    return call.print("Current sm-priority is {}\n", call.view.posted.status.priority);
  const auto value = parse_c_number<unsigned>(call.word(0));
  if (!value || *value > kPriorityMax)
    return call.print("Invalid sm-priority {}; must be between 0 and 15\n",
                      weft::quoted(call.word(0)));
  call.print("Setting sm-priority to {}\n", *value);
  call.request(Kind::kPriority, *value);
}

void resweep(ConsoleCall& call) {
  if (call.word(0) == "heavy") return call.request(Kind::kHeavySweep);
  if (call.word(0) == "light") return call.request(Kind::kLightSweep);
  call.refuse();
}

void reroute(ConsoleCall& call) { call.request(Kind::kReroute); }

void sweep(ConsoleCall& call) {
  if (call.word(0) == "on") return call.request(Kind::kSweeping, 1);
  if (call.word(0) == "off") return call.request(Kind::kSweeping, 0);
  call.refuse();
}

void status(ConsoleCall& call) {
  if (!call.words.empty() && call.word(0) != "loop") return call.refuse();
  call.answer.loop = call.word(0) == "loop";
  if (call.answer.loop) call.print("use \"q<ret>\" to quit loop\n");
  call.print("{}", status_report(call.view));
}

void logflush(ConsoleCall& call) {
  if (call.word(0) != "on" && call.word(0) != "off") return call.refuse();
  call.print("Every line is flushed as it is written\n");
}

void querylid(ConsoleCall& call) {
  const auto lid = parse_c_number<std::uint16_t>(call.word(0));
  if (!lid) return call.print("Invalid lid {}\n", weft::quoted(call.word(0)));
  if (const Snapshot* snapshot = call.snapshot()) call.print(lid_report(*snapshot, Lid(*lid)));
}

void portstatus(ConsoleCall& call) {
  std::optional<NodeType> type;
  if (call.word(0) == "ca") type = NodeType::kCa;
  if (call.word(0) == "switch") type = NodeType::kSwitch;
  if (call.word(0) == "router") type = NodeType::kRouter;
  if (!call.words.empty() && !type) return call.refuse();
  if (const Snapshot* snapshot = call.snapshot()) call.print("{}", port_report(*snapshot, type));
}

/// Parses the optional GUID at `index`; prints an error and returns false if it is invalid.
bool take_guid(ConsoleCall& call, std::size_t index, std::optional<Guid>& guid) {
  if (index >= call.words.size()) return true;
  const auto value = parse_number<std::uint64_t>(call.word(index), 16);
  if (!value) {
    call.refuse();
    return false;
  }
  guid = Guid(*value);
  return true;
}

void switchbalance(ConsoleCall& call) {
  const bool verbose = call.word(0) == "verbose";
  std::optional<Guid> only;
  if (!take_guid(call, verbose ? 1 : 0, only)) return;
  if (const Snapshot* snapshot = call.snapshot())
    call.print(switch_balance(*snapshot, verbose, only));
}

void lidbalance(ConsoleCall& call) {
  std::optional<Guid> only;
  if (!take_guid(call, 0, only)) return;
  if (const Snapshot* snapshot = call.snapshot()) call.print(lid_balance(*snapshot, only));
}

/// Hides secret values from sessions of other users and from TCP sessions, which are not encrypted.
void dump_conf(ConsoleCall& call) {
  Settings settings = *call.view.posted.settings;
  const std::string text = config_text(settings);
  if (call.view.trusted) return call.print("{}", text);
  for (const std::string_view line : split(text, '\n')) {
    const std::string_view key = line.substr(0, line.find(' '));
    if (is_secret(key)) {
      call.print(
          "# {} is not shown in this session: use the terminal, or the console's socket as root or "
          "as the user of the manager\n",
          key);
    } else {
      call.print("{}\n", line);
    }
  }
}

void update_desc(ConsoleCall& call) { call.request(Kind::kHeavySweep); }

void version(ConsoleCall& call) { call.print("Weft {}\n", call.view.version); }

void perfmgr(ConsoleCall& call) {
  const auto answer =
      call.view.run_performance_command
          ? call.view.run_performance_command({call.words.begin(), call.words.end()})
          : std::nullopt;
  if (answer) return call.print("{}", *answer);
  call.print("Performance Manager status:\nstate                        : Disabled\n");
  if (!call.words.empty())
    call.print("{}: start the manager with 'perfmgr TRUE'\n", weft::quoted(call.word(0)));
}

std::string cable_text(const NamedCable& cable) {
  const auto end = [](const NamedPort& e) {
    return fmt::format("{} (0x{:016x}) port {}", weft::quoted(e.name), e.node.value(),
                       e.port.value());
  };
  return end(cable.a) + " - " + end(cable.b);
}

/// Parses an action on a cable. The words between the action and the port are the node
/// description, which may contain spaces.
std::optional<CableOrder> cable_order(std::span<const std::string_view> words) {
  using Action = CableOrder::Action;
  if (words.empty()) return std::nullopt;
  if (words.front() == "list" && words.size() == 1) return CableOrder{};
  if ((words.front() != "cut" && words.front() != "mend") || words.size() < 3) return std::nullopt;
  const auto port = parse_number<unsigned>(words.back());
  if (!port) return std::nullopt;
  CableOrder order{words.front() == "cut" ? Action::kCut : Action::kReconnect, "", *port};
  for (const std::string_view word : words.subspan(1, words.size() - 2))
    order.node.append(order.node.empty() ? "" : " ").append(word);
  return order;
}

void emulate(ConsoleCall& call) {
  const auto order = cable_order(call.words);
  if (!order) return call.refuse();
  const auto outcome = call.view.change_cables ? call.view.change_cables(*order) : std::nullopt;
  if (!outcome) return call.print("The manager is not running\n");
  if (!*outcome) return call.print("{}\n", outcome->error().message);
  if (order->action == CableOrder::Action::kList) {
    if ((*outcome)->cut.empty()) call.print("No cable is cut\n");
    for (const NamedCable& cable : (*outcome)->cut) call.print("{}\n", cable_text(cable));
    return;
  }
  const bool cuts = order->action == CableOrder::Action::kCut;
  call.print("{}: {}\n", (*outcome)->cable ? cable_text(*(*outcome)->cable) : "",
             (*outcome)->changed ? cuts ? "cut" : "restored"
             : cuts              ? "cut already"
                                 : "not cut");
}

bool is_bare_name(std::string_view name) {
  return !name.empty() && name.find('/') == std::string_view::npos && name.front() != '.' &&
         std::ranges::all_of(name, [](char c) { return c > ' ' && c < 0x7F; });
}

void dump_portguid(ConsoleCall& call) {
  const bool to_file = call.word(0) == "file";
  const auto regexps =
      call.words.subspan(std::min<std::size_t>(to_file ? 2 : 0, call.words.size()));
  if (regexps.empty()) return call.print("No valid expression provided. Aborting\n");
  if (regexps.size() > kRegexpsMax)
    return call.print("found {} expressions, expected at most {}\n", regexps.size(), kRegexpsMax);
  if (to_file && !is_bare_name(call.word(1)))
    return call.print(
        "{}: expected a name without folders; the file is written to the folder console of "
        "dump_files_dir\n",
        weft::quoted(call.word(1)));
  const Snapshot* snapshot = call.snapshot();
  if (snapshot == nullptr) return;
  auto guids = port_guids(*snapshot, regexps);
  if (!guids || !to_file) return call.print(guids);
  call.answer.files.push_back({std::string(call.word(1)), std::move(*guids)});
}

constexpr ConsoleCommand kCommands[] = {
    {"help", "?", "help [<command>]", "lists the commands, or describes one command", help},
    {"quit", "exit", "quit (not valid in local mode; use ctl-c)", "ends this session", quit},
    {"loglevel", "", "loglevel [<log-level>]",
     "shows or sets log_flags, a sum:\n   1 errors, 2 information, 4 verbose, 8 debugging,\n   "
     "0x10 "
     "functions, 0x20 packets, 0x40 dumps of routes, 0x80 syslog",
     loglevel},
    {"permodlog", "", "permodlog", "shows the file of log flags by module", permodlog},
    {"priority", "", "priority [<sm-priority>]",
     "shows or sets the SM priority; SIGHUP restores the configured priority", priority},
    {"resweep", "", "resweep [heavy|light]", "starts a sweep immediately", resweep},
    {"reroute", "", "reroute", "recalculates all routes and programs the differences", reroute},
    {"sweep", "", "sweep [on|off]",
     "   [on] enable sweeps\n   [off] disable all sweeps; changes are processed when sweeps are "
     "enabled",
     sweep},
    {"status", "", "status [loop]", "   loop -- repeat; type \"q<ret>\" to quit", status},
    {"logflush", "", "logflush [on|off] -- flush the log with each line",
     "no effect: every line is flushed", logflush},
    {"querylid", "", "querylid lid -- print the port that has this LID",
     "prints the node of the port and the peers of its ports", querylid},
    {"portstatus", "", "portstatus [ca|switch|router]",
     "counts ports by state, width and speed\n   [ca|switch|router] -- only nodes of that type",
     portstatus},
    {"switchbalance", "", "switchbalance [verbose] [guid]",
     "prints the paths to hosts through each port to a switch, for switches with counts that "
     "differ by more "
     "than one\n   [verbose] -- all switches\n   [guid] -- only that switch",
     switchbalance},
    {"lidbalance", "", "lidbalance [switchguid]",
     "prints the number of ports over which a switch routes the LIDs of a host (LMC)\n   "
     "[switchguid] -- only "
     "that switch",
     lidbalance},
    {"dump_conf", "", "dump_conf", "prints the active settings in configuration file format",
     dump_conf},
    {"update_desc", "", "update_desc", "reads all node descriptions again, by a heavy sweep",
     update_desc},
    {"version", "", "version -- the program's version", "", version},
    {"perfmgr", "pm", kPerformanceUsage, kPerformanceHelp, perfmgr},
    {"emulate", "", "emulate cut|mend NODE PORT, emulate list -- cables of an emulated fabric",
     "   cut  -- disconnect the cable at a port of a node, given by its description or GUID\n   "
     "mend -- reconnect it\n   list -- disconnected cables\nOnly on an emulated fabric",
     emulate},
    {"dump_portguid", "",
     "dump_portguid [file filename] regexp1 [regexp2 [regexp3 ...]] -- GUIDs of ports by name",
     "prints port GUIDs of nodes with a description that matches an expression\n   [file filename] "
     "-- write to a "
     "new file in the folder console of dump_files_dir",
     dump_portguid},
};

const ConsoleCommand* find_command(std::string_view name) {
  const auto found = std::ranges::find_if(kCommands, [&](const ConsoleCommand& command) {
    return name == command.name || (!command.alias.empty() && name == command.alias);
  });
  return found == std::end(kCommands) ? nullptr : &*found;
}

}  // namespace

std::span<const ConsoleCommand> console_commands() { return kCommands; }

ConsoleAnswer execute(std::string_view line, const ConsoleView& view) {
  const auto words = split_words(trim(line.substr(0, kConsoleLineMax)));
  if (words.empty()) return {};
  const ConsoleCommand* command = find_command(words.front());
  if (command == nullptr) {
    ConsoleAnswer answer;
    answer.text = fmt::format("{} : Command not found; 'help' lists the commands\n",
                              weft::quoted(words.front()));
    return answer;
  }
  ConsoleCall call{*command, std::span(words).subspan(1), view, {}};
  command->run(call);
  return std::move(call.answer);
}

}  // namespace weft
