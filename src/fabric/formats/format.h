// What a reader of a fabric file is: a name, a look at the content, and a function that feeds a
// builder. Each reader's header includes this one and no other reader.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "fabric/builder.h"

namespace weft {

struct ReadOptions {
  std::string format;    // a name of the table; empty: recognised by content
  std::string ibnl_dir;  // where chassis definitions (*.ibnl) of ibdm topologies lie
};

/// What was odd in a file that could be read. Bounded: after kMax lines the rest is counted only.
class Warnings {
 public:
  static constexpr std::size_t kMax = 1000;

  void add(std::string warning);

  template <class... Args>
  void add(const LineReader& at, fmt::format_string<Args...> format, Args&&... args) {
    add(fmt::format("{}:{}: {}", at.path(), at.line_number(),
                    fmt::format(format, std::forward<Args>(args)...)));
  }

  /// All of them, and a last line that tells how many were left out.
  std::vector<std::string> take();

 private:
  std::vector<std::string> lines_;
  std::size_t left_out_ = 0;
};

/// An error at the line that the reader gave last: "FILE:LINE: what".
template <class... Args>
[[nodiscard]] tl::unexpected<Error> fail_at(const LineReader& at,
                                            fmt::format_string<Args...> format, Args&&... args) {
  return fail(Code::kBadInput, "{}:{}: {}", at.path(), at.line_number(),
              fmt::format(format, std::forward<Args>(args)...));
}

struct ReadFormat {
  std::string_view name;
  std::string_view summary;
  /// Whether a file that begins with `head` is of this format. `head` holds whole lines, about 64
  /// KiB of them, without byte order mark and carriage returns.
  bool (*recognise)(std::string_view head);
  /// Reads from the first line. An error's message begins with "FILE:LINE: ".
  Status (*read)(LineReader& lines, const ReadOptions& options, FabricBuilder& builder,
                 Warnings& warnings);
};

}  // namespace weft
