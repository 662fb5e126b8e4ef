// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reads a fabric from a file in any known format, recognized by its content. One table
// (read_formats) lists the formats; there is no registration at run time.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "fabric/fabric.h"
#include "fabric/formats/format.h"

namespace weft {

struct ReadResult {
  Fabric fabric;
  std::string format;  // name of the format in the table
  std::vector<std::string> warnings;
};

/// The formats in the order in which they are checked for a file.
std::span<const ReadFormat> read_formats();

/// The format of a file that contains a fabric; null for any other file, and for a file that cannot
/// be read twice (a pipe).
const ReadFormat* recognize_fabric(const std::string& path);

/// Reads plain or gzipped text; "-" is standard input. Memory grows with the fabric, not with the
/// file, except for input that cannot be read twice (a pipe). Fails with kUsage on an unknown
/// format name, kEnvironment if the file cannot be opened, kBadInput on invalid content: the
/// message names the file and, if they are known, the line, the value found and the value expected.
Result<ReadResult> read_fabric(const std::string& path, const ReadOptions& options = {});

/// Reads text in memory as read_fabric() reads a file; `name` replaces the path in messages.
Result<ReadResult> read_fabric_text(std::string text, const std::string& name,
                                    const ReadOptions& options = {});

}  // namespace weft
