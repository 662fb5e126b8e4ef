// Where a fabric is written to and how: shared by generate and convert.
#pragma once

#include "cli/common.h"

namespace weft::cli {

struct OutputArgument {
  std::string path = "-";
  std::string format;  // empty: by the path's ending, else ibnetdiscover
};

/// Declares --to, and -o unless `positional`, in which case OUT.
void add_output(CLI::App& app, OutputArgument& output, bool positional = false);

/// Writes and returns the exit status.
int write_output(const Fabric& fabric, const OutputArgument& output);

}  // namespace weft::cli
