/** A router of tRPC as a server: its middleware, validation, errors and subscriptions, of versions 10 and 11. */
import { initTRPC, lazy, tracked, TRPCError } from "@trpc/server";
import { initTRPC as initTRPC10, TRPCError as TRPCError10 } from "trpc-10";
import { observable } from "trpc-10/observable";
import { expect, expectTypeOf, it, vi } from "vitest";
import { connect } from "tenon/client";
import { fromProcedures, trpc } from "tenon/procedures";
import { McpServer } from "tenon/server";
import * as z from "zod";
import { gate } from "../support/gate.ts";
import { describeMatrix } from "../support/matrix.ts";

interface Context {
  readonly user: string;
}

const Post = z.object({ id: z.number(), title: z.string(), at: z.date() });
const posts = [{ id: 1, title: "First", at: new Date("2026-01-02T03:04:05.000Z") }];

/** The example application: posts that only a user may change. */
function appRouter() {
  const t = initTRPC.context<Context>().meta<{ mcp?: boolean | { title: string; description: string } }>().create();
  const asUser = t.procedure.use(({ ctx, next }) => {
    if (ctx.user === "") throw new TRPCError({ code: "UNAUTHORIZED", message: "Log in first" });
    return next({ ctx: { author: ctx.user } });
  });
  return t.router({
    hello: t.procedure.meta({ mcp: true }).query(({ ctx }) => `Hello ${ctx.user}`),
    secret: t.procedure.query(() => "hidden"),
    posts: t.router({
      byId: t.procedure
        .meta({ mcp: { title: "A post", description: "Find a post by its number" } })
        .input(z.object({ id: z.number().int() }))
        .output(Post)
        .query(({ input }) => {
          const post = posts.find(({ id }) => id === input.id);
          if (post === undefined) throw new TRPCError({ code: "NOT_FOUND", message: `There is no post ${input.id}` });
          return post;
        }),
      list: t.procedure.meta({ mcp: true }).query(() => posts),
      add: asUser
        .meta({ mcp: true })
        .input(z.object({ title: z.string().min(3), at: z.date(), votes: z.bigint(), scan: z.file().optional() }))
        .mutation(async ({ input, ctx }) => ({
          author: ctx.author,
          year: input.at.getUTCFullYear(),
          votes: input.votes + 1n,
          scan: await input.scan?.text(),
        })),
      count: t.procedure
        .meta({ mcp: true })
        .input(z.string())
        .query(({ input }) => input.length),
      broken: t.procedure.meta({ mcp: true }).mutation(() => {
        throw new Error("password of the database");
      }),
      ticks: t.procedure
        .meta({ mcp: true })
        .input(z.object({ to: z.number() }))
        .subscription(async function* ({ input }) {
          for (let n = 1; n <= input.to; n++) yield tracked(String(n), { n });
        }),
      endless: t.procedure.meta({ mcp: true }).subscription(async function* () {
        for (let n = 1; ; n++) yield n;
      }),
    }),
  });
}

function made(user = "ada") {
  const api = fromProcedures(trpc(appRouter(), { context: () => ({ user }) }));
  return { api, server: new McpServer({ name: "s", version: "1" }, { tools: api.tools }) };
}

/** The data of a result: of old revisions, which have text only, the data of the text. */
function dataOf({ data, text }: { readonly data?: unknown; readonly text: string }): unknown {
  return data ?? JSON.parse(text);
}

