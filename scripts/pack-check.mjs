// Checks the packages as a stranger gets them: packs them, looks at what is in each, lets publint and attw read the tarball of `tenon`, unpacks
// it into an empty project, imports every subpath with plain Node and compiles a program against the shipped types.
// Nothing is downloaded: the dependencies are linked from this checkout. Needs a build.
import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { faultsOf } from "./package/contents.mjs";
import { repository, tenon } from "./places.mjs";
import { publicEntries } from "./public-entries.mjs";
import { endWithReader } from "./stdout.mjs";

endWithReader();

const manifest = JSON.parse(readFileSync(join(tenon, "package.json"), "utf8"));
const subpaths = Object.keys(manifest.exports).filter((subpath) => !subpath.endsWith(".json"));
const specifiers = subpaths.map((subpath) => `tenon${subpath.slice(1)}`);
/** Subpaths with declarations: those for users. */
const typed = publicEntries(manifest.exports).map(([subpath]) => `tenon${subpath.slice(1)}`);
/** Subpaths for Node only. */
const NODE_ONLY = ["tenon/node", "tenon/authorization-server"];
const bin = (name) => join(repository, "node_modules", ".bin", name);
const failures = [];

/** Members that the compiler must not know: what is internal is not offered to users. */
function expectHidden(object, members) {
  return members.map((member) => `  // @ts-expect-error users do not see it\n  void ${object}.${member};`).join("\n");
}

/** What the declarations must hold together for: a definition is what the client connects to. */
const PROGRAM = `
import { connect } from "tenon/client";
import { McpServer } from "tenon/server";
const server = new McpServer({ name: "a", version: "1" });
server.tool("t", { input: { type: "object" } }, (_input, ctx) => {
${expectHidden("ctx", ["codec", "connection", "rounds", "run", "asks"])}
  return "text";
});
${expectHidden("server", ["features", "http", "shared", "handler", "changed", "run", "has", "clock"])}
export const result = await (await connect(server)).callTool("t", {});`;

/** A command that hangs is ended; a busy machine is not mistaken for one. */
const MAX_MS = 600_000;

/** Runs a command to its end; its output is shown only when it fails. */
function run(what, command, args, cwd = tenon) {
  const { status, signal, stdout, stderr } = spawnSync(command, args, { cwd, encoding: "utf8", timeout: MAX_MS });
  console.log(`${status === 0 ? "ok  " : "FAIL"} ${what}${signal === null ? "" : `, ended by ${signal}`}`);
  if (status !== 0) {
    failures.push(what);
    console.log(stdout, stderr);
  }
  return stdout;
}

/** Lays out a project with the packages of some tarballs, and with their dependencies linked from this checkout. */
function install(project, tarballs) {
  const modules = join(project, "node_modules");
  for (const [name, tarball] of Object.entries(tarballs)) {
    mkdirSync(join(modules, name), { recursive: true });
    run(`unpack ${name}`, "tar", ["-xzf", tarball, "-C", join(modules, name), "--strip-components=1"]);
    const { dependencies, peerDependencies = {} } = JSON.parse(readFileSync(join(modules, name, "package.json"), "utf8"));
    const others = [dependencies, peerDependencies].flatMap(Object.keys).filter((each) => !(each in tarballs));
    for (const other of others) link(join(repository, "node_modules", other), join(modules, other));
  }
  writeFileSync(join(project, "package.json"), JSON.stringify({ type: "module" }));
  writeFileSync(join(project, "use.mjs"), importEverySubpath());
  symlinkSync(join(repository, "node_modules", "@types"), join(modules, "@types"), "dir");
}

function link(from, to) {
  if (existsSync(to)) return;
  mkdirSync(dirname(to), { recursive: true });
  symlinkSync(from, to, "dir");
}

/** A program that re-exports each subpath and calls a tool, compiled with the library checked; only NODE_ONLY may need Node's types. */
function compile(project, names, types) {
  const compilerOptions = {
    module: "nodenext",
    target: "es2022",
    lib: ["es2022", "esnext.disposable", "dom", "dom.iterable", "dom.asynciterable"],
    strict: true,
    noEmit: true,
    types,
  };
  const reExports = names.map((name, index) => `export * as m${index} from "${name}";`);
  writeFileSync(join(project, "use.ts"), [...reExports, PROGRAM].join("\n"));
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["use.ts"] }));
  const what = `compile against the shipped types, types of the platform: ${types.join() || "none"}`;
  run(what, process.execPath, [join(repository, "node_modules/typescript/bin/tsc"), "-p", project], project);
}

/** A program that imports each subpath and fails when one exports nothing. */
function importEverySubpath() {
  return `for (const name of ${JSON.stringify(specifiers)}) {
  if (Object.keys(await import(name)).length === 0) throw new Error(name + " exports nothing");
}`;
}

/** Unpacks a tarball, and says how large it is and what is in it that should not be. */
function checkContents(tarball, folder) {
  mkdirSync(folder);
  run(`unpack ${basename(tarball)}`, "tar", ["-xzf", tarball, "-C", folder, "--strip-components=1"]);
  const faults = faultsOf(folder);
  for (const fault of faults) console.log(`FAIL ${fault}`);
  failures.push(...faults);
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const bytes = files.reduce((sum, entry) => sum + statSync(join(entry.parentPath ?? entry.path, entry.name)).size, 0);
  const mib = (size) => `${(size / 1024 / 1024).toFixed(2)} MiB`;
  console.log(`     ${basename(tarball)}: ${files.length} files, ${mib(bytes)}, packed ${mib(statSync(tarball).size)}`);
}

const scratch = realpathSync(mkdtempSync(join(tmpdir(), "tenon-pack-")));
try {
  const tarballs = run("pack", process.execPath, [join(repository, "scripts/pack.mjs"), "--to", scratch])
    .trim()
    .split("\n");
  for (const each of tarballs) checkContents(each, join(scratch, basename(each, ".tgz")));
  const [tarball] = tarballs; // that of tenon is the first
  for (const each of tarballs) run(`publint ${basename(each)}`, bin("publint"), ["run", each, "--strict"]);
  run("attw (esm-only)", bin("attw"), [tarball, "--profile", "esm-only", "--exclude-entrypoints", "internal", "internal/embedding"]);
  const project = join(scratch, "project");
  install(project, { tenon: tarball, "tenon-cli": tarballs.find((each) => basename(each).startsWith("tenon-cli-")) });
  run("import every subpath with plain Node", process.execPath, ["use.mjs"], project);
  run("start the command", process.execPath, ["node_modules/tenon/bin/tenon.mjs", "--help"], project);
  compile(
    project,
    typed.filter((name) => !NODE_ONLY.includes(name)),
    [],
  );
  compile(project, typed, ["node"]);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
if (failures.length > 0) {
  console.error(`package checks failed: ${failures.join("; ")}`);
  process.exit(1);
}
