/** The files of a new project, as text. Short enough to be read whole. */
import { LATEST_HANDSHAKE_VERSION, LATEST_PROTOCOL_VERSION } from "tenon";
import { CI_SCRIPTS, ciFiles, ciManifest } from "./ci-files.ts";
import type { ProjectChoice } from "./project-choice.ts";
import { readTemplate, usualTsconfig, type Template } from "./templates.ts";

/** A module of Tenon, as the project imports it. */
const module = (subpath: string): string => JSON.stringify(`tenon${subpath}`);
const SERVER_IMPORT = `import { McpServer } from ${module("/server")};`;
const REVISIONS = `[${[LATEST_HANDSHAKE_VERSION, LATEST_PROTOCOL_VERSION].map((revision) => JSON.stringify(revision)).join(", ")}]`;

/** Versions of packages, by name: those that this release was tested with. */
export type Versions = Readonly<Record<string, string>>;

/** Where a project gets Tenon and the command from, as its dependencies name it. */
export type Places = Readonly<Record<"tenon" | "tenon-cli", string>>;

/** Texts by their paths in the project. */
export function projectFiles(choice: ProjectChoice, versions: Versions, places: Places): ReadonlyMap<string, string> {
  const template = choice.template === undefined ? undefined : readTemplate(choice.template, choice.name);
  const files: [string, string][] = [
    ["package.json", packageJson(choice, template, versions, places)],
    ["tsconfig.json", usualTsconfig()],
    ["src/server.ts", serverFile(choice)],
    ["README.md", readme(choice)],
    ["AGENTS.md", AGENTS],
    [".gitignore", ["node_modules", ".env", ...(choice.ci ? ["dist"] : []), ...(template?.ignore ?? []), ""].join("\n")],
    ...(template?.files ?? []),
    ...(choice.ci ? ciFiles(choice.tests) : []),
  ];
  if (choice.docker) files.push(["src/main.ts", choice.transport === "stdio" ? STDIO_MAIN : HTTP_MAIN]);
  if (choice.tests) files.push(["test/server.test.ts", TEST]);
  if (choice.docker) files.push(["Dockerfile", dockerfile(choice)], [".dockerignore", "node_modules\n.env\n.git\n"]);
  return new Map(files);
}

function packageJson(
  { name, description, author, transport, schema, tests, ci }: ProjectChoice,
  template: Template | undefined,
  versions: Versions,
  places: Places,
): string {
  const run = "tenon run src/server.ts";
  const scripts = {
    dev: "tenon dev src/server.ts",
    start: transport === "http" ? `${run} --http` : run,
    ...(transport === "both" && { "start:http": `${run} --http` }),
    types: "tsc",
    ...(ci && CI_SCRIPTS),
    ...template?.scripts,
    ...(tests && { test: "vitest run" }),
  };
  const of = (...names: string[]): Versions => Object.fromEntries(names.map((one) => [one, `^${versions[one]}`]));
  return `${JSON.stringify(
    {
      name,
      version: "0.1.0",
      description,
      author,
      ...(ci ? ciManifest(name) : { private: true }),
      type: "module",
      engines: { node: ">=20" },
      scripts,
      dependencies: { tenon: places.tenon, ...of(...(schema === "json" ? [] : [schema])) },
      devDependencies: {
        ...of("@types/node"),
        "tenon-cli": places["tenon-cli"],
        ...of("typescript", ...(tests ? ["vitest"] : []), ...(template?.devDependencies ?? [])),
      },
    },
    undefined,
    2,
  )}\n`;
}

const AGENTS = `# For coding agents

Tenon is an SDK for the Model Context Protocol. Read before you write: it is newer than what you may have learnt, and its names differ from other SDKs.

- Skills, one a job, in \`node_modules/tenon/skills/*/SKILL.md\`: \`tenon-server\`, \`tenon-client\`, \`tenon-asking\`, \`tenon-auth\`, \`tenon-tasks\`, \`tenon-gateway\`,
  \`tenon-testing\`, \`tenon-moving\`.
- All pages with a search and a compiler over MCP: \`npx tenon docs --mcp\`. At a shell: \`npx tenon docs <words>\`, and a
  whole page by \`npx tenon docs servers/tools.md\`.
- Index of the pages: \`node_modules/tenon/llms.txt\`.
- After a change: \`npx tsc --noEmit\`, \`npx tenon list src/server.ts\`, and the tests.
- What changes something in the middle of questions belongs in \`ctx.step()\`. What is served is not \`await using\`.
`;

