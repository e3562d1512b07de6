// Each tutorial, done as it stands on its page, from an empty folder to the running service. Needs a build.
//
// In the reader's place the test has: packages of this repository for those of the registry, a free port for 3000, a PostgreSQL
// that it starts, the authorization server for tests in its Keycloak profile, and a model that follows a script. Blocks that are
// marked `yours` (addresses and accounts of the reader, the deployment) are not done.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, onTestFinished, test, type TestContext } from "vitest";
import { startAuthorizationServer } from "tenon/testing";
import { modelServer } from "../models/model-server.ts";
import { assertStarted, startPostgres } from "../stores/engines.ts";
import { freePort } from "../../../../scripts/free-port.mjs";
import { follow, readSteps, type Reader } from "../support/tutorial.ts";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const pages = join(root, "docs/tutorials");
/** Not in the repository: a project inside another one takes its settings. */
const place = mkdtempSync(join(tmpdir(), "tenon-tutorials-"));
const bin = join(place, "bin");

beforeAll(() => {
  mkdirSync(bin);
  symlinkSync(join(root, "node_modules"), join(place, "node_modules"));
  const found = (process.env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, "npm"));
  const npm = found.find((file) => existsSync(file)) ?? "npm";
  const hook = new URL("../support/typescript-hook.mjs", import.meta.url).href;
  const tsx = `exec "${process.execPath}" --no-warnings --import "${hook}" "$@"`;
  const program = (name: string, ...args: string[]) =>
    `exec "${process.execPath}" "${join(root, "packages/tenon/test/support", `${name}.mjs`)}" ${args.join(" ")} "$@"`;
  const main = join(root, "packages/tenon-cli/dist/main.js");
  const ofClone = `if [ "$1" = ./tenon ]; then shift; exec "${process.execPath}" "${main}" "$@"; fi`;
  const scripts = {
    tsx,
    npx: `if [ "$1" = tsx ]; then shift; ${tsx}; fi\n${ofClone}\nexec "${join(dirname(npm), "npx")}" "$@"`,
    npm: program("tutorial-npm", npm),
    "xdg-open": program("tutorial-browser"),
    open: program("tutorial-browser"),
  };
  for (const [name, script] of Object.entries(scripts)) writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
});

afterAll(() => rmSync(place, { recursive: true, force: true, maxRetries: 5 }));

const stepsOf = (name: string) => readSteps(readFileSync(join(pages, `${name}.md`), "utf8"));

/** Does a tutorial, and leaves what is running until the end of the test. */
async function finish(name: string, env: Reader["env"] = {}, ports: Reader["ports"] = {}): Promise<void> {
  const free = { 3000: await freePort(), 4000: await freePort(), ...ports };
  await follow(stepsOf(name), { folder: join(place, name, "work"), bin, env, ports: free });
}

/** The reader of each page, with what the page counts on. */
const READERS: Record<string, (context: TestContext) => Promise<void>> = {
  notes: async (context) => {
    const engine = assertStarted(await startPostgres(), "postgres", context);
    onTestFinished(() => engine.stop());
    const port = await freePort();
    // What the audience mapper of step 6 adds.
    const defaultAudience = `http://127.0.0.1:${port}/mcp`;
    const login = await startAuthorizationServer({ path: "/realms/staff", profile: "keycloak", defaultAudience });
    onTestFinished(() => login.close());
    await finish("notes", { DATABASE_URL: engine.url, KEYCLOAK_URL: new URL(login.issuer).origin }, { 3000: port });
    expect(login.count("authorization_code")).toEqual({ granted: 1, refused: 0 });
  },
  "team-gateway": () => finish("team-gateway"),
  agent: async () => {
    const call = (name: string, input: Record<string, string>) => ({ calls: [{ id: `call-${name}`, name, input }] });
    const model = await modelServer("anthropic", [
      call("list_directory", { path: "." }),
      call("create_directory", { path: "invoices" }),
      call("move_file", { source: "invoice.txt", destination: "invoices/invoice.txt" }),
      call("write_file", { path: "letter.txt", content: "" }),
      { text: "The invoice is in invoices. The letter was left as it is." },
    ]);
    await finish("agent", { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "for-the-test" });
    expect(model.requests).toHaveLength(5);
  },
  "internal-api": () => finish("internal-api"),
};

test.for(Object.entries(READERS))("the tutorial %s ends where it says", ([, read], context) => read(context));

test("every tutorial has a reader", () => {
  expect(
    Object.keys(READERS)
      .map((name) => `${name}.md`)
      .toSorted(),
  ).toEqual(readdirSync(pages).toSorted());
});
