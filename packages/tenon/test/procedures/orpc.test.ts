/** A router of oRPC as a server: its middleware, validation, errors and event iterators. */
import { ORPCError, eventIterator, os, unlazyRouter } from "@orpc/server";
import { expect, expectTypeOf, it, onTestFinished, vi } from "vitest";
import { defineMeta, eventIterator as eventIterator2, ORPCError as ORPCError2, os as os2 } from "orpc-2";
import { connect } from "tenon/client";
import { fromProcedures, orpc } from "tenon/procedures";
import { McpServer } from "tenon/server";
import * as z from "zod";

const base = os.$context<{ user?: string }>().$meta<{ mcp?: boolean }>({});
const authed = base.use(({ context, next }) => {
  if (context.user === undefined) throw new ORPCError("UNAUTHORIZED", { message: "Log in first" });
  return next({ context: { user: context.user } });
});
const Planet = z.object({ id: z.number(), name: z.string(), found: z.date() });

const planet = {
  find: base
    .route({ method: "GET", summary: "Find a planet" })
    .meta({ mcp: true })
    .input(z.object({ id: z.number() }))
    .output(Planet)
    .errors({ LOST: { status: 410, message: "It is gone", data: z.object({ since: z.number() }) } })
    .handler(({ input, errors }) => {
      if (input.id === 9) throw errors.LOST({ data: { since: 2006 } });
      return { id: input.id, name: "Earth", found: new Date(0) };
    }),
  create: authed
    .meta({ mcp: true })
    .input(z.object({ name: z.string().min(3), found: z.date() }))
    .handler(({ input, context }) => ({ by: context.user, year: input.found.getUTCFullYear() })),
  hidden: base.handler(() => "hidden"),
  broken: base.meta({ mcp: true }).handler(() => {
    throw new Error("password of the database");
  }),
  live: base
    .meta({ mcp: true })
    .output(eventIterator(z.object({ n: z.number() })))
    .handler(async function* () {
      yield { n: 1 };
      yield { n: 2 };
    }),
};
const router = { planet };

function served(user?: string) {
  const { tools, report } = fromProcedures(orpc(router, { context: () => (user === undefined ? {} : { user }) }));
  return { server: new McpServer({ name: "s", version: "1" }, { tools }), report };
}

it("procedures become tools, with their types, schemas and hints", async () => {
  const { server, report } = served("ada");
  await using client = await connect(server);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(["planet_find", "planet_create", "planet_broken", "planet_live"]);
  expect(tools[0]).toMatchObject({
    description: "Find a planet",
    annotations: { readOnlyHint: true },
    outputSchema: { type: "object" },
  });
  expect(tools[1]).toMatchObject({
    annotations: { readOnlyHint: false },
    inputSchema: { properties: { found: { format: "date-time" } } },
  });
  expect(report.find(({ procedure }) => procedure === "planet.hidden")?.status).toBe("skipped");
  const found = await client.call.planet_find({ id: 3 });
  expectTypeOf(found).toEqualTypeOf<{ readonly id: number; readonly name: string; readonly found: string }>();
  expect(found).toEqual({ id: 3, name: "Earth", found: "1970-01-01T00:00:00.000Z" });
  expect(await client.call.planet_create({ name: "Mars", found: "1659-01-01T00:00:00Z" })).toEqual({ by: "ada", year: 1659 });
});

it("its errors are readable, with their codes and data; others are masked", async () => {
  await using client = await connect(served().server);
  const lost = await client.callTool("planet_find", { id: 9 });
  expect(lost).toMatchObject({ isError: true, text: "It is gone (LOST)" });
  expect(lost._meta).toMatchObject({ "dev.tenon/failure": { code: "LOST", status: 410, data: { since: 2006 } } });
  expect((await client.callTool("planet_create", { name: "Mars", found: "1659-01-01T00:00:00Z" })).text).toBe(
    "Log in first (UNAUTHORIZED)",
  );
  const broken = await client.callTool("planet_broken").then(({ text }) => text, String);
  expect(broken).not.toContain("password");
});

it("the router's own validation refuses, and names the argument", async () => {
  await using client = await connect(served("ada").server);
  expect((await client.callTool("planet_create", { name: "M", found: "1659-01-01T00:00:00Z" })).text).toMatch(
    /^Invalid arguments: name: .* \(BAD_REQUEST\)$/,
  );
});

