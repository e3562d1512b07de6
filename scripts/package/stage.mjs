// The folders that npm publishes, one a package, in `out/packages/`: what `files` of its manifest names, its texts, and the manifest as
// users get it. It has no condition `source`, because the package has no sources: tools that know this condition would look for them. Where
// the site and the repository are stands in the manifest of `tenon` only, and is added to the others.
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { packagesOf } from "./packages.mjs";

/** What npm packs whether `files` names it or not. */
const ALWAYS = ["README.md", "LICENSE"];

/**
 * Writes the folders of all packages, after a build. Returns `{ name, version, folder }` of each, `tenon` first.
 * @param options `version`: another one than that of the manifests; `provenance`: npm publishes them with a proof of where they were built
 */
export function stagePackages(repository, out, { version, provenance = false } = {}) {
  const packages = packagesOf(repository);
  const names = new Set(packages.map(({ manifest }) => manifest.name));
  const [{ manifest: main }] = packages;
  return packages.map(({ folder, manifest }) => {
    const staged = join(out, manifest.name);
    rmSync(staged, { recursive: true, force: true });
    mkdirSync(staged, { recursive: true });
    for (const name of new Set([...ALWAYS, ...manifest.files])) copy(join(folder, name), join(staged, name), join(repository, name));
    const published = {
      ...asPublished(withVersion(manifest, version ?? manifest.version, names)),
      ...addressesOf(main, `packages/${basename(folder)}`),
      publishConfig: { access: "public", ...(provenance && { provenance }) },
    };
    writeFileSync(join(staged, "package.json"), `${JSON.stringify(published, undefined, 2)}\n`);
    return { name: manifest.name, version: version ?? manifest.version, folder: staged };
  });
}

function copy(from, to, otherwise) {
  const found = [from, otherwise].find((path) => existsSync(path));
  if (found === undefined) throw new Error(`${from} is missing: run "npm run build" first.`);
  cpSync(found, to, { recursive: true });
}

/** The packages name each other by the version that all of them have. */
function withVersion(manifest, version, names) {
  const dependencies = Object.entries(manifest.dependencies ?? {}).map(([name, range]) => [name, names.has(name) ? version : range]);
  return { ...manifest, version, ...(dependencies.length > 0 && { dependencies: Object.fromEntries(dependencies) }) };
}

/** A manifest without scripts, and without what names `src/`. */
function asPublished({ scripts: _scripts, exports, imports, ...rest }) {
  return { ...rest, ...(exports && { exports: withoutSources(exports) }), ...(imports && { imports: withoutSources(imports) }) };
}

function withoutSources(value) {
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([condition]) => condition !== "source");
  return Object.fromEntries(entries.map(([condition, target]) => [condition, withoutSources(target)]));
}

function addressesOf({ homepage, repository, bugs }, directory) {
  return { homepage, repository: { ...repository, directory }, bugs };
}
