// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Output options, and writing fabrics and text to files or standard output.
#pragma once

#include <functional>
#include <string>

#include "cli/common.h"
#include "fabric/formats/write.h"

namespace weft::cli {

struct OutputArgument {
  std::string path = "-";
  std::string format;  // empty: by the file name extension; on standard output ibnetdiscover
};

/// Declares --to and -o, or OUT instead of -o if `positional`.
void add_output(CLI::App& app, OutputArgument& output, bool positional = false);

/// The format of --to, else of the file name extension, or ibnetdiscover on standard output. Fails
/// with kUsage if no format has the name or the extension.
Result<const WriteFormat*> writer_of(const OutputArgument& output);

/// Writes the fabric and returns the exit status.
int write_output(const Fabric& fabric, const OutputArgument& output);

/// Writes to a file, or to standard output for "-", and returns the exit status.
int write_to(const std::string& path, const std::function<void(const Append&)>& produce);

}  // namespace weft::cli
