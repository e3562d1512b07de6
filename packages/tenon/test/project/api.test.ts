// `npm run api`: what a change of the public API looks like, and when it fails. On a small project of its own.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";

const program = fileURLToPath(new URL("../../../../scripts/api.mjs", import.meta.url));

const FILES: { readonly [path: string]: string } = {
  "package.json": JSON.stringify({
    name: "tenon",
    exports: {
      ".": { types: "./dist/index.d.ts" },
      "./store": { types: "./dist/store/index.d.ts" },
      "./package.json": "./package.json",
    },
  }),
  "CHANGELOG.md": "# Changelog\n\n## Unreleased\n\n## 0.1.0 (2026-01-31)\n\n- Everything.\n",
  "dist/index.d.ts": `export { open as openStore, type Store } from "./store/open.ts";\nexport declare const LIMIT = 4;\n`,
  "dist/store/index.d.ts": `export type { Store } from "./open.ts";\n`,
  "dist/store/open.d.ts": `import type * as parts from "./parts.ts";
/** Opens a store. */
export declare function open(path: string): Promise<Store>;
/** A store. */
export interface Store {
    /** How it is named. */
    readonly name: string; // never empty
    entries(): parts.Entry[];
}
`,
  "dist/store/parts.d.ts": `/** One entry. */
export interface Entry {
    readonly key: string;
}
export interface Unused {
}
`,
};

interface Project {
  readonly api: (...args: string[]) => { status: number | null; said: string };
  readonly git: (...args: string[]) => void;
  readonly write: (files: { readonly [path: string]: string }) => void;
  readonly read: (path: string) => string;
  readonly replace: (path: string, from: string, to: string) => void;
}

/** A project in git, whose snapshot is that of its build. */
function project(): Project {
  const folder = mkdtempSync(join(tmpdir(), "tenon-api-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const read = (path: string): string => readFileSync(join(folder, path), "utf8");
  const write: Project["write"] = (files) => {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
  };
  const made: Project = {
    api: (...args) => {
      const { status, stdout, stderr } = spawnSync(process.execPath, [program, "--root", folder, ...args], { encoding: "utf8" });
      return { status, said: stdout + stderr };
    },
    git: (...args) => {
      const { status, stderr } = spawnSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.com", ...args], {
        cwd: folder,
        encoding: "utf8",
      });
      expect({ args, status, stderr }).toMatchObject({ status: 0 });
    },
    read,
    write,
    replace: (path, from, to) => write({ [path]: read(path).replace(from, to) }),
  };
  write(FILES);
  made.git("init", "-q");
  expect(made.api("--update")).toEqual({ status: 0, said: expect.stringContaining("2 subpaths") as string });
  made.git("add", "-A");
  made.git("commit", "-qm", "begin");
  return made;
}

test("a snapshot has each declaration once, without comments, and what public types name besides", () => {
  const { api, read } = project();
  expect(read("api/store.d.ts").split("\n")).toEqual([
    "// What tenon/store exports. Made by: npm run api -- --update",
    "",
    "export interface Store {",
    "    readonly name: string;",
    "    entries(): parts.Entry[];",
    "}",
    "",
  ]);
  expect(read("api/tenon.d.ts")).toContain('export { Store } from "tenon/store";\n');
  expect(read("api/tenon.d.ts")).toContain(
    "export declare function open(path: string): Promise<Store>;\nexport { open as openStore };\n",
  );
  expect(read("api/unnamed.d.ts")).toContain("export interface Entry {\n    readonly key: string;\n}\n");
  expect(read("api/unnamed.d.ts")).not.toContain("Unused");
  expect(api()).toMatchObject({ status: 0 });
});

test("a change of a type is shown by its line, also of one that nothing exports", () => {
  const { api, replace } = project();
  replace("dist/store/parts.d.ts", "key: string", "key: number");
  const { status, said } = api();
  expect(status).toBe(1);
  expect(said).toContain(
    "api/unnamed.d.ts is not what the build declares:\n  -     readonly key: string;\n  +     readonly key: number;\n",
  );
  expect(said).toContain('"npm run api -- --update"');
});

test("a changed snapshot wants an entry under Unreleased, while it is new and after it was committed", () => {
  const { api, git, replace } = project();
  replace("dist/store/open.d.ts", "readonly name: string;", "readonly name: string | undefined;");
  api("--update");
  const wanted = {
    status: 1,
    said: expect.stringMatching(/^api\/store\.d\.ts differ from those of \w{8}, and CHANGELOG\.md says nothing/) as string,
  };
  expect(api()).toEqual(wanted);
  git("commit", "-qam", "change");
  expect(api()).toEqual(wanted);
  replace("CHANGELOG.md", "(2026-01-31)\n", "(2026-01-31)\n\n- An entry of a version that was published.\n");
  expect(api()).toEqual(wanted);
  replace("CHANGELOG.md", "## Unreleased\n", "## Unreleased\n\n### Changed\n\n- `Store.name` may be undefined.\n");
  expect(api()).toMatchObject({ status: 0 });
});

test("before the first release the entry stands under its version, which has no date", () => {
  const { api, git, replace } = project();
  replace("CHANGELOG.md", " (2026-01-31)", "");
  git("commit", "-qam", "begin anew");
  replace("dist/store/open.d.ts", "readonly name: string;", "readonly name: string | undefined;");
  api("--update");
  expect(api()).toMatchObject({ status: 1 });
  replace("CHANGELOG.md", "- Everything.\n", "- Everything, and `Store.name` may be undefined.\n");
  expect(api()).toMatchObject({ status: 0 });
});

test("a name that two subpaths export for two things fails, and names both", () => {
  const { api, write } = project();
  write({ "dist/store/index.d.ts": `export type { Store } from "./open.ts";\nexport declare const LIMIT = 5;\n` });
  expect(api("--update")).toEqual({
    status: 1,
    said: expect.stringContaining("LIMIT means different things in tenon and tenon/store: give each a name of its own") as string,
  });
});

test("without a build it says what to do", () => {
  const { api, write } = project();
  write({ "package.json": JSON.stringify({ name: "tenon", exports: { ".": { types: "./dist/other.d.ts" } } }) });
  expect(api()).toEqual({
    status: 1,
    said: expect.stringContaining('other.d.ts is missing: run "npm run build" first.') as string,
  });
});
