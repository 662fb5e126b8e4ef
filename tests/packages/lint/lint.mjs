// Checks the files for containers and Kubernetes: node lint.mjs CONTAINERFILE MANIFEST... Exit status 1 and a line for each
// finding.
import { readFileSync } from "node:fs";
import { validate } from "dockerfile-utils";
import { loadAll } from "js-yaml";

const [containerfile, ...manifests] = process.argv.slice(2);
const wrong = [];

for (const finding of validate(readFileSync(containerfile, "utf8")))
  wrong.push(`${containerfile}:${finding.range.start.line + 1}: ${finding.message}`);

for (const manifest of manifests) {
  const objects = loadAll(readFileSync(manifest, "utf8"));
  if (objects.length === 0) wrong.push(`${manifest}: no objects`);
  for (const object of objects) {
    const group = object.apiVersion.includes("/") ? object.apiVersion : "v1";
    const name = `${object.kind} ${object.metadata?.name}`;
    const Model = (await import(`kubernetes-models/${group}`))[object.kind];
    if (!Model) {
      wrong.push(`${manifest}: ${name}: no such kind in ${group}`);
      continue;
    }
    try {
      new Model(object).validate();
    } catch (error) {
      wrong.push(`${manifest}: ${name}: ${error.message}`);
    }
  }

  // Schemas cannot check that names within the manifest agree.
  const byKind = (kind) => objects.filter((object) => object.kind === kind);
  const configs = new Set(byKind("ConfigMap").map((object) => object.metadata.name));
  for (const { metadata, spec } of byKind("Deployment")) {
    const { template, selector } = spec;
    for (const [label, value] of Object.entries(selector.matchLabels))
      if (template.metadata.labels[label] !== value)
        wrong.push(`${manifest}: Deployment ${metadata.name}: label ${label} of its pods is ${template.metadata.labels[label]}, its selector has ${value}`);
    const volumes = new Set(template.spec.volumes.map((volume) => volume.name));
    for (const container of template.spec.containers)
      for (const mount of container.volumeMounts)
        if (!volumes.has(mount.name)) wrong.push(`${manifest}: container ${container.name} mounts ${mount.name}, which is not a volume of its pod`);
    for (const volume of template.spec.volumes)
      if (volume.configMap && !configs.has(volume.configMap.name))
        wrong.push(`${manifest}: volume ${volume.name}: no ConfigMap ${volume.configMap.name} in the manifest`);
  }
}

for (const line of wrong) console.error(line);
process.exit(wrong.length === 0 ? 0 : 1);
