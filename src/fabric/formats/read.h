// Reads a fabric from a file in any known format, recognised by its content. One visible table
// (read_formats) names the formats; nothing registers itself.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "fabric/fabric.h"
#include "fabric/formats/format.h"

namespace weft {

struct ReadResult {
  Fabric fabric;
  std::string format;  // the name in the table
  std::vector<std::string> warnings;
};

/// The formats in the order in which they are tried on unknown content.
std::span<const ReadFormat> read_formats();

/// The format of a file whose content is a fabric; null for anything else, and for what cannot be
/// read twice.
const ReadFormat* recognise_fabric(const std::string& path);

/// Reads plain or gzipped text; "-" is standard input. Memory grows with the fabric, not with the
/// file, except for what cannot be read twice (a pipe). Fails with kUsage on an unknown format
/// name, kEnvironment where the file cannot be opened, kBadInput on content: the message names
/// file, line, what was found and what was wanted.
Result<ReadResult> read_fabric(const std::string& path, const ReadOptions& options = {});

/// The same for text at hand; `name` stands for the path in messages.
Result<ReadResult> read_fabric_text(std::string text, const std::string& name,
                                    const ReadOptions& options = {});

}  // namespace weft
