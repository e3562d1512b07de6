/** Routes of Hono and of a ts-rest contract as a server, in this process: their middleware, session and validation. */
import { createRoute, OpenAPIHono } from "@hono/zod-openapi";
import { initContract } from "@ts-rest/core";
import { createFetchHandler, tsr } from "@ts-rest/serverless/fetch";
import { Hono as Hono3 } from "hono-3";
import { expect, expectTypeOf, it } from "vitest";
import { connect } from "tenon/client";
import { fromProcedures, hono, tsRest } from "tenon/procedures";
import { McpServer } from "tenon/server";
import * as z from "zod";

const User = z.object({ id: z.string(), name: z.string() });

function honoApp(): OpenAPIHono<{ Bindings: { region?: string } }> {
  const app = new OpenAPIHono<{ Bindings: { region?: string } }>();
  app.openAPIRegistry.registerComponent("securitySchemes", "session", { type: "http", scheme: "bearer" });
  app.use("/users/*", async (c, next) => {
    if (c.req.header("authorization") !== "Bearer of-ada") return c.json({ message: "Who are you?" }, 401);
    return next();
  });
  const get = createRoute({
    method: "get",
    path: "/users/{id}",
    operationId: "getUser",
    summary: "Find a user",
    security: [{ session: [] }],
    "x-mcp": true,
    request: { params: z.object({ id: z.string().min(2) }) },
    responses: { 200: { description: "The user", content: { "application/json": { schema: User } } } },
  });
  app.openapi(get, (c) => c.json({ id: c.req.valid("param").id, name: `Ada of ${c.env.region ?? "nowhere"}` }, 200));
  const add = createRoute({
    method: "post",
    path: "/notes",
    operationId: "addNote",
    request: { body: { required: true, content: { "application/json": { schema: z.object({ text: z.string().min(3) }) } } } },
    responses: { 201: { description: "Added" } },
  });
  app.openapi(add, (c) => c.json({ length: c.req.valid("json").text.length }, 201));
  app.doc31("/openapi.json", { openapi: "3.1.0", info: { title: "Users", version: "1" } });
  return app;
}

it("a route of Hono runs in process, through its middleware and validation, with the caller's headers and bindings", async () => {
  const source = hono(honoApp(), { headers: () => ({ authorization: "Bearer of-ada" }), env: () => ({ region: "Kent" }) });
  const { tools, report } = await fromProcedures(source);
  expect(Object.keys(tools)).toEqual(["getUser"]);
  expect(report).toMatchObject([{ tool: "getUser" }, { procedure: "addNote", status: "skipped" }]);
  await using client = await connect(new McpServer({ name: "s", version: "1" }, { tools }));
  expect((await client.listTools()).tools[0]).toMatchObject({ description: "Find a user", annotations: { readOnlyHint: true } });
  expect((await client.callTool("getUser", { id: "ada" })).data).toEqual({ id: "ada", name: "Ada of Kent" });
  expect((await client.callTool("getUser", { id: "a" })).text).toContain("id");
});

it("without the caller's headers the middleware of the app refuses", async () => {
  const { tools } = await fromProcedures(hono(honoApp(), { openapi: { auth: { session: "of-eve" } } }), {
    include: ["getUser", "addNote"],
  });
  await using client = await connect(new McpServer({ name: "s", version: "1" }, { tools }));
  const refused = await client.callTool("getUser", { id: "ada" });
  expect(refused.text).toContain("Who are you?");
  expect(refused._meta).toMatchObject({ "dev.tenon/failure": { code: "401", status: 401 } });
  expect((await client.callTool("addNote", { body: { text: "hello" } })).data).toEqual({ length: 5 });
});

it("an app of Hono 3 is served with a document that was written by hand", async () => {
  const app = new Hono3<{ Bindings: { region: string } }>();
  app.use("*", async (c, next) => (c.req.header("x-user") === undefined ? c.json({ message: "Who are you?" }, 401) : next()));
  app.get("/users/:id", (c) => c.json({ id: c.req.param("id"), name: `Ada of ${c.env.region}`, by: c.req.header("x-user") }));
  const parameters = [{ name: "id", in: "path", required: true, schema: { type: "string", minLength: 2 } }];
  const get = { operationId: "getUser", "x-mcp": true, parameters, responses: { 200: { description: "The user" } } };
  const document = { openapi: "3.1.0", info: { title: "Users", version: "1" }, paths: { "/users/{id}": { get } } };
  const { tools } = await fromProcedures(
    hono(app, { document, headers: () => ({ "x-user": "ada" }), env: () => ({ region: "Kent" }) }),
  );
  await using client = await connect(new McpServer({ name: "s", version: "1" }, { tools }));
  expect((await client.callTool("getUser", { id: "ada" })).data).toEqual({ id: "ada", name: "Ada of Kent", by: "ada" });
  const unnamed = { ...document, paths: { "/users/{id}": { get: { ...get, operationId: undefined } } } };
  expect(Object.keys((await fromProcedures(hono(app, { document: unnamed }))).tools)).toEqual(["get_users_id"]);
  const { tools: refused } = await fromProcedures(hono(app, { document }));
  await using other = await connect(new McpServer({ name: "s", version: "1" }, { tools: refused }));
  expect((await other.callTool("getUser", { id: "ada" })).text).toContain("Who are you?");
});

it("an app without a document says which option names it", async () => {
  await expect(fromProcedures(hono({ fetch: () => new Response("", { status: 404 }) }))).rejects.toThrow(
    "no OpenAPI document at /openapi.json (status 404)",
  );
});

