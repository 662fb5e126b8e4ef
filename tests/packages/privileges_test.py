#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Checks that the container and the pod have no privileges: privileges_test.py CONTAINERFILE MANIFEST"""
import pathlib
import re
import sys

import yaml

WRITABLE = {"/var/cache/opensm", "/var/lib/weft", "/var/log/weft", "/tmp"}
HOST_FOLDERS = {"/var/cache/opensm", "/var/lib/weft"}


def container_faults(text):
    code = re.sub(r"\\\n", " ", "\n".join(line for line in text.splitlines() if not line.startswith("#")))
    image = code[code.rindex("\nFROM "):]  # the last stage
    users = re.findall(r"^USER +(\S+)$", image, re.M)
    if not users or not re.fullmatch(r"[1-9]\d*:[1-9]\d*", users[-1]):
        yield f"USER is {users}, expected numbers of a user and a group that are not 0"
    elif image.rindex("\nUSER ") < max(image.rfind("\nRUN "), image.rfind("\nCOPY ")):
        yield "USER is not after the last RUN"
    volumes = set(re.findall(r'"(/[^"]+)"', " ".join(re.findall(r"^VOLUME (.*)$", image, re.M))))
    if volumes != WRITABLE - {"/tmp"}:
        yield f"VOLUME is {sorted(volumes)}, expected the folders that the manager writes"
    comments = "\n".join(line for line in text.splitlines() if line.startswith("#"))
    for word in ("--privileged", "--cap-add", "--device /dev/infiniband "):
        if word in comments:
            yield f"the instructions use {word}"
    for word in ("--cap-drop all", "--read-only", "no-new-privileges", "--group-add"):
        if word not in comments:
            yield f"the instructions do not contain {word}"


def pod_faults(pod, user):
    context = pod.get("securityContext", {})
    for key, wanted in (("runAsNonRoot", True), ("runAsUser", user), ("runAsGroup", user),
                        ("seccompProfile", {"type": "RuntimeDefault"})):
        if context.get(key) != wanted:
            yield f"the pod's {key} is {context.get(key)}, expected {wanted}"
    if 0 in context.get("supplementalGroups", []):
        yield "the pod has the group of root"
    if pod.get("automountServiceAccountToken") is not False:
        yield "the pod has a token of the cluster"
    for name in ("hostPID", "hostIPC"):
        if pod.get(name):
            yield f"the pod has {name}"
    for volume in pod.get("volumes", []):
        path = volume.get("hostPath", {}).get("path")
        if path is not None and path not in HOST_FOLDERS:
            yield f"volume {volume['name']} is {path} of the node, expected one of {sorted(HOST_FOLDERS)}"
    for container in pod["containers"] + pod.get("initContainers", []):
        yield from (f"container {container['name']}: {fault}" for fault in pod_container_faults(container))


def pod_container_faults(container):
    context = container.get("securityContext", {})
    for key, wanted in (("allowPrivilegeEscalation", False), ("readOnlyRootFilesystem", True), ("capabilities", {"drop": ["ALL"]})):
        if context.get(key) != wanted:
            yield f"{key} is {context.get(key)}, expected {wanted}"
    for key in ("privileged", "runAsUser", "runAsNonRoot", "seccompProfile", "procMount"):
        if key in context:
            yield f"{key} is set, expected only in the security context of the pod"
    writable = {mount["mountPath"] for mount in container["volumeMounts"] if not mount.get("readOnly")}
    if writable != WRITABLE:
        yield f"writable folders are {sorted(writable)}, expected {sorted(WRITABLE)}"


def main():
    containerfile = pathlib.Path(sys.argv[1]).read_text()
    faults = list(container_faults(containerfile))
    user = int((re.findall(r"^USER +(\d+)", containerfile, re.M) or ["0"])[-1])
    pods = [thing["spec"]["template"]["spec"] for thing in yaml.safe_load_all(pathlib.Path(sys.argv[2]).read_text())
            if "template" in thing.get("spec", {})]
    if len(pods) != 1:
        faults.append(f"{len(pods)} pods, expected one")
    for pod in pods:
        faults += pod_faults(pod, user)
    print("\n".join(faults) or "neither the container nor the pod has privileges")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
