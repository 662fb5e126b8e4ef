#include "sm/dumps.h"

#include "base/file.h"
#include "fabric/formats/lst.h"
#include "routes/dump/write.h"

namespace weft {

Status write_dumps(const Fabric& fabric, const Routes& routes, const std::string& directory,
                   const DumpOptions& options) {
  if (auto status = make_directory(directory); !status) return status;
  auto status = write_file(directory + "/opensm-subnet.lst",
                           [&](const Append& append) { write_lst(fabric, options.sm, append); });
  if (!status) return status;
  for (const DumpFile& file : dump_files()) {
    if (file.name == "weft.psl" && fabric.ca_count() > kPslHostsMax && !options.psl_always)
      continue;
    if (file.name == kCaOrderFile && routes.ca_order.empty()) continue;
    status = write_file(fmt::format("{}/{}", directory, file.name),
                        [&](const Append& append) { file.write(fabric, routes, append); });
    if (!status) return status;
  }
  return {};
}

}  // namespace weft
