// The console's commands, OpenSM's and a few of our own: a line in, a text out. Nothing here knows
// of sockets or of the running manager: what a command wants done comes back as a value.
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

/// Everything that commands can see.
struct ConsoleView {
  SmBoard::Posted posted;
  std::string version;               // of the program
  std::vector<std::string> plugins;  // that take events
  bool local = false;                // the terminal rather than a socket
  bool trusted = false;              // it may see keys: the terminal, or it has shown a token
  /// SmBoard::ask_performance.
  std::function<std::optional<std::string>(std::vector<std::string>)> ask_performance{};
  /// SmBoard::cables_desk.
  std::function<std::optional<Result<CableOutcome>>(const CableOrder&)> ask_cables{};
};

struct ConsoleAnswer {
  std::string text;
  std::vector<SmRequest> requests;
  struct File {
    std::string name;  // bare, for the folder of dumps
    std::string content;
  };
  std::vector<File> files;  // to be written
  bool quit = false;
  bool loop = false;  // the same line again and again, until something else is typed
};

/// Carries out one line, of any bytes and at most kConsoleLineMax of them.
ConsoleAnswer execute(std::string_view line, const ConsoleView& view);

struct ConsoleCall;
struct ConsoleCommand {
  std::string_view name;
  std::string_view alias;  // may be empty
  std::string_view usage;
  std::string_view about;  // for `help NAME`
  void (*run)(ConsoleCall& call);
};
/// The one table, in the order of `help`.
std::span<const ConsoleCommand> console_commands();

}  // namespace weft