describeMatrix("A tRPC router as a server", ({ connect: open, since }) => {
  it("has the procedures that were chosen, and tells reads from writes", async () => {
    const client = await open(made().server);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).not.toContain("secret");
    expect(tools.find(({ name }) => name === "posts_byId")).toMatchObject({
      ...(since("2025-06-18") && { title: "A post" }),
      ...(since("2025-03-26") && { annotations: { readOnlyHint: true } }),
      description: "Find a post by its number",
      inputSchema: { type: "object", properties: { id: { type: "integer" } }, required: ["id"] },
    });
    if (since("2025-03-26"))
      expect(tools.find(({ name }) => name === "posts_add")).toMatchObject({ annotations: { readOnlyHint: false } });
  });

  it("runs middleware with the caller's context, and takes dates, bigints and files as JSON has them", async () => {
    const client = await open(made().server);
    const args = {
      title: "Third",
      at: "2026-05-06T00:00:00Z",
      votes: "9007199254740993",
      scan: { data: "aGk=", mimeType: "text/plain" },
    };
    expect(dataOf(await client.callTool("posts_add", args))).toEqual({
      author: "ada",
      year: 2026,
      votes: "9007199254740994",
      scan: "hi",
    });
    const stranger = await open(made("").server);
    const refused = await stranger.callTool("posts_add", { title: "Third", at: "2026-05-06T00:00:00Z", votes: 1 });
    expect(refused.isError).toBe(true);
    expect(refused.text).toBe("Log in first (UNAUTHORIZED)");
    expect(refused._meta).toMatchObject({ "dev.tenon/failure": { code: "UNAUTHORIZED", status: 401 } });
  });

  it("a result matches its published schema, a text is text, and a list is the member result", async () => {
    const client = await open(made().server);
    expect(dataOf(await client.callTool("posts_byId", { id: 1 }))).toEqual({
      id: 1,
      title: "First",
      at: "2026-01-02T03:04:05.000Z",
    });
    expect((await client.callTool("hello")).text).toBe("Hello ada");
    expect(dataOf(await client.callTool("posts_list"))).toEqual({
      result: [{ id: 1, title: "First", at: "2026-01-02T03:04:05.000Z" }],
    });
    expect(dataOf(await client.callTool("posts_count", { input: "four" }))).toEqual({ result: 4 });
  });

  it("the router's own validation refuses, in words; what it did not mean for callers is masked", async () => {
    const { server } = made();
    const client = await open(server);
    const wrong = await client.callTool("posts_add", { title: "a", at: "2026-05-06T00:00:00Z", votes: 1 });
    expect(wrong.text).toMatch(/^Invalid arguments: title: .* \(BAD_REQUEST\)$/);
    expect((await client.callTool("posts_byId", { id: 7 })).text).toBe("There is no post 7 (NOT_FOUND)");
    const broken = await client.callTool("posts_broken").catch((error: unknown) => error);
    expect(JSON.stringify(broken) + String(broken)).not.toContain("password");
  });

  it("a subscription sends its values as progress, and ends by itself, by the caller or at the limit", async () => {
    const client = await open(made().server);
    const heard: (string | undefined)[] = [];
    const result = await client.callTool("posts_ticks", { to: 3 }, { onProgress: ({ message }) => void heard.push(message) });
    expect(dataOf(result)).toEqual({ values: [{ n: 1 }, { n: 2 }, { n: 3 }] });
    expect(dataOf(await client.callTool("posts_endless"))).toMatchObject({ isCut: true, values: { length: 100 } });
    const ending = new AbortController();
    const call = client.callTool(
      "posts_endless",
      {},
      { signal: ending.signal, onProgress: () => ending.abort(new Error("enough")) },
    );
    await call.catch(() => undefined); // it is cancelled, or it had enough values already
    if (since("2025-03-26")) expect(heard.length).toBe(3);
    if (since("2025-03-26")) expect(heard.every((message, at) => message === JSON.stringify({ n: at + 1 }))).toBe(true);
  });
});

it("callers have the types of the router", async () => {
  const { server } = made();
  await using client = await connect(server);
  const post = await client.call.posts_byId({ id: 1 });
  expectTypeOf(post).toEqualTypeOf<{ readonly id: number; readonly title: string; readonly at: string }>();
  expect(post.at).toBe("2026-01-02T03:04:05.000Z");
  expectTypeOf(client.call.hello).returns.resolves.toBeString();
  expect(await client.call.posts_count({ input: "abc" })).toEqual({ result: 3 });
  // @ts-expect-error -- a number
  await expect(client.call.posts_byId({ id: "1" })).rejects.toThrow("expected number");
});

