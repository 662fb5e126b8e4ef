# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests that the type stubs list exactly the functions and classes of the package, and that docs/reference/python.md names all of them."""
import ast
import inspect
import pathlib
import re

import weft

STUB = ast.parse(pathlib.Path(weft.__file__).with_name("__init__.pyi").read_text())
PAGE = pathlib.Path(__file__).parents[2] / "docs/reference/python.md"


def public(names):
    return {name for name in names if not name.startswith("_")}


def parameters(function):
    """Names, kinds and defaults of the parameters of a function in the stub, with the terms of the module inspect."""
    arguments = function.args
    kinds = inspect.Parameter
    found = [(one.arg, kinds.POSITIONAL_OR_KEYWORD) for one in arguments.args]
    defaults = [None] * (len(arguments.args) - len(arguments.defaults)) + arguments.defaults
    if arguments.vararg:
        found.append((arguments.vararg.arg, kinds.VAR_POSITIONAL))
        defaults.append(None)
    found += [(one.arg, kinds.KEYWORD_ONLY) for one in arguments.kwonlyargs]
    defaults += arguments.kw_defaults
    if arguments.kwarg:
        found.append((arguments.kwarg.arg, kinds.VAR_KEYWORD))
        defaults.append(None)
    return [(name, kind, inspect.Parameter.empty if default is None else ast.literal_eval(default))
            for (name, kind), default in zip(found, defaults)]


def real_parameters(function):
    return [(one.name, one.kind, one.default) for one in inspect.signature(function).parameters.values()]


def definitions(body):
    """Functions, properties and attributes of a body of the stub."""
    functions, properties, attributes = {}, set(), set()
    for one in body:
        if isinstance(one, ast.FunctionDef):
            if any(isinstance(mark, ast.Name) and mark.id == "property" for mark in one.decorator_list):
                properties.add(one.name)
            else:
                functions[one.name] = one
        elif isinstance(one, ast.AnnAssign):
            attributes.add(one.target.id)
    return functions, properties, attributes


def test_stub_and_package_have_the_same_names():
    stated = {one.name for one in STUB.body if isinstance(one, (ast.FunctionDef, ast.ClassDef))}
    stated |= {one.target.id for one in STUB.body if isinstance(one, ast.AnnAssign)}
    assert public(stated) == set(weft.__all__)
    assert all(hasattr(weft, name) for name in stated)


def test_functions_have_the_stated_parameters():
    functions, _, _ = definitions(STUB.body)
    assert functions
    for name, function in functions.items():
        assert parameters(function) == real_parameters(getattr(weft, name)), name


def test_classes_have_the_stated_members():
    for stated in (one for one in STUB.body if isinstance(one, ast.ClassDef)):
        real = getattr(weft, stated.name)
        functions, properties, attributes = definitions(stated.body)
        public_members = {name for name, value in vars(real).items() if not name.startswith("_")}
        if issubclass(real, tuple):
            assert list(real._fields) == [one.target.id for one in stated.body if isinstance(one, ast.AnnAssign)], stated.name
        for name, function in functions.items():
            assert parameters(function) == real_parameters(getattr(real, name)), f"{stated.name}.{name}"
        for name in properties:
            assert isinstance(vars(real)[name], property), f"{stated.name}.{name}"
        not_stated = public_members - set(functions) - properties - attributes
        assert not not_stated, f"{stated.name}: {not_stated}"
        assert [base.id for base in stated.bases if base.id != "NamedTuple"] == [
            base.__name__ for base in real.__bases__ if base not in (object, tuple)], stated.name


def test_objects_have_the_stated_attributes():
    fabric = weft.generate("fattree2:k=4")
    routes = fabric.route("minhop")
    requests = []
    fabric.route(lambda f, request: requests.append(request) or routes.lfts)
    objects = [fabric, routes, routes.verify(), routes.quality(), routes.simulate(), requests[0], fabric.draw(), weft.Tables(routes.lfts),
               weft.Error("what")]
    for one in objects:
        stated = next(part for part in STUB.body if isinstance(part, ast.ClassDef) and part.name == type(one).__name__)
        _, properties, attributes = definitions(stated.body)
        for name in properties | attributes:
            assert hasattr(one, name), f"{stated.name}.{name}"
        assert public(vars(one)) <= attributes, stated.name


def test_every_public_name_has_a_docstring():
    for name in weft.__all__:
        value = getattr(weft, name)
        if not callable(value):
            continue
        assert inspect.getdoc(value), name
        for member, one in vars(value).items() if inspect.isclass(value) else ():
            if not member.startswith("_") and (callable(one) or isinstance(one, property)) and not issubclass(value, tuple):
                assert inspect.getdoc(one), f"{name}.{member}"


def test_the_page_lists_every_public_name():
    page = re.sub(r"^```.*?^```$", "", PAGE.read_text(), flags=re.MULTILINE | re.DOTALL)
    named = set(re.findall(r"\w+", " ".join(re.findall(r"`([^`]+)`", page))))
    missing = set(weft.__all__) - named
    for stated in (one for one in STUB.body if isinstance(one, ast.ClassDef)):
        functions, properties, attributes = definitions(stated.body)
        missing |= {f"{stated.name}.{name}" for name in public(set(functions) | properties | attributes) - named}
    assert not missing