/** The imports and the two schemas, by what they are written with. */
const SCHEMA_CODE = {
  zod: {
    imports: `${SERVER_IMPORT}\nimport * as z from "zod";`,
    input: "z.object({ a: z.number(), b: z.number() })",
    output: "z.object({ sum: z.number() })",
  },
  valibot: {
    imports: `import { withJsonSchema } from ${module("")};\n${SERVER_IMPORT}\nimport * as v from "valibot";`,
    input:
      'withJsonSchema(v.object({ a: v.number(), b: v.number() }), {\n  type: "object",\n  properties: { a: { type: "number" }, b: { type: "number" } },\n  required: ["a", "b"],\n})',
    output: 'withJsonSchema(v.object({ sum: v.number() }), { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] })',
  },
  json: {
    imports: SERVER_IMPORT,
    input: '{ type: "object", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] } as const',
    output: '{ type: "object", properties: { sum: { type: "number" } }, required: ["sum"] } as const',
  },
};

function serverFile({ name, schema }: ProjectChoice): string {
  const { imports, input, output } = SCHEMA_CODE[schema];
  return `${imports}

export const server = new McpServer({ name: ${JSON.stringify(name)}, version: "0.1.0" });

const input = ${input};
const output = ${output};
server.tool("add", { description: "Add two numbers", input, output }, ({ a, b }) => ({ sum: a + b }));

server.resource("note://today", { title: "Today's note" }, () => "Buy milk");
`;
}

const STDIO_MAIN = `// Serves over standard input and output in a container, which does not have the packages for development.
import { serveStdio } from ${module("/node")};
import { server } from "./server.ts";

await serveStdio(server);
`;

const HTTP_MAIN = `// Serves over HTTP in a container: on every address, under the names that ALLOWED_HOSTS lists.
import { serveHttp } from ${module("/node")};
import { server } from "./server.ts";

const http = await serveHttp(server, {
  host: "0.0.0.0",
  port: Number(process.env["PORT"] ?? 3000),
  allowedHosts: (process.env["ALLOWED_HOSTS"] ?? "localhost,127.0.0.1").split(","),
  health: true,
});
// Docker sends SIGTERM, a terminal SIGINT.
for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, () => void http.drain(8_000));
`;

const TEST = `import { testClient } from ${module("/testing")};
import { expect, test } from "vitest";
import { server } from "../src/server.ts";

test.each(${REVISIONS} as const)("two numbers are added on %s", async (revision) => {
  const { client, errors, close } = await testClient(server, { revision });
  expect((await client.callTool("add", { a: 1, b: 2 })).data).toEqual({ sum: 3 });
  expect(errors).toEqual([]);
  await close();
});
`;

const START = 'CMD ["node", "src/main.ts"]';

function dockerfile({ transport }: ProjectChoice): string {
  const start =
    transport === "stdio"
      ? START
      : `ENV PORT=3000
EXPOSE 3000
HEALTHCHECK CMD ["node", "-e", "fetch(\`http://127.0.0.1:\${process.env.PORT}/readyz\`).then(({ ok }) => process.exit(ok ? 0 : 1))"]
${START}`;
  return `# The packages are installed in a stage of their own, so that the image has neither npm's cache nor the lock file.
FROM node:24-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts

FROM node:24-slim
WORKDIR /app
ENV NODE_ENV=production
COPY --from=packages /app/node_modules ./node_modules
COPY package.json ./
COPY src ./src
USER node
${start}
`;
}

function readme({ name, transport, tests, docker, template }: ProjectChoice): string {
  const lines = [
    "npm run dev                                         # serves it, reloads at each save, and shows its page",
    "npx tenon list src/server.ts                        # what it offers",
    "npx tenon call src/server.ts add --arg a=1 --arg b=2",
    ...(transport === "stdio"
      ? []
      : [`npm run ${transport === "http" ? "start" : "start:http"}                                  # over HTTP on 127.0.0.1`]),
    "npx tenon install src/server.ts --host claude-desktop",
    ...(tests ? ["npm test"] : []),
    ...(docker ? [`docker build -t ${name} .`] : []),
    ...(template === undefined ? [] : [`npm run deploy                                      # to ${template}`]),
  ];
  return `# ${name}\n\nAn MCP server, written with Tenon. The tools are in \`src/server.ts\`.\n\n\`\`\`sh\n${lines.join("\n")}\n\`\`\`\n`;
}
