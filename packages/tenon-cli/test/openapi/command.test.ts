/** `tenon openapi`, as people run it. Needs a build. */
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { connect } from "tenon";
import { runCommand } from "../cli/run-command.ts";
import { MAIN } from "../cli/start-command.ts";
import { json, startApi } from "../../../tenon/test/openapi/api.ts";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const DOCUMENT = `
openapi: 3.1.0
info: { title: "Pets */ \`\${x}\`", version: "1" }
servers: [{ url: "https://pets.example.com" }]
components: { securitySchemes: { key: { type: apiKey, in: header, name: X-Key } } }
paths:
  /pets/{id}:
    get:
      operationId: class
      tags: [read]
      description: "A */ pet \\u2028 \`\${x}\`"
      parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
      responses:
        200:
          description: ok
          content: { application/json: { schema: { type: object, properties: { name: { type: string } } } } }
    put:
      operationId: put-pet
      security: [{ key: [] }]
      requestBody:
        content:
          application/json: { schema: { type: object, properties: { __proto__: { type: string }, name: { type: string } } } }
`;

/** A folder inside the project, so that programs in it find the package by its name. */
function folder(): string {
  mkdirSync(join(root, "out"), { recursive: true });
  const path = mkdtempSync(join(root, "out", "openapi-"));
  onTestFinished(() => rmSync(path, { recursive: true }));
  writeFileSync(join(path, "pets.yaml"), DOCUMENT);
  return path;
}

it("shows what becomes of each operation", async () => {
  const file = join(folder(), "pets.yaml");
  const { code, stdout } = await runCommand(["openapi", file, "--check"]);
  expect(stdout).toMatch(
    /^GET \/pets\/\{id\}: class\nPUT \/pets\/\{id\}: left out, it needs credentials that --auth does not have: key\n\n1 of 2 operations become tools, of about \d+ tokens\n$/,
  );
  expect(code).toBe(0);
  const whole = await runCommand(["openapi", file, "--check", "--json", "--auth", "key=KEY"], { env: { KEY: "k" } });
  expect(JSON.parse(whole.stdout)).toMatchObject({ tools: 2, report: [{ tool: "class" }, { tool: "put-pet" }] });
});

it("names what a user can type, and says what only a program can set", async () => {
  const at = folder();
  const file = join(at, "local.json");
  const get = { operationId: "ask", responses: { 200: { description: "ok" } } };
  const paths = { "/a": { get }, "/b": { get: { ...get, operationId: "b", deprecated: true } } };
  const info = { title: "Local", version: "1" };
  writeFileSync(file, JSON.stringify({ openapi: "3.1.0", info, servers: [{ url: "http://127.0.0.1:4000" }], paths }));
  const { stdout } = await runCommand(["openapi", file, "--check"]);
  expect(stdout).toContain("name it in --base-url if you trust it");
  expect(stdout).toContain('it is deprecated (option "deprecated" of fromOpenApi(), in a program)');
});

it("serves an API on stdio, with a credential from the environment", async () => {
  const { url, requests } = await startApi((response) => json(response, { name: "Rex" }));
  const file = join(folder(), "pets.yaml");
  const args = [MAIN, "openapi", file, "--base-url", `${url}/v1`, "--auth", "key=KEY"];
  const client = await connect({ command: process.execPath, args, env: { KEY: "k-1" } });
  onTestFinished(() => client.close());
  expect((await client.callTool("class", { id: "7" })).structuredContent).toEqual({ name: "Rex" });
  await client.callTool("put-pet", { id: "7", body: { name: "Max" } });
  expect(requests.map(({ method, target, headers }) => [method, target, headers["x-key"]])).toEqual([
    ["GET", "/v1/pets/7", undefined],
    ["PUT", "/v1/pets/7", "k-1"],
  ]);
});

it("serves an API over HTTP until it is interrupted", async () => {
  const { code, stderr } = await runCommand(["openapi", join(folder(), "pets.yaml"), "--http", "--port", "0"], {
    onStderr: (text, kill) => {
      if (text.includes("Serving")) kill("SIGTERM");
    },
  });
  expect(stderr).toMatch(/Serving .*pets\.yaml at http:\/\/127\.0\.0\.1:\d+\/mcp/);
  expect(code).toBe(0);
});

