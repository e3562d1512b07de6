// Pages say how a reader gets the packages from one place: from a clone until a version is at npm, and then from npm.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { pagesIn, withInstalling } from "../../../../scripts/installing.mjs";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const pages = pagesIn(root).map((page) => [page, readFileSync(join(root, page), "utf8")] as const);
const said = pages.filter(([, text]) => /<!-- (?:installs|creates): /.test(text));

test("the first pages that a newcomer reads say it", () => {
  const first = ["README.md", "docs/index.md", "docs/learn/first-server.md"];
  const tutorials = pages.map(([page]) => page).filter((page) => page.startsWith("docs/tutorials/"));
  expect(said.map(([page]) => page)).toEqual(expect.arrayContaining([...first, ...tutorials]));
});

test.each(said)("%s says what works before a version is published", (page, text) => {
  expect(text).toBe(withInstalling(page, text, "clone"));
  expect(text).not.toMatch(/^npm (?:install|create) tenon/m);
});

test.each(said)("a release writes the commands of npm into %s, and nothing else", (page, text) => {
  const released = withInstalling(page, text, "npm");
  expect(released).not.toMatch(/No version is at npm yet|\.\.\/tenon\/out|\.\/tenon init/);
  expect(released).toMatch(/^npm (?:install|create) tenon/m);
  expect(withInstalling(page, released, "clone")).toBe(text);
});

test("after a release no page says that nothing is published", () => {
  const left = pages.filter(([page, text]) =>
    /No version (?:of Tenon )?is|before-a-version/.test(withInstalling(page, text, "npm")),
  );
  expect(left.map(([page]) => page)).toEqual([]);
});
