# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Checks responses of the HTTP service against the OpenAPI description that the service returns. Needs python3-jsonschema."""
import json
import os

from http_client import TOKEN, bearer
from processes import check, run, skip, weft_binary

try:
    import jsonschema
except ImportError:
    skip("python3-jsonschema is not installed (scripts/install-deps)")


def check_description(document):
    """Checks that each schema of an OpenAPI description is a valid JSON schema."""
    for schema in document["components"]["schemas"].values():
        jsonschema.Draft202012Validator.check_schema(schema)


def check_answer(document, template, status, body, headers, method="get"):
    """Checks a response against the description. `template`: the path in the description."""
    response = document["paths"][template][method]["responses"].get(str(status))
    check(response, f"{method} {template}: {status} is not described")
    content = response["content"]
    kind = headers["Content-Type"].split(";")[0]
    check(kind in content, f"{template}: {kind}, expected {list(content)}")
    if kind == "application/json":
        schema = dict(content[kind]["schema"], components=document["components"])
        jsonschema.Draft202012Validator(schema).validate(json.loads(body))


class User:
    """Sends requests to a manager: over its HTTP API, and by a subcommand of `weft` that calls the API.

    user = User(manager, token, "partition")
    user.ask("PATCH", "/api/v1/partitions/0x10", {"add": [guid]}, template="/api/v1/partitions/{pkey}")
    user.json("list")  # weft partition list --json
    """

    def __init__(self, manager, token_path, subcommand):
        self.manager, self.subcommand = manager, subcommand
        self.environment = dict(os.environ, WEFT_SERVER=f"http://127.0.0.1:{manager.http.port}", WEFT_TOKEN_FILE=str(token_path))
        self.document = manager.http.json("/api/v1/openapi.json")[1]

    def weft(self, *words, wanted=0, environment=None):
        """The output of the subcommand; `wanted` is its expected exit status."""
        done = run([weft_binary(), self.subcommand, *words], check=False, env=environment or self.environment)
        check(done.returncode == wanted, f"{self.subcommand} {words}: {done.returncode}, expected {wanted}\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def json(self, *words):
        return json.loads(self.weft(*words, "--json"))

    def ask(self, method, path, body=None, wanted=200, token=TOKEN, template=None):
        """Sends a request; returns the parsed response. `wanted` is the expected status. A body that is not text is sent as JSON."""
        body = body if body is None or isinstance(body, str) else json.dumps(body)
        status, answer, headers = self.manager.http.get(path, method=method, headers=bearer(token), body=body)
        check(status == wanted, f"{method} {path} {body}: {status}, expected {wanted}: {answer[:500]}")
        check_answer(self.document, template or path, status, answer, headers, method=method.lower())
        return json.loads(answer)

    def get(self, path):
        return self.manager.http.json(path)[1]
