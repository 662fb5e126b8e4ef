// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Writes a fabric as text, in pieces, in any of the formats that other programs read. One table
// (write_formats) lists the formats.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "fabric/fabric.h"

namespace weft {

/// Receives the next piece of text.
using Append = std::function<void(std::string_view)>;

struct WriteFormat {
  std::string_view name;
  std::string_view extension;  // extension of files in this format, with the dot
  std::string_view summary;
  void (*write)(const Fabric& fabric, const Append& append);
};

std::span<const WriteFormat> write_formats();

/// Finds a format by name ("ibsim") or by the extension of a file name ("tree.net"). Fails with
/// kUsage, listing the known formats.
Result<const WriteFormat*> find_writer(std::string_view name_or_path);

/// The whole text in memory, for tests and small fabrics.
std::string write_fabric_text(const Fabric& fabric, const WriteFormat& format);

}  // namespace weft