it("an event iterator sends its values as progress", async () => {
  await using client = await connect(served().server);
  const heard: unknown[] = [];
  const { data } = await client.callTool("planet_live", {}, { onProgress: ({ message }) => void heard.push(message) });
  expect(data).toEqual({ values: [{ n: 1 }, { n: 2 }] });
  expect(heard).toEqual(['{"n":1}', '{"n":2}']);
});

it("a part that is loaded later is left out with what to do, and served once it is loaded", async () => {
  const lazy = { planet: base.lazy(async () => ({ default: planet })) };
  expect(() => fromProcedures(orpc(lazy))).toThrow(/Left out: planet: it is loaded later: .*unlazyRouter/);
  expect(orpc({ ...router, late: lazy.planet }).leftOut).toMatchObject([{ procedure: "late" }]);
  expect(Object.keys(fromProcedures(orpc(await unlazyRouter(lazy))).tools)).toContain("planet_find");
});

/** A router of version 2, run by its own `@orpc/server`, as in a project that has only that version. */
function router2() {
  vi.doMock("@orpc/server", () => import("orpc-2"));
  onTestFinished(() => vi.doUnmock("@orpc/server"));
  const [mcp] = defineMeta("mcp", (value: boolean) => value);
  const base2 = os2.$context<{ user?: string }>();
  const authed2 = base2.use(({ context, next }) => {
    if (context.user === undefined) throw new ORPCError2("UNAUTHORIZED", { message: "Log in first" });
    return next({ context: { user: context.user } });
  });
  const planets = {
    find: base2
      .meta(mcp(true))
      .input(z.object({ id: z.number() }))
      .output(Planet)
      .handler(({ input }) => ({ id: input.id, name: "Earth", found: new Date(0) })),
    create: authed2
      .meta(mcp(true))
      .input(z.object({ name: z.string().min(3) }))
      .handler(({ input, context }) => ({ by: context.user, name: input.name })),
    hidden: base2.handler(() => "hidden"),
    broken: base2.meta(mcp(true)).handler(() => {
      throw new Error("password of the database");
    }),
    live: base2
      .meta(mcp(true))
      .output(eventIterator2(z.object({ n: z.number() })))
      .handler(async function* () {
        yield { n: 1 };
        yield { n: 2 };
      }),
  };
  return { base2, planets };
}

it("a router of version 2 is served as one of version 1", async () => {
  const { base2, planets } = router2();
  const late = base2.lazy(async () => ({ default: planets }));
  const source = orpc({ planet: planets, late }, { context: () => ({ user: "ada" }) });
  expect(source.leftOut).toMatchObject([{ procedure: "late" }]);
  const { tools, report } = fromProcedures(orpc({ planet: planets }, { context: () => ({ user: "ada" }) }));
  expect(report.find(({ procedure }) => procedure === "planet.hidden")?.status).toBe("skipped");
  await using client = await connect(new McpServer({ name: "s", version: "2" }, { tools }));
  expect((await client.listTools()).tools[0]).toMatchObject({
    name: "planet_find",
    inputSchema: { properties: { id: { type: "number" } } },
    outputSchema: { properties: { found: { format: "date-time" } } },
  });
  const found = await client.call.planet_find({ id: 3 });
  expectTypeOf(found).toEqualTypeOf<{ readonly id: number; readonly name: string; readonly found: string }>();
  expect(found).toEqual({ id: 3, name: "Earth", found: "1970-01-01T00:00:00.000Z" });
  expect(await client.call.planet_create({ name: "Mars" })).toEqual({ by: "ada", name: "Mars" });
  expect((await client.callTool("planet_create", { name: "M" })).text).toMatch(/^Invalid arguments: name: .* \(BAD_REQUEST\)$/);
  expect(await client.callTool("planet_broken").then(({ text }) => text, String)).not.toContain("password");
  const heard: unknown[] = [];
  const { data } = await client.callTool("planet_live", {}, { onProgress: ({ message }) => void heard.push(message) });
  expect([data, heard]).toEqual([{ values: [{ n: 1 }, { n: 2 }] }, ['{"n":1}', '{"n":2}']]);
});

it("the middleware of a router of version 2 refuses in its own words", async () => {
  const { tools } = fromProcedures(orpc({ planet: router2().planets }));
  await using client = await connect(new McpServer({ name: "s", version: "2" }, { tools }));
  expect((await client.callTool("planet_create", { name: "Mars" })).text).toBe("Log in first (UNAUTHORIZED)");
});
