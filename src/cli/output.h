// Where results are written to and how; fabrics as generate and convert write them.
#pragma once

#include <functional>
#include <string>

#include "cli/common.h"
#include "fabric/formats/write.h"

namespace weft::cli {

struct OutputArgument {
  std::string path = "-";
  std::string format;  // empty: by the path's ending, else ibnetdiscover
};

/// Declares --to, and -o unless `positional`, in which case OUT.
void add_output(CLI::App& app, OutputArgument& output, bool positional = false);

/// Writes and returns the exit status.
int write_output(const Fabric& fabric, const OutputArgument& output);

/// Writes to a file, or for "-" to standard output, and returns the exit status.
int write_to(const std::string& path, const std::function<void(const Append&)>& produce);

}  // namespace weft::cli
