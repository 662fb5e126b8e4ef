// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/output.h"

#include "base/file.h"

namespace weft::cli {

void add_output(CLI::App& app, OutputArgument& output, bool positional) {
  if (positional) {
    app.add_option("OUT", output.path, "Output file, - for standard output")->required();
  } else {
    app.add_option("-o,--output", output.path, "Write to this file instead of standard output");
  }
  list_words(app.add_option("--to", output.format,
                            "Write in this format (default: by the file name extension; on "
                            "standard output ibnetdiscover)"),
             table_names(write_formats()));
}

Result<const WriteFormat*> writer_of(const OutputArgument& output) {
  return find_writer(!output.format.empty() ? output.format
                     : output.path == "-"   ? "ibnetdiscover"
                                            : output.path);
}

int write_output(const Fabric& fabric, const OutputArgument& output) {
  const auto writer = writer_of(output);
  if (!writer) return report(writer.error());
  return write_to(output.path, [&](const Append& append) { (*writer)->write(fabric, append); });
}

int write_to(const std::string& path, const std::function<void(const Append&)>& produce) {
  if (path == "-") {
    produce(append_to_stdout);
    return 0;
  }
  const auto status = write_file(path, produce);
  return status ? 0 : report(status.error());
}

}  // namespace weft::cli
