// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "report/packed_tables.h"

#include <zlib.h>

#include <atomic>
#include <span>

#include "base/check.h"
#include "base/parallel.h"

namespace weft {
namespace {

constexpr int kLevel = 6;

std::string base64(const std::vector<std::uint8_t>& bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const auto at = [&](std::size_t j) { return j < bytes.size() ? std::uint32_t{bytes[j]} : 0u; };
    const std::uint32_t bits = at(i) << 16 | at(i + 1) << 8 | at(i + 2);
    text += kDigits[bits >> 18 & 63];
    text += kDigits[bits >> 12 & 63];
    text += i + 1 < bytes.size() ? kDigits[bits >> 6 & 63] : '=';
    text += i + 2 < bytes.size() ? kDigits[bits & 63] : '=';
  }
  return text;
}

}  // namespace

std::string pack(const std::vector<std::uint8_t>& bytes) {
  z_stream stream{};
  CHECK(deflateInit2(&stream, kLevel, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::vector<std::uint8_t> packed(deflateBound(&stream, bytes.size()));
  stream.next_in = const_cast<Bytef*>(bytes.data());  // zlib does not write here
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = packed.data();
  stream.avail_out = static_cast<uInt>(packed.size());
  CHECK(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return base64(packed);
}

std::vector<Lid> host_lids(const Fabric& fabric) {
  std::vector<Lid> lids;
  for (const EndportId e : fabric.hosts()) {
    const Endport& host = fabric.endport(e);
    for (unsigned i = 0; i < 1u << host.lmc; ++i)
      lids.push_back(Lid(static_cast<std::uint16_t>(host.lid.value() + i)));
  }
  return lids;
}

PackedTables pack_tables(const Fabric& fabric, const Routes& routes, unsigned threads,
                         std::size_t size_max) {
  const auto lids = host_lids(fabric);
  const std::uint32_t switches = fabric.switch_count();
  PackedTables tables;
  tables.with_sl = routes.path_sl.kind() != PathSl::Kind::kUniform;
  tables.chunks.resize((lids.size() + kPackedLids - 1) / kPackedLids);
  std::atomic<std::size_t> size{0};
  parallel_for(tables.chunks.size(), threads, [&](std::size_t chunk) {
    if (size > size_max) return;
    const std::size_t end = std::min(lids.size(), (chunk + 1) * kPackedLids);
    std::vector<std::uint8_t> bytes;
    bytes.reserve((end - chunk * kPackedLids) * switches * (tables.with_sl ? 2 : 1));
    for (std::size_t i = chunk * kPackedLids; i < end; ++i) {
      const Lid lid = lids[i];
      for (std::uint32_t s = 0; s < switches; ++s)
        bytes.push_back(routes.lfts.port(SwitchId(s), lid).value());
      if (!tables.with_sl) continue;
      const SwitchId to = fabric.endport(fabric.endport_of(lid)).sw;
      for (std::uint32_t s = 0; s < switches; ++s)
        bytes.push_back(routes.path_sl.sl(SwitchId(s), to, lid).value());
    }
    tables.chunks[chunk] = pack(bytes);
    size += tables.chunks[chunk].size();
  });
  if (size > size_max) {
    tables.too_large = true;
    tables.chunks.clear();
  }
  return tables;
}

}  // namespace weft
