// The film of a move: a real server of the official SDK 1.x goes over to Tenon and back, by the commands that its owner types. It prints
// each scene, and fails at the first that is not as expected. The server is the official file server, fetched at one commit with its
// own tests, and never kept here. Needs a build, git and npm.
//   node lab/sdk-v1/film.mjs [--repository url-or-folder]
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { connect } from "../../packages/tenon/dist/client/index.js";
import { run as runWithin } from "../film/programs.mjs";
import { repository } from "../../scripts/places.mjs";
import { endWithReader } from "../../scripts/stdout.mjs";

endWithReader();

const COMMIT = "76d64c822f5125032f89eb71dbdb94e42b434821";
const { values } = parseArgs({
  options: { repository: { type: "string", default: "https://github.com/modelcontextprotocol/servers.git" } },
});
const folder = realpathSync(mkdtempSync(join(tmpdir(), "tenon-move-film-")));
const server = join(folder, "work/src/filesystem");
const tenon = (...args) => run(process.execPath, [join(repository, "packages/tenon-cli/dist/main.js"), ...args], { cwd: server });
const SAVED = ["package.json", "package-lock.json", "index.ts"];
const bytes = () => SAVED.map((name) => readFileSync(join(server, name), "utf8"));
const state = {};
/** Milliseconds for one program: a move installs once and starts the server several times. */
const LIMIT = 1_200_000;
const run = (command, args, options) => runWithin(command, args, { ...options, limit: LIMIT });

function expectSame(found, wanted, what) {
  const [one, other] = [found, wanted].map((value) => JSON.stringify(value));
  if (one !== other) throw new Error(`${what}: ${one}\nand not ${other}`);
}

/** What the client of the film gets: a list, calls, and mistakes. */
async function answers(revision) {
  const files = join(folder, "files");
  const program = { command: process.execPath, args: [join(server, "dist/index.js"), files] };
  const client = await connect({ ...program, stderr: "pipe" }, { revision });
  const path = join(files, "hello.txt");
  const told = [
    (await client.listTools()).tools.map(({ name }) => name).toSorted(),
    (await client.callTool("read_text_file", { path })).data,
    (await client.callTool("list_directory", { path: files })).text,
    (await client.callTool("search_files", { path: files, pattern: "*.txt" })).text,
    (await client.callTool("read_text_file", {})).isError,
    (await client.callTool("read_text_file", { path, head: 1, tail: 1 })).text,
  ];
  const { protocolVersion } = client;
  await client.close();
  return { revision: protocolVersion, told };
}

async function answersTheSame() {
  const spoken = [];
  for (const revision of ["stateful", "2026-07-28"]) {
    const { revision: found, told } = await answers(revision);
    expectSame(told, state.told, `On ${found} the server answers`);
    spoken.push(found);
  }
  return `${state.told.length} answers as before, on ${spoken.join(" and ")}`;
}

const tests = async () => {
  const output = await run("npx", ["vitest", "run", "--reporter", "json"], { cwd: server });
  const { numPassedTests, numTotalTests } = JSON.parse(output.slice(output.indexOf("{")));
  expectSame(numPassedTests, numTotalTests, "Its own tests pass");
  return `${numPassedTests} tests pass`;
};

const SCENES = [
  [
    "git clone …, npm install: a server of the SDK 1.x, as its owner has it",
    async () => {
      for (const name of ["work", "files"]) mkdirSync(join(folder, name));
      writeFileSync(join(folder, "files", "hello.txt"), "Hello\n");
      const git = (...args) => execFileSync("git", args, { cwd: join(folder, "work"), stdio: "ignore" });
      git("init", "--quiet");
      git("-c", "uploadpack.allowAnySHA1InWant=true", "fetch", "--quiet", "--depth", "1", values.repository, COMMIT);
      git("checkout", "--quiet", "FETCH_HEAD", "--", "src/filesystem", "tsconfig.json");
      await run("npm", ["install", "--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: server });
      await build();
      const { revision, told } = await answers("stateful");
      Object.assign(state, { told, saved: bytes() });
      return `it speaks ${revision}, ${told.length} answers; ${await tests()}`;
    },
  ],
  [
    "npx tenon move -- node dist/index.js ../files",
    async () => {
      const { comparison, newest } = JSON.parse(
        await tenon("move", "--json", "--", process.execPath, "dist/index.js", join(folder, "files")),
      );
      expectSame(comparison.changed, [], "What differs");
      return `${comparison.same} of ${comparison.requests} requests the same; on ${newest.revision} it lists ${newest.lists.tools} tools`;
    },
  ],
  ["the same client, both revisions", answersTheSame],
  [
    "npx tenon move --native, npm run build",
    async () => {
      const { files } = JSON.parse(await tenon("move", "--native", "index.ts", "--json"));
      const [{ before, after, edits, marks }] = files;
      await build();
      return `index.ts ${before} → ${after} lines, ${edits} places rewritten, ${marks.length} marked`;
    },
  ],
  ["its own tests", tests],
  ["the same client, both revisions", answersTheSame],
  [
    "npx tenon move --undo, npm run build",
    async () => {
      await tenon("move", "--undo");
      expectSame(bytes(), state.saved, "Files after --undo");
      expectSame(existsSync(join(server, ".tenon-move")), false, "The folder of the move is there");
      await build();
      expectSame((await answers("stateful")).told, state.told, "The server answers");
      return `${SAVED.join(", ")} byte for byte as before; ${await tests()}`;
    },
  ],
];

const build = () => run("npx", ["tsc"], { cwd: server });

const began = performance.now();
for (const name of ["tenon", "tenon-sdk-v1"])
  await run(process.execPath, [join(repository, "scripts/pack.mjs"), "--only", name, "--to", join(repository, "out")], {
    cwd: repository,
  });
try {
  for (const [at, [typed, play]] of SCENES.entries()) {
    const start = performance.now();
    process.stdout.write(`${at + 1}. ${typed}\n`);
    const happened = await play();
    console.log(`   ${((performance.now() - start) / 1000).toFixed(1)} s: ${happened}`);
  }
  console.log(`\n${SCENES.length} scenes in ${((performance.now() - began) / 1000).toFixed(1)} s: all as expected`);
} catch (error) {
  console.log(`   not as expected: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
