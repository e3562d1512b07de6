// The texts of the package: its README with links to the site, the licence, the changelog, and `llms.txt`, the list of all pages.
// They stand at the root of the repository or are made from it. npm packs only what lies in the folder of a package.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pageList } from "../../site/texts.mjs";
import { withSiteLinks } from "./links.mjs";

const HOW = [
  "The pages are no part of this package. `npx tenon docs servers/tools.md` prints one, `npx tenon docs <words>` searches them, with `tenon-cli` installed.",
  "The types of each subpath are in `dist/`, with their documentation.",
];

/** Writes the texts into the folder of a package. */
export function writePackageTexts(repository, folder) {
  const { homepage } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const read = (name) => readFileSync(join(repository, name), "utf8");
  writeFileSync(join(folder, "README.md"), withSiteLinks(read("README.md"), "README.md", homepage, ["CHANGELOG.md"]));
  writeFileSync(join(folder, "CHANGELOG.md"), withSiteLinks(read("CHANGELOG.md"), "CHANGELOG.md", homepage));
  writeFileSync(join(folder, "LICENSE"), read("LICENSE"));
  writeFileSync(join(folder, "llms.txt"), pageList({ docs: join(repository, "docs"), base: homepage.replace(/\/$/, ""), how: HOW }));
}
