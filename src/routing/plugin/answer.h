// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The tables that an engine from a shared object fills in its child process, and their conversion
// to routes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/shared_memory.h"
#include "fabric/fabric.h"
#include "routes/routes.h"
#include "routing/engine_plugin.h"
#include "routing/plugin/child_outcome.h"

namespace weft::plugin {

/// "routing engine PATH: WHY"
tl::unexpected<Error> wrong(Code code, std::string_view path, std::string_view why);

class Answer {
 public:
  /// The fabric must outlive it.
  Answer(const Fabric& fabric, std::string_view path);

  weft_tables* tables() const { return &tables_->tables; }
  ChildOutcome& outcome() const { return tables_->outcome; }

  /// Every entry is checked: values out of range are an error; missing entries are left to the
  /// verifier.
  Result<Routes> routes(unsigned vls_max) const;

 private:
  struct Tables {
    weft_tables tables{};
    ChildOutcome outcome;
    std::uint32_t kind = WEFT_SL_NONE;
  };

  std::size_t sl_count(std::uint32_t kind) const;
  /// Runs in the child. The table ends at the end of a mapping, so a write past it crashes.
  static std::uint8_t* path_sl(weft_tables* tables, std::uint32_t kind);
  Status copy_lfts(Lfts& lfts) const;

  const Fabric& fabric_;
  std::string path_;
  std::size_t row_;
  std::size_t switches_;
  SharedBytes lfts_;
  SharedBytes lanes_;
  Shared<Tables> tables_;
};

}  // namespace weft::plugin
