// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The console commands: those of OpenSM and a few of Weft. A command line results in a text and in
// requests, which the caller executes. Commands use no sockets, and reach the running manager only
// by the functions of ConsoleView.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "service/sm_board.h"

namespace weft {

inline constexpr std::size_t kConsoleLineMax = 1024;

/// The data that commands can read.
struct ConsoleView {
  SmBoard::Posted posted;
  std::string version;               // version of the program
  std::vector<std::string> plugins;  // names of the event plugins
  bool local = false;                // terminal session, not a socket
  bool trusted = false;  // shows secrets: terminal, or a session of root or of this process's user
  /// Calls SmBoard::run_performance_command().
  std::function<std::optional<std::string>(std::vector<std::string>)> run_performance_command{};
  /// Calls SmBoard::cables_handler.
  std::function<std::optional<Result<CableOutcome>>(const CableOrder&)> change_cables{};
};

struct ConsoleAnswer {
  std::string text;
  std::vector<SmRequest> requests;
  struct File {
    std::string name;  // name without folder; the file is written to the dump folder
    std::string content;
  };
  std::vector<File> files;  // files to write
  bool quit = false;
  bool loop = false;  // repeat the command until the session sends another line
};

/// Executes one line of arbitrary bytes; bytes beyond kConsoleLineMax are ignored.
ConsoleAnswer execute(std::string_view line, const ConsoleView& view);

struct ConsoleCall;
struct ConsoleCommand {
  std::string_view name;
  std::string_view alias;  // may be empty
  std::string_view usage;
  std::string_view about;  // for `help NAME`
  void (*run)(ConsoleCall& call);
};
/// All commands, in the order of `help`.
std::span<const ConsoleCommand> console_commands();

}  // namespace weft
