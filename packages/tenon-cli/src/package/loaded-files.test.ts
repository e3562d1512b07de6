import { expect, test } from "vitest";
import { loadedFiles } from "./loaded-files.ts";
import type { BundledFiles } from "./package-files.ts";
import { isSurplus } from "./package-files.ts";

const files = (texts: { readonly [path: string]: string }): BundledFiles =>
  new Map(Object.entries(texts).map(([path, text]) => [path, new TextEncoder().encode(text)]));

/** The files of packages that a bundle keeps, in the order in which they are given. */
function kept(own: string, packages: { readonly [path: string]: string }, manifest = "{}"): string[] {
  return [...loadedFiles(files({ "package.json": manifest, "server.ts": own }), files(packages), []).keys()];
}

const A = {
  "node_modules/a/package.json": JSON.stringify({
    exports: { ".": { import: "./index.js", require: "./index.cjs" }, "./plug/*": "./plugs/*.js" },
  }),
  "node_modules/a/index.js": `export * from "./part.js";`,
  "node_modules/a/index.cjs": `module.exports = require("./part");`,
  "node_modules/a/part.js": `import b from "b"; import data from "./data.json" with { type: "json" };`,
  "node_modules/a/data.json": "{}",
  "node_modules/a/plugs/x.js": "",
  "node_modules/a/plugs/y.js": "",
  "node_modules/a/unused.js": "",
  "node_modules/b/package.json": "{}",
  "node_modules/b/index.js": `require("./lib");`,
  "node_modules/b/lib/index.js": "",
  "node_modules/b/bench.js": "",
  "node_modules/c/package.json": "{}",
  "node_modules/c/index.js": "",
};

test("what no file loads is left out, and packages that nothing names with all their files", () => {
  expect(kept(`import { a } from "a"; await import("a/plug/x");`, A)).toEqual([
    "node_modules/a/package.json",
    "node_modules/a/index.js",
    "node_modules/a/index.cjs",
    "node_modules/a/part.js",
    "node_modules/a/data.json",
    "node_modules/a/plugs/x.js",
    "node_modules/b/package.json",
    "node_modules/b/index.js",
    "node_modules/b/lib/index.js",
  ]);
});

test("a server that computes what it loads keeps everything", () => {
  expect(kept("const name = process.argv[2]; await import(name);", A)).toEqual(Object.keys(A));
});

test("a package that computes what it loads is kept whole, and so are packages that nothing names", () => {
  const computing = { ...A, "node_modules/b/lib/index.js": "module.exports = (name) => require(name);" };
  expect(kept(`import "b";`, computing)).toEqual(Object.keys(A));
});

test("a package that looks for files beside its own is kept whole", () => {
  const beside = { ...A, "node_modules/b/lib/index.js": `new Worker(path.join(__dirname, "..", "bench.js"));` };
  expect(kept(`import "b";`, beside)).toEqual(Object.keys(A).filter((path) => path.startsWith("node_modules/b/")));
});

test("the nearest of two installed versions is the one that is loaded", () => {
  const nested = {
    ...A,
    "node_modules/a/node_modules/b/package.json": `{"main":"./main"}`,
    "node_modules/a/node_modules/b/main.js": "",
  };
  const found = kept(`import "a";`, nested);
  expect(found).toContain("node_modules/a/node_modules/b/main.js");
  expect(found).not.toContain("node_modules/b/index.js");
});

test("a package that only `imports` of the bundle's own manifest names is kept", () => {
  expect(kept(`import "#b";`, A, `{"imports":{"#b":"b"}}`)).toContain("node_modules/b/lib/index.js");
});

test.each([
  ["README.md", true],
  ["dist/index.js.map", true],
  ["dist/index.d.cts", true],
  ["src/index.ts", true],
  ["test/all.js", true],
  ["docs/guide.html", true],
  ["LICENSE.md", false],
  ["dist/docs.js", false],
  ["lib/test.js", false],
  ["dist/index.mjs", false],
  ["data/words.txt", false],
])("%s is surplus: %s", (path, is) => expect(isSurplus(path)).toBe(is));