it("the option include chooses by path, and the compiler knows only those", async () => {
  const { tools, report, tokens } = fromProcedures(trpc(appRouter(), { context: () => ({ user: "a" }) }), {
    include: ["secret", "posts.list"],
  });
  expect(Object.keys(tools)).toEqual(["secret", "posts_list"]);
  expectTypeOf(tools).toHaveProperty("secret");
  expectTypeOf(tools).not.toHaveProperty("hello");
  expect(report.find(({ procedure }) => procedure === "hello")).toMatchObject({
    status: "skipped",
    why: expect.stringContaining("not chosen"),
  });
  expect(tokens).toBeGreaterThan(10);
  await using client = await connect(new McpServer({ name: "counted", version: "1.0.0" }, { tools }));
  const listed = (await client.listTools()).tools.map(({ name, description, inputSchema }) => ({
    name,
    description,
    inputSchema,
  }));
  // as `tenon check` counts
  expect(tokens).toBe(listed.reduce((sum, tool) => sum + Math.ceil(JSON.stringify(tool).length / 4), 0));
});

it("nothing is exposed that was not chosen, and a path that is not there is refused", () => {
  const t = initTRPC.create();
  const router = t.router({ a: t.procedure.query(() => 1) });
  expect(() => fromProcedures(trpc(router))).toThrow(/None of the 1 procedures of the tRPC router is chosen.*They are: a/);
  // @ts-expect-error -- there is no such path
  expect(() => fromProcedures(trpc(router), { include: ["b"] })).toThrow('has no procedure "b". It has: a');
  // @ts-expect-error -- a misspelt option
  expect(() => fromProcedures(trpc(router), { included: ["a"] })).toThrow("included");
  const late = t.router({ user: lazy(async () => router) });
  expect(() => fromProcedures(trpc(late), { include: () => true })).toThrow(
    /^There is no procedure in the tRPC router that can become a tool. Left out: user: it is loaded later/,
  );
});

it("an object that may be left out or null has typed arguments, none of which is required", async () => {
  const t = initTRPC.create();
  const greet = t.procedure.input(z.object({ name: z.string() }).nullish()).query(({ input }) => input?.name ?? "all");
  const either = t.procedure.input(z.object({ name: z.string() }).nullable()).query(({ input }) => input?.name ?? "none");
  const { tools } = fromProcedures(trpc(t.router({ greet, either })), { include: ["greet", "either"] });
  await using client = await connect(new McpServer({ name: "s", version: "1" }, { tools }));
  expect(await client.call.greet({ name: "ada" })).toBe("ada");
  expect(await client.call.greet({})).toBe("all");
  expect(await client.call.either({ input: null })).toBe("none");
  // @ts-expect-error -- the name is a text
  await expect(client.call.greet({ name: 5 })).rejects.toThrow("Invalid arguments: name");
});

it("more than a hundred tools are refused, unless the option says more", () => {
  const t = initTRPC.create();
  const router = t.router(Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`p${n}`, t.procedure.query(() => n)])));
  expect(() => fromProcedures(trpc(router), { include: () => true })).toThrow(
    /101 procedures of the tRPC router are chosen, tools of about \d+ tokens/,
  );
  expect(Object.keys(fromProcedures(trpc(router), { include: () => true, maxTools: 200 }).tools)).toHaveLength(101);
});

it("a schema without a JSON Schema is left out with the reason, or converted by the option", () => {
  const t = initTRPC.create();
  const parse = (value: unknown): { n: number } => value as { n: number };
  const router = t.router({ a: t.procedure.input(parse).query(({ input }) => input.n), b: t.procedure.query(() => 1) });
  expect(fromProcedures(trpc(router), { include: ["a", "b"] }).report[0]).toMatchObject({
    status: "skipped",
    why: expect.stringContaining("toJsonSchema"),
  });
  const json = { type: "object", properties: { n: { type: "number" } } };
  const { tools } = fromProcedures(trpc(router), {
    include: ["a"],
    toJsonSchema: (schema) => (schema === parse ? json : undefined),
  });
  expect(Object.keys(tools)).toEqual(["a"]);
});

it("several schemas of one input are one, and names that models refuse are renamed", async () => {
  const t = initTRPC.create();
  const router = t.router({
    both: t.procedure
      .input(z.object({ "filter[name]": z.string() }))
      .input(z.object({ page: z.number() }))
      .query(({ input }) => ({ got: `${input["filter[name]"]} ${input.page}` })),
  });
  const server = new McpServer({ name: "s", version: "1" }, { tools: fromProcedures(trpc(router), { include: ["both"] }).tools });
  await using client = await connect(server);
  const [tool] = (await client.listTools()).tools;
  expect(tool?.inputSchema).toMatchObject({
    properties: { filter_name: { type: "string" }, page: { type: "number" } },
    required: ["filter_name", "page"],
  });
  expect((await client.callTool("both", { filter_name: "x", page: 2 })).data).toEqual({ got: "x 2" });
});

