// The licences of the libraries that are bundled into the `dist/` of a package, and that are installed for development only.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Markdown with name, version and licence text of each package that one of the modules is from. @throws if one has no licence text */
export function thirdParty(name, moduleIds) {
  const folders = new Set([...moduleIds].flatMap((id) => packageFolder(id) ?? []));
  const parts = [...folders].map(describe).sort((a, b) => (a.name < b.name ? -1 : 1));
  const head = `# Third-party code\n\nThe package \`${name}\` contains code of these packages.\n`;
  return [
    head,
    ...parts.map(
      ({ name: part, version, license, text }) => `## ${part} ${version} (${license})\n\n\`\`\`\`text\n${text.trim()}\n\`\`\`\`\n`,
    ),
  ].join("\n");
}

/** The folder of the package that a module is from; undefined for one of our own. */
function packageFolder(id) {
  const path = id.replace(/^\0/, "").replace(/\?.*$/, "");
  if (!path.includes("/node_modules/")) return undefined;
  for (let folder = dirname(path); folder.includes("/node_modules/"); folder = dirname(folder)) {
    if (existsSync(join(folder, "package.json")) && read(folder).name !== undefined) return folder;
  }
  return undefined;
}

function read(folder) {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
}

function describe(folder) {
  const { name, version, license } = read(folder);
  const file = readdirSync(folder).find((entry) => /^(licen[sc]e|copying)/i.test(entry));
  const text =
    file === undefined ? `The package has no file with its licence. It names: ${license}.` : readFileSync(join(folder, file), "utf8");
  if (license === undefined && file === undefined) throw new Error(`${name} has no licence`);
  return { name, version, license, text };
}