// The types of ts-rest are made for zod 3, so the contract is given to it without them.
const contract = {
  posts: {
    get: {
      method: "GET",
      path: "/posts/:id",
      summary: "Find a post",
      query: z.object({ draft: z.string().optional() }),
      responses: { 200: z.object({ id: z.string(), draft: z.string() }), 404: z.object({ message: z.string() }) },
      metadata: { mcp: true },
    },
    add: {
      method: "POST",
      path: "/posts",
      body: z.object({ title: z.string().min(3) }),
      responses: { 201: z.object({ title: z.string(), by: z.string() }) },
      metadata: { mcp: true },
    },
  },
  secret: { method: "GET", path: "/secret", responses: { 200: z.object({}) } },
} as const;
const routed = initContract().router(contract as never);
const handlers = tsr.router(routed, {
  posts: {
    get: async ({ params, query }: { params: { id: string }; query: { draft?: string } }) =>
      params.id === "0"
        ? { status: 404, body: { message: "No such post" } }
        : { status: 200, body: { id: params.id, draft: query.draft ?? "no" } },
    add: async ({ body }: { body: { title: string } }, { request }: { request: Request }) => ({
      status: 201,
      body: { title: body.title, by: request.headers.get("x-user") ?? "" },
    }),
  },
  secret: async () => ({ status: 200, body: {} }),
} as never);

it("a ts-rest contract is served by its own handler, with its types", async () => {
  const source = tsRest(contract, createFetchHandler(routed, handlers), { headers: () => ({ "x-user": "ada" }) });
  const { tools } = await fromProcedures(source);
  expect(Object.keys(tools)).toEqual(["posts_get", "posts_add"]);
  await using client = await connect(new McpServer({ name: "s", version: "1" }, { tools }));
  const post = await client.call.posts_get({ id: "7", draft: "yes" });
  expectTypeOf(post).toEqualTypeOf<{ readonly id: string; readonly draft: string }>();
  expect(post).toEqual({ id: "7", draft: "yes" });
  expect(await client.call.posts_add({ body: { title: "Third" } })).toEqual({ title: "Third", by: "ada" });
  const missing = await client.callTool("posts_get", { id: "0" });
  expect(missing.text).toContain("No such post");
  expect(missing._meta).toMatchObject({ "dev.tenon/failure": { status: 404 } });
  expect((await client.callTool("posts_add", { body: { title: "T" } })).isError).toBe(true);
});

it("parts of a contract that are types only, or have no converter, take any value", async () => {
  const c = initContract();
  const typed = c.router({
    find: {
      method: "GET",
      path: "/posts/:id",
      pathParams: c.type<{ id: string }>(),
      query: c.type<{ draft?: string }>(),
      responses: { 200: c.type<object>() },
      metadata: { mcp: true },
    },
    add: {
      method: "POST",
      path: "/posts",
      body: c.type<{ title: string }>(),
      responses: { 201: c.type<object>() },
      metadata: { mcp: true },
    },
    clear: { method: "DELETE", path: "/posts", body: c.noBody(), responses: { 200: c.type<object>() }, metadata: { mcp: true } },
  });
  const handler = createFetchHandler(
    typed as never,
    tsr.router(
      typed as never,
      {
        find: async ({ params, query }: { params: object; query: object }) => ({ status: 200, body: { params, query } }),
        add: async ({ body }: { body: unknown }) => ({ status: 201, body: { added: body } }),
        clear: async () => ({ status: 200, body: { cleared: true } }),
      } as never,
    ),
  );
  const { tools } = await fromProcedures(tsRest(typed as object, handler));
  await using client = await connect(new McpServer({ name: "s", version: "1" }, { tools }));
  expect((await client.callTool("find", { id: "7", query: { draft: "yes" } })).data).toEqual({
    params: { id: "7" },
    query: { draft: "yes" },
  });
  expect((await client.callTool("find", { id: "7" })).data).toEqual({ params: { id: "7" }, query: {} });
  expect((await client.callTool("add", { body: { title: "First" } })).data).toEqual({ added: { title: "First" } });
  expect((await client.callTool("clear")).data).toEqual({ cleared: true });
});

it("schemas of a contract that have a name, or contain themselves, keep their references", async () => {
  const Tree = z.object({
    name: z.string(),
    get children() {
      return z.array(Tree).optional();
    },
  });
  const Tag = z.object({ id: z.string() }).meta({ id: "Tag" });
  const plant = {
    method: "POST",
    path: "/trees",
    query: z.object({ tag: Tag.optional() }),
    body: z.object({ tree: Tree, first: Tag, second: Tag }),
    responses: { 200: Tree },
    metadata: { mcp: true },
  } as const;
  const handler = async (request: Request): Promise<Response> => Response.json(((await request.json()) as { tree: object }).tree);
  const { tools, report } = await fromProcedures(tsRest({ plant }, handler));
  expect(report).toEqual([{ procedure: "plant", tool: "plant", status: "tool" }]);
  await using client = await connect(new McpServer({ name: "s", version: "1" }, { tools }));
  const tree = (inner: unknown): object => ({ name: "root", children: [{ name: "leaf", children: [{ name: inner }] }] });
  const call = (inner: unknown) =>
    client.callTool("plant", { body: { tree: tree(inner), first: { id: "1" }, second: { id: "2" } } });
  expect((await call("bud")).data).toEqual(tree("bud"));
  expect((await call(5)).text).toContain("body.tree.children[0].children[0].name: must be string");
});