it("an input that is a transform is transformed once, by the router", async () => {
  const t = initTRPC.create();
  const router = t.router({
    a: t.procedure.input(z.object({ n: z.string().transform((text) => text.length) })).query(({ input }) => input.n + 1),
  });
  await using client = await connect(
    new McpServer({ name: "s", version: "1" }, { tools: fromProcedures(trpc(router), { include: ["a"] }).tools }),
  );
  expect((await client.callTool("a", { n: "four" })).data).toEqual({ result: 5 });
});

it("named schemas of an input are written out, at its root and inside", async () => {
  const t = initTRPC.create();
  const Day = z.object({ at: z.date() }).meta({ id: "Day" });
  const Trip = z.object({ from: Day, to: Day }).meta({ id: "Trip" });
  const router = t.router({
    days: t.procedure.input(Trip).query(({ input: { from, to } }) => (to.at.getTime() - from.at.getTime()) / 864e5),
  });
  const { tools } = fromProcedures(trpc(router), { include: ["days"] });
  await using client = await connect(new McpServer({ name: "s", version: "1" }, { tools }));
  const day = { type: "object", properties: { at: { type: "string", format: "date-time" } }, required: ["at"] };
  const [listed] = (await client.listTools()).tools;
  expect(listed?.inputSchema).toEqual({ type: "object", properties: { from: day, to: day }, required: ["from", "to"] });
  expect(
    (await client.callTool("days", { from: { at: "2026-01-01T00:00:00Z" }, to: { at: "2026-01-03T00:00:00Z" } })).data,
  ).toEqual({
    result: 2,
  });
});

it("a call that is cancelled aborts the signal of its procedure", async () => {
  const aborted = vi.fn<() => void>();
  const { opened: running, open: started } = gate();
  const t = initTRPC.create();
  const router = t.router({
    wait: t.procedure.query(
      ({ signal }) =>
        new Promise((_, reject) => {
          signal?.addEventListener("abort", () => {
            aborted();
            reject(signal.reason as Error);
          });
          started();
        }),
    ),
  });
  await using client = await connect(
    new McpServer({ name: "s", version: "1" }, { tools: fromProcedures(trpc(router), { include: ["wait"] }).tools }),
  );
  const ending = new AbortController();
  const call = client.callTool("wait", {}, { signal: ending.signal });
  await running;
  ending.abort(new Error("enough"));
  await expect(call).rejects.toThrow("enough");
  await expect.poll(() => aborted.mock.calls.length, { timeout: 30_000 }).toBe(1);
});

it("a router of version 10 is served in the same way, observables included", async () => {
  const t = initTRPC10.context<Context>().meta<{ mcp: boolean }>().create();
  const router = t.router({
    greet: t.procedure
      .meta({ mcp: true })
      .input(z.object({ to: z.string() }))
      .query(({ input, ctx }) => ({ text: `${ctx.user} greets ${input.to}` })),
    no: t.procedure.meta({ mcp: true }).mutation(() => {
      throw new TRPCError10({ code: "FORBIDDEN", message: "Not you" });
    }),
    broken: t.procedure.meta({ mcp: true }).mutation(() => {
      throw new Error("password of the database");
    }),
    live: t.router({
      numbers: t.procedure.meta({ mcp: true }).subscription(() =>
        observable<number>((emit) => {
          emit.next(1);
          emit.next(2);
          emit.complete();
        }),
      ),
    }),
  });
  const { tools } = fromProcedures(trpc(router, { context: () => ({ user: "ada" }) }));
  await using client = await connect(new McpServer({ name: "s", version: "1" }, { tools }));
  expect(await client.call.greet({ to: "bob" })).toEqual({ text: "ada greets bob" });
  expect((await client.callTool("no")).text).toBe("Not you (FORBIDDEN)");
  expect((await client.callTool("live_numbers")).data).toEqual({ values: [1, 2] });
  expect(await client.callTool("broken").then(({ text }) => text, String)).not.toContain("password");
});
