/** An API as a server and as a source of features, with resources. */
import { expect, it, onTestFinished } from "vitest";
import { connect } from "tenon";
import { fromOpenApi } from "tenon/openapi";
import { only, transform } from "tenon/compose";
import type { McpServer } from "tenon/server";
import { describeMatrix } from "../support/matrix.ts";
import { documentOf, json, rejectionOf, startApi, type Answer } from "./api.ts";
import { testServer } from "../support/test-server.ts";

const id = { name: "id", in: "path", required: true, schema: { type: "string" } };
const PATHS = {
  "/pets": { get: { operationId: "listPets", parameters: [{ name: "limit", in: "query" }] }, post: { operationId: "addPet" } },
  "/pets/{id}": { get: { operationId: "getPet", parameters: [id] } },
  "/search": { get: { operationId: "search", parameters: [{ name: "q", in: "query", required: true }] } },
};

async function served(answer: Answer): Promise<{ server: McpServer; host: string; targets: () => string[]; report: unknown }> {
  const { url, requests } = await startApi(answer);
  const api = await fromOpenApi(documentOf(PATHS), { baseUrl: url, resources: true });
  const { server } = api;
  onTestFinished(() => server.close());
  return {
    server,
    host: new URL(url).host,
    targets: () => requests.map(({ method, target }) => `${method} ${target}`),
    report: api.report,
  };
}

describeMatrix("An API with resources", ({ connect: open }) => {
  it("has tools, and resources for what can be read without arguments", async () => {
    const { server, host, targets } = await served((response, { target }) => json(response, { at: target }));
    const client = await open(server);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["addPet", "search"]);
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual([`openapi://${host}/pets`]);
    expect((await client.listResourceTemplates()).resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      `openapi://${host}/pets/{id}`,
    ]);
    const { contents } = await client.readResource(`openapi://${host}/pets/a%2Fb`);
    expect(contents).toEqual([
      { uri: `openapi://${host}/pets/a%2Fb`, mimeType: "application/json", text: '{"at":"/pets/a%2Fb"}' },
    ]);
    await client.readResource(`openapi://${host}/pets`);
    await client.callTool("search", { q: "x" });
    expect(targets()).toEqual(["GET /pets/a%2Fb", "GET /pets", "GET /search?q=x"]);
  });
});

describeMatrix("A mounted API", ({ connect: open }) => {
  it("is served under a prefix, whole or in part, and is called with its own names", async () => {
    const { url, requests } = await startApi((response, { target }) =>
      target.includes("fail") ? json(response, { error: "Out of order" }, 503) : json(response, { at: target }),
    );
    const host = new URL(url).host;
    const api = await fromOpenApi(documentOf(PATHS), { baseUrl: url, resources: true });
    const office = testServer({ name: "office", mounts: { shop: api } });
    office.mount("find", only(transform(api, { search: { arguments: { q: { name: "query" } } } }), { names: ["search"] }));
    onTestFinished(() => office.close());
    const client = await open(office);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["shop__addPet", "shop__search", "find__search"]);
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual([`openapi://${host}/pets`]);
    expect((await client.readResource(`openapi://${host}/pets/7`)).contents).toMatchObject([{ text: '{"at":"/pets/7"}' }]);
    expect((await client.callTool("shop__search", { q: "tea" })).text).toBe('{"at":"/search?q=tea"}');
    expect((await client.callTool("find__search", { query: "cup" })).text).toBe('{"at":"/search?q=cup"}');
    const [wrong, refused] = [
      await client.callTool("shop__search", {}),
      await client.callTool("find__search", { query: "fail" }),
    ];
    expect([wrong.isError, wrong.text]).toEqual([true, expect.stringContaining("q")]);
    expect([refused.isError, refused.text]).toEqual([true, '503 Service Unavailable\n{"error":"Out of order"}']);
    expect(requests.map(({ method, target }) => `${method} ${target}`)).toEqual([
      "GET /pets/7",
      "GET /search?q=tea",
      "GET /search?q=cup",
      "GET /search?q=fail",
    ]);
  });
});

it("reports resources, says what the API says, and knows what does not exist", async () => {
  const { server, host, report } = await served((response, { target }) =>
    json(response, { error: "Out of order" }, target === "/pets" ? 503 : 404),
  );
  expect(report).toEqual([
    { operation: "GET /pets", resource: `openapi://${host}/pets`, status: "resource" },
    { operation: "POST /pets", tool: "addPet", status: "tool" },
    { operation: "GET /pets/{id}", resource: `openapi://${host}/pets/{id}`, status: "resource" },
    { operation: "GET /search", tool: "search", status: "tool" },
  ]);
  await using client = await connect(server);
  expect((await rejectionOf(client.readResource(`openapi://${host}/pets`))).message).toBe(
    '503 Service Unavailable\n{"error":"Out of order"}',
  );
  expect((await rejectionOf(client.readResource(`openapi://${host}/pets/7`))).message).toContain("not found");
  expect((await rejectionOf(client.readResource(`openapi://${host}/pets/..`))).message).toContain(
    'must not have a segment that is empty, "." or ".."',
  );
});

it("is a source of features", async () => {
  const api = await fromOpenApi(documentOf(PATHS), { baseUrl: "https://api.example.com", resources: true });
  const ids = (["tool", "resource", "template", "prompt"] as const).map((kind) =>
    [...api.entries(kind)].map((feature) => feature.id),
  );
  expect(ids).toEqual([["addPet", "search"], ["openapi://api.example.com/pets"], ["openapi://api.example.com/pets/{id}"], []]);
  expect(api.find("tool", "search")?.listed).toMatchObject({ name: "search", inputSchema: { required: ["q"] } });
  expect(api.find("tool", "getPet")).toBeUndefined();
  const changed: string[] = [];
  const stop = api.onFeatureChange(({ kind, after }) => changed.push(`${kind} ${after?.id}`));
  api.server.tool("own", {}, () => "x");
  stop();
  api.server.tool("other", {}, () => "x");
  expect(changed).toEqual(["tool own"]);
});
