// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Encoding and decoding of the records of subnet administration. A record is a struct with `kSize`,
// its size on the wire, and a layout: a function template in the namespace of the struct that names
// each field once (ib/wire.h), for instance
//   template <class Op, wire::Is<LinkRecord> T>
//   void layout(Op field, T& record) {
//     field(0, 16, record.from);
//   }
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <type_traits>

#include "ib/smp.h"
#include "ib/wire.h"

namespace weft {

template <class Record>
using RecordBytes = std::array<std::byte, Record::kSize>;
template <class Record>
using RecordView = std::span<const std::byte, Record::kSize>;

namespace wire {

/// The type of the record in a layout function: const when it is encoded.
template <class Have, class Want>
concept Is = std::is_same_v<std::remove_const_t<Have>, Want>;

template <class Record>
RecordBytes<Record> encode_record(const Record& record) {
  RecordBytes<Record> bytes{};
  layout(FieldWriter(bytes.data()), record);
  return bytes;
}

/// Encodes a record that contains an attribute of subnet management: writes `length` bytes of the
/// encoded attribute at byte `at`.
template <class Record, std::size_t size>
RecordBytes<Record> encode_record(const Record& record, std::size_t at,
                                  const std::array<std::byte, size>& attribute,
                                  std::size_t length) {
  RecordBytes<Record> bytes = encode_record(record);
  std::copy_n(attribute.begin(), length, bytes.begin() + static_cast<std::ptrdiff_t>(at));
  return bytes;
}

/// Decodes the fields of the layout; the caller decodes an attribute within the record.
template <class Record>
Record decode_record(RecordView<Record> bytes) {
  Record record;
  layout(FieldReader(bytes.data()), record);
  return record;
}

/// The attribute within a record, padded with zeros as in an SMP.
inline SmpData embedded_attribute(std::span<const std::byte> bytes, std::size_t at,
                                  std::size_t length) {
  SmpData data{};
  std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), length, data.begin());
  return data;
}

}  // namespace wire
}  // namespace weft
