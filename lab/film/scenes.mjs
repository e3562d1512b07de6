// What a newcomer does, one scene after the other. Each returns what to print, or throws an error that says what was not as
// expected.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { connectOfficial, overHttp, overStdio } from "./official-client.mjs";
import { callAdd } from "./page.mjs";
import { run, start } from "./programs.mjs";

const MCPB = fileURLToPath(import.meta.resolve("@anthropic-ai/mcpb")).replace(/dist[\\/].*$/, "dist/cli/cli.js");

/** @throws Error that shows both values, if they differ */
function expectEqual(what, found, expected) {
  const [one, other] = [JSON.stringify(found), JSON.stringify(expected)];
  if (one !== other) throw new Error(`${what}: expected ${other}, found ${one}`);
}

/** Scenes of one film. They share a folder, a home and what the scenes before have started. */
export class Scenes {
  #folder;
  #project;
  #home;
  #registry;
  #cache;
  #dev;
  #client;

  constructor({ folder, registry, cache }) {
    this.#folder = folder;
    this.#project = join(folder, "weather");
    this.#home = join(folder, "home");
    this.#registry = registry;
    this.#cache = cache;
  }

  #npm(cwd, ...args) {
    return run("npm", args, {
      cwd,
      env: {
        npm_config_registry: this.#registry,
        npm_config_replace_registry_host: "never",
        npm_config_yes: "true",
        npm_config_cache: this.#cache,
      },
    });
  }

  #tenon(...args) {
    return run(join(this.#project, "node_modules/.bin/tenon"), args, {
      cwd: this.#project,
      env: { HOME: this.#home, XDG_CONFIG_HOME: "" },
    });
  }

  get #server() {
    return join(this.#project, "src/server.ts");
  }

  async create() {
    const printed = await this.#npm(this.#folder, "create", "tenon", "weather", "--", "--yes");
    if (!printed.includes("src/server.ts")) throw new Error(`It does not say what it wrote:\n${printed}`);
    await this.#npm(this.#project, "install", "--no-audit", "--no-fund", "--ignore-scripts");
    return "the project is written and installed";
  }

  async test() {
    await this.#npm(this.#project, "run", "types");
    await this.#npm(this.#project, "test");
    return "it type-checks, and its own test passes";
  }

  async dev() {
    const bin = join(this.#project, "node_modules/.bin/tenon");
    this.#dev = await start(bin, ["dev", "src/server.ts", "--port", "0", "--json"], { cwd: this.#project });
    return `the server is served at ${this.#dev.url}`;
  }

  async page() {
    const shown = await callAdd(this.#dev.page, { a: 20, b: 22 });
    if (!shown.includes("42")) throw new Error(`The page does not show the sum 42:\n${shown}`);
    return "the form of add was filled in with 20 and 22, and the page shows 42";
  }

  /** The client stays connected: it hears that the list has changed, and calls what is new. */
  async change() {
    this.#client = await connectOfficial(overHttp(this.#dev.url));
    expectEqual("The sum before the change", await this.#client.call("add", { a: 1, b: 2 }), { sum: 3 });
    const changed = this.#client.changed();
    const saved = performance.now();
    const text = readFileSync(this.#server, "utf8");
    const tool =
      'server.tool("subtract", { description: "Subtract two numbers", input, output }, ({ a, b }) => ({ sum: a - b }));\n';
    writeFileSync(this.#server, text.replace("server.resource", `${tool}\nserver.resource`));
    await changed;
    const ms = Math.round(performance.now() - saved);
    expectEqual("The tools after the change", await this.#client.toolNames(), ["add", "subtract"]);
    expectEqual("The new tool", await this.#client.call("subtract", { a: 5, b: 2 }), { sum: 3 });
    expectEqual("What the client heard", this.#client.heard, { closed: 0, changed: 1 });
    return `the official client heard of the new tool ${ms} ms after the save, and called it on the same connection`;
  }

  async install() {
    await this.#tenon("install", "src/server.ts", "--host", "cursor", "--yes");
    return `the server is in ${join(this.#home, ".cursor/mcp.json")}`;
  }

  async host() {
    const { mcpServers } = JSON.parse(readFileSync(join(this.#home, ".cursor/mcp.json"), "utf8"));
    const { command, args, env = {} } = mcpServers.weather;
    const client = await connectOfficial(overStdio(command, args, { cwd: "/", env: { HOME: this.#home, ...env } }));
    try {
      expectEqual("The sum in the host", await client.call("add", { a: 2, b: 2 }), { sum: 4 });
    } finally {
      await client.close();
    }
    return "the official client started what the file says, and called add";
  }

  async types() {
    await this.#tenon("types", "src/server.ts", "-o", "src/weather.ts");
    const program = (a) => `import { connect } from "tenon";
import type { Server } from "./weather.ts";

await using client = await connect<Server>({ command: "npx", args: ["tenon", "run", "src/server.ts"] });
const { sum } = await client.call.subtract({ a: ${a}, b: 2 });
const twice: number = sum * 2;
console.log(twice);
`;
    const file = join(this.#project, "src/use.ts");
    writeFileSync(file, program("5"));
    await this.#npm(this.#project, "run", "types");
    writeFileSync(file, program('"five"'));
    const mistake = await this.#npm(this.#project, "run", "types").then(() => undefined, String);
    if (mistake?.includes("use.ts") !== true) throw new Error("A call with a wrong argument type-checks");
    writeFileSync(file, program("5"));
    return "a program that uses the types type-checks, and one with a wrong argument does not";
  }

  async bundle() {
    await this.#tenon("bundle", "src/server.ts", "-o", "weather.mcpb");
    const unpacked = join(this.#folder, "unpacked");
    await run(process.execPath, [MCPB, "unpack", join(this.#project, "weather.mcpb"), unpacked], { cwd: this.#folder });
    await run(process.execPath, [MCPB, "validate", join(unpacked, "manifest.json")], { cwd: this.#folder });
    return "@anthropic-ai/mcpb unpacks and validates weather.mcpb";
  }

  /** Ends what the scenes have started. */
  async end() {
    await this.#client?.close();
    await this.#dev?.stop();
  }
}
