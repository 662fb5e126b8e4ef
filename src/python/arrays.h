// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// NumPy arrays over memory of the libraries, without copies.
#pragma once

#include <pybind11/numpy.h>

#include <memory>
#include <utility>
#include <vector>

namespace weft::python {

using Extent = std::vector<pybind11::ssize_t>;

/// A read-only array over `data`, which `owner` keeps alive. `strides` are in bytes.
pybind11::array view(const pybind11::dtype& type, Extent shape, Extent strides, const void* data,
                     pybind11::handle owner);

/// A read-only array over consecutive elements.
template <class Element>
pybind11::array view(const pybind11::dtype& type, std::span<const Element> elements,
                     pybind11::handle owner) {
  return view(type, {static_cast<pybind11::ssize_t>(elements.size())}, {sizeof(Element)},
              elements.data(), owner);
}

/// An array that owns the vector.
template <class Element>
pybind11::array_t<Element> owned(std::vector<Element> elements, Extent shape = {}) {
  auto* const kept = new std::vector<Element>(std::move(elements));
  const pybind11::capsule owner(
      kept, [](void* memory) { delete static_cast<std::vector<Element>*>(memory); });
  if (shape.empty()) shape.push_back(static_cast<pybind11::ssize_t>(kept->size()));
  return pybind11::array_t<Element>(std::move(shape), kept->data(), owner);
}

/// The fields of a struct as a NumPy type.
class Fields {
 public:
  template <class Member>
  Fields& add(const char* name, std::size_t offset) {
    names_.append(name);
    formats_.append(pybind11::dtype::of<Member>());
    offsets_.append(offset);
    return *this;
  }
  pybind11::dtype type(std::size_t size) const {
    return {names_, formats_, offsets_, static_cast<pybind11::ssize_t>(size)};
  }

 private:
  pybind11::list names_, formats_, offsets_;
};

}  // namespace weft::python