it("writes a program that type-checks, runs and can be edited", async () => {
  const { url, requests } = await startApi((response) => json(response, { name: "Rex" }));
  const path = folder();
  const file = join(path, "server.ts");
  const typed = ["openapi", join(path, "pets.yaml"), "--base-url", url, "--auth", "key=KEY", "--write", file];
  const wrote = await runCommand(typed, { env: { KEY: "k" } });
  expect([wrote.code, wrote.stdout]).toEqual([0, ""]);
  const include = ["*.ts", "../../packages/tenon/src/**/*.d.ts"];
  const compilerOptions = { isolatedDeclarations: false, declaration: false };
  writeFileSync(join(path, "tsconfig.json"), JSON.stringify({ extends: "../../tsconfig.json", compilerOptions, include }));
  writeFileSync(
    join(path, "client.ts"),
    'import { connect } from "tenon/client";\nimport { server } from "./server.ts";\n' +
      "const client = await connect(server);\n" +
      'const name: string | null | undefined = (await client.call.class({ id: "8" })).name;\n' +
      "console.log(name);\nawait client.close();\n",
  );
  const tsc = await promisify(execFile)(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", path]).catch(
    (error: { stdout: string }) => error,
  );
  expect(tsc.stdout).toBe("");
  const { stdout } = await promisify(execFile)(process.execPath, ["--import", "jiti/register", join(path, "client.ts")], {
    cwd: root,
    env: { ...process.env, KEY: "k" },
  });
  expect(stdout).toBe("Rex\n");
  expect(requests.map(({ target }) => target)).toEqual(["/pets/8"]);
  const written = readFileSync(file, "utf8");
  expect(written).not.toContain('"k"');
  expect(written).not.toMatch(/^\s*"(?:type|properties|description|input)":/m); // as one writes it by hand
  expect(written).toMatch(/\{ type: "\w+".* \}/);
  const again = await runCommand(typed, { env: { KEY: "k" } });
  expect([again.code, again.stderr]).toEqual([2, expect.stringContaining("exists already")]);
});

it("refuses what cannot be done, and says what to do", async () => {
  const file = join(folder(), "pets.yaml");
  const many = join(folder(), "many.json");
  const paths = Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`/p${i}`, { get: {} }]));
  writeFileSync(many, JSON.stringify({ openapi: "3.1.0", info: {}, servers: [{ url: "https://api.example.com" }], paths }));
  const rows: readonly [readonly string[], string][] = [
    [[], "The document is missing"],
    [["none.yaml"], "none.yaml cannot be served: there is no such file"],
    [[file, "--include", "pets"], "must be tag:, method:, path: or id: with a value, or all"],
    [[file, "--auth", "key"], "must be scheme=VARIABLE"],
    [
      [file, "--auth", "key=NOT_SET"],
      "The variable NOT_SET of --auth key=NOT_SET is not set. A command that starts this one passes it on with --env NOT_SET.",
    ],
    [[file, "--base-url", "pets"], "--base-url must be a URL"],
    [[file, "--include", "tag:none"], "Not one operation becomes a tool: --include leaves it out"],
    [[many, "--write", "x.ts"], "The document makes 101 tools of about"],
    [[file, "--write", "x.js"], "name one that ends in .ts"],
  ];
  for (const [args, why] of rows) {
    const { code, stderr } = await runCommand(["openapi", ...args]);
    expect(stderr).toContain(why);
    expect(code).toBe(2);
  }
});

it("reads files beside the document, and nothing else", async () => {
  const path = folder();
  mkdirSync(join(path, "api", "paths"), { recursive: true });
  writeFileSync(join(path, "secret.yaml"), "get: { operationId: secret }");
  writeFileSync(join(path, "api", "paths", "pets.yaml"), "get: { operationId: listPets }");
  const paths = {
    "/pets": { $ref: "paths/pets.yaml" },
    "/secret": { $ref: "../secret.yaml" },
    "/url": { $ref: "https://pets.example.com/x.json" },
  };
  const file = join(path, "api", "api.json");
  writeFileSync(file, JSON.stringify({ openapi: "3.1.0", info: {}, servers: [{ url: "https://pets.example.com" }], paths }));
  const { stdout } = await runCommand(["openapi", file, "--check"]);
  expect(stdout).toContain("GET /pets: listPets\n");
  expect(stdout).toContain('../secret.yaml", which cannot be read: it is not a file in the folder of the document');
  expect(stdout).toContain('x.json", which cannot be read: the command fetches no URL that a document names');
  const program = join(path, "server.ts");
  await runCommand(["openapi", file, "--write", program]);
  expect((await runCommand(["list", program])).stdout).toContain("listPets");
});
