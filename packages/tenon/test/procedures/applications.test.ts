/**
 * Applications with the features of those that tRPC, oRPC and Hono show as examples, as servers, at two majors of each: a message
 * board whose readers resume, planets that only a user may change, and a blog over bindings.
 */
import { ORPCError, os } from "@orpc/server";
import { initTRPC, tracked, TRPCError } from "@trpc/server";
import { Hono } from "hono";
import { cors } from "hono/cors";
import { Hono as Hono3 } from "hono-3";
import { cors as cors3 } from "hono-3/cors";
import { defineMeta, ORPCError as ORPCError2, os as os2 } from "orpc-2";
import { initTRPC as initTRPC10, TRPCError as TRPCError10 } from "trpc-10";
import { observable } from "trpc-10/observable";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { connect, type Client } from "tenon/client";
import { fromProcedures, hono, orpc, trpc, type ProcedureTools } from "tenon/procedures";
import { McpServer } from "tenon/server";
import * as z from "zod";
import { closing } from "../support/matrix.ts";

const clientOf = ({ tools }: ProcedureTools<never>): Promise<Client> =>
  closing(connect(new McpServer({ name: "app", version: "1" }, { tools })));

// ---- a message board ----

interface Message {
  readonly id: number;
  readonly text: string;
  readonly at: Date;
}
const NOON = Date.UTC(2026, 0, 1, 12);
const page = z.object({ cursor: z.date().nullish(), take: z.number().min(1).max(50).nullish() });
const since = z.object({ lastEventId: z.string().nullish() });

/** What both versions have in common. */
function board() {
  const messages: Message[] = [1, 2, 3].map((id) => ({ id, text: `message ${id}`, at: new Date(NOON + id) }));
  const older = ({ cursor, take }: z.output<typeof page>) => {
    const all = messages.filter(({ at }) => !cursor || at <= cursor).toReversed();
    const items = all.slice(0, take ?? 20);
    return { items, nextCursor: all[items.length]?.at ?? null };
  };
  const add = (text: string): Message => {
    const message = { id: messages.length + 1, text, at: new Date(NOON + messages.length + 1) };
    messages.push(message);
    return message;
  };
  return { add, older, newer: (last: string | null | undefined) => messages.filter(({ id }) => id > Number(last ?? 0)) };
}

const BOARDS = {
  11: (user: string | undefined) => {
    const t = initTRPC.context<{ user?: string }>().create();
    const { add, older, newer } = board();
    const router = t.router({
      hello: t.procedure.input(z.string().nullish()).query(({ input, ctx }) => `hello ${input ?? ctx.user ?? "world"}`),
      greet: t.procedure
        .input(z.object({ name: z.string() }).nullish())
        .query(({ input, ctx }) => `hi ${input?.name ?? ctx.user ?? "all"}`),
      message: t.router({
        add: t.procedure.input(z.string().trim().min(1)).mutation(({ input }) => add(input)),
        older: t.procedure.input(page).query(({ input }) => older(input)),
        newer: t.procedure.input(since).subscription(async function* ({ input }) {
          for (const message of newer(input.lastEventId)) yield tracked(String(message.id), message);
        }),
        upload: t.procedure.input(z.instanceof(FormData)).mutation(({ input }) => [...input.keys()]),
      }),
      admin: t.router({
        secret: t.procedure.query(({ ctx }) => {
          if (ctx.user === undefined) throw new TRPCError({ code: "UNAUTHORIZED" });
          if (ctx.user !== "ada") throw new TRPCError({ code: "FORBIDDEN" });
          return { secret: "sauce" };
        }),
      }),
    });
    return fromProcedures(trpc(router, { context: () => ({ user }) }), { include: () => true });
  },
  10: (user: string | undefined) => {
    const t = initTRPC10.context<{ user?: string }>().create();
    const { add, older, newer } = board();
    const router = t.router({
      hello: t.procedure.input(z.string().nullish()).query(({ input, ctx }) => `hello ${input ?? ctx.user ?? "world"}`),
      greet: t.procedure
        .input(z.object({ name: z.string() }).nullish())
        .query(({ input, ctx }) => `hi ${input?.name ?? ctx.user ?? "all"}`),
      message: t.router({
        add: t.procedure.input(z.string().trim().min(1)).mutation(({ input }) => add(input)),
        older: t.procedure.input(page).query(({ input }) => older(input)),
        newer: t.procedure.input(since).subscription(({ input }) =>
          observable<Message>((observer) => {
            for (const message of newer(input.lastEventId)) observer.next(message);
            observer.complete();
          }),
        ),
        upload: t.procedure.input(z.instanceof(FormData)).mutation(({ input }) => [...input.keys()]),
      }),
      admin: t.router({
        secret: t.procedure.query(({ ctx }) => {
          if (ctx.user === undefined) throw new TRPCError10({ code: "UNAUTHORIZED" });
          if (ctx.user !== "ada") throw new TRPCError10({ code: "FORBIDDEN" });
          return { secret: "sauce" };
        }),
      }),
    });
    return fromProcedures(trpc(router, { context: () => ({ user }) }), { include: () => true });
  },
};

describe.each([11, 10] as const)("a message board of tRPC %i", (version) => {
  const open = (user?: string): Promise<Client> => clientOf(BOARDS[version](user) as ProcedureTools<never>);

  it("takes a bare text or none, an object or none, pages by dates, and refuses by the caller's context", async () => {
    const [ada, guest] = [await open("ada"), await open()];
    expect((await ada.callTool("hello")).text).toBe("hello ada");
    expect((await guest.callTool("hello", { input: "you" })).text).toBe("hello you");
    expect((await guest.callTool("hello", { name: "you" })).text).toContain('must not have a property "name", only "input"');
    const greet = (await ada.listTools()).tools.find(({ name }) => name === "greet")!;
    expect(greet.inputSchema).toEqual({ type: "object", properties: { name: { type: "string" } } });
    expect((await ada.callTool("greet")).text).toBe("hi ada");
    expect((await ada.callTool("greet", { name: "you" })).text).toBe("hi you");
    expect((await ada.callTool("greet", { name: 5 })).text).toContain("Invalid arguments: name");
    expect((await ada.callTool("message_add", { input: " fourth " })).data).toMatchObject({ id: 4, text: "fourth" });
    const first = (await ada.callTool("message_older", { take: 2 })).data as { items: Message[]; nextCursor: string };
    expect([first.items.map(({ id }) => id), first.nextCursor]).toEqual([[4, 3], "2026-01-01T12:00:00.002Z"]);
    const second = (await ada.callTool("message_older", { take: 2, cursor: first.nextCursor })).data;
    expect(second).toMatchObject({ items: [{ id: 2 }, { id: 1 }], nextCursor: null });
    expect((await guest.callTool("admin_secret")).text).toBe("UNAUTHORIZED");
    expect((await (await open("bob")).callTool("admin_secret")).text).toBe("FORBIDDEN");
    expect((await ada.callTool("admin_secret")).data).toEqual({ secret: "sauce" });
  });

  it("resumes a subscription after the last event that its reader has seen", async () => {
    const heard: unknown[] = [];
    const client = await open();
    const { data } = await client.callTool(
      "message_newer",
      { lastEventId: "1" },
      { onProgress: ({ message }) => void heard.push(message) },
    );
    expect(data).toMatchObject({ values: [{ id: 2, at: "2026-01-01T12:00:00.002Z" }, { id: 3 }] });
    expect(heard).toHaveLength(2);
  });

  it("leaves out a form as an input, and says why", () => {
    const { report } = BOARDS[version]("ada");
    expect(report.find(({ procedure }) => procedure === "message.upload")).toMatchObject({
      status: "skipped",
      why: expect.stringContaining("cannot be converted") as string,
    });
  });
});

// ---- planets ----

const Planet = z.object({ id: z.number().int().min(1), name: z.string(), image: z.file().optional() });
const Paging = z.object({ limit: z.number().int().min(1).max(100).default(10), cursor: z.number().int().min(0).default(0) });

/** The table of planets, and a middleware that tries again. */
function observatory() {
  const planets = ["Mercury", "Venus", "Earth"].map((name, at) => ({ id: at + 1, name }));
  let failures = 1;
  return {
    list: ({ limit, cursor }: z.output<typeof Paging>) => {
      if (failures-- > 0) throw new Error("The table is locked");
      return planets.slice(cursor, cursor + limit);
    },
    find: (id: number) => planets.find((planet) => planet.id === id),
    update: ({ id, name }: { id: number; name: string }) => Object.assign(planets[id - 1]!, { name }),
  };
}

const retry = async <T>(next: () => Promise<T>): Promise<T> => {
  try {
    return await next();
  } catch {
    return next();
  }
};

const ORBITS = {
  1: (user: string | undefined) => {
    const pub = os.$context<{ user?: string }>();
    const authed = pub.use(({ context, next }) => {
      if (context.user === undefined) throw new ORPCError("UNAUTHORIZED");
      return next({ context: { user: context.user } });
    });
    const { list, find, update } = observatory();
    const planet = {
      list: pub
        .use(({ next }) => retry(async () => next()))
        .route({ method: "GET", summary: "List all planets" })
        .input(Paging)
        .output(z.array(Planet))
        .handler(({ input }) => list(input)),
      update: authed
        .route({ method: "PUT" })
        .errors({ NOT_FOUND: { message: "Planet not found", data: z.object({ id: z.number() }) } })
        .input(Planet)
        .handler(async ({ input, errors, context }) => {
          if (find(input.id) === undefined) throw errors.NOT_FOUND({ data: { id: input.id } });
          return { ...update(input), by: context.user, image: await input.image?.text() };
        }),
    };
    return fromProcedures(orpc({ planet }, { context: () => ({ ...(user !== undefined && { user }) }) }), {
      include: () => true,
    });
  },
  2: (user: string | undefined) => {
    vi.doMock("@orpc/server", () => import("orpc-2"));
    onTestFinished(() => vi.doUnmock("@orpc/server"));
    const [mcp] = defineMeta("mcp", (value: boolean) => value);
    const [openapi] = defineMeta("~openapi", (value: object) => value); // the name that `openapi()` of @orpc/openapi has
    const pub = os2.$context<{ user?: string }>();
    const authed = pub.use(({ context, next }) => {
      if (context.user === undefined) throw new ORPCError2("UNAUTHORIZED");
      return next({ context: { user: context.user } });
    });
    const { list, find, update } = observatory();
    const planet = {
      list: pub
        .use(({ next }) => retry(async () => next()))
        .meta(mcp(true), openapi({ method: "GET", summary: "List all planets" }))
        .input(Paging)
        .output(z.array(Planet))
        .handler(({ input }) => list(input)),
      update: authed
        .meta(mcp(true))
        .errors({ NOT_FOUND: { message: "Planet not found", data: z.object({ id: z.number() }) } })
        .input(Planet)
        .handler(async ({ input, errors, context }) => {
          if (find(input.id) === undefined) throw errors.NOT_FOUND({ data: { id: input.id } });
          return { ...update(input), by: context.user, image: await input.image?.text() };
        }),
    };
    return fromProcedures(orpc({ planet }, { context: () => ({ ...(user !== undefined && { user }) }) }));
  },
};

describe.each([1, 2] as const)("planets of oRPC %i", (version) => {
  const open = (user?: string): Promise<Client> => clientOf(ORBITS[version](user) as ProcedureTools<never>);

  it("are listed with the router's defaults and its second try, and changed by a user, with a file", async () => {
    const ada = await open("ada");
    const [list, update] = (await ada.listTools()).tools;
    expect(list).toMatchObject({ description: "List all planets", annotations: { readOnlyHint: true } });
    expect(update!.annotations?.readOnlyHint).not.toBe(true);
    expect((await ada.callTool("planet_list", { limit: 2 })).data).toEqual({
      result: [
        { id: 1, name: "Mercury" },
        { id: 2, name: "Venus" },
      ],
    });
    expect((await ada.callTool("planet_list")).data).toMatchObject({ result: { length: 3 } });
    const image = { data: btoa("rings"), mimeType: "text/plain" };
    expect((await ada.callTool("planet_update", { id: 3, name: "Terra", image })).data).toEqual({
      ...{ id: 3, name: "Terra", by: "ada", image: "rings" },
    });
    const lost = await ada.callTool("planet_update", { id: 9, name: "Pluto" });
    expect(lost.text).toBe("Planet not found (NOT_FOUND)");
    expect(lost._meta).toMatchObject({ "dev.tenon/failure": { code: "NOT_FOUND", data: { id: 9 } } });
    expect((await ada.callTool("planet_list", { limit: 0 })).text).toMatch(/^Invalid arguments: limit: .* \(BAD_REQUEST\)$/);
    expect((await (await open()).callTool("planet_update", { id: 3, name: "Terra" })).text).toBe("Unauthorized (UNAUTHORIZED)");
  });
});

// ---- a blog ----

type Posts = Map<string, { id: string; title: string }>;

const json = (schema: object): object => ({ content: { "application/json": { schema } } });
const Title = { type: "object", properties: { title: { type: "string" } }, required: ["title"] };
const id = { name: "id", in: "path", required: true, schema: { type: "string" } };
const operation = (operationId: string, more: object = {}): object => ({
  operationId,
  "x-mcp": true,
  responses: { 200: { description: "The post" }, 204: { description: "There is none" } },
  ...more,
});
const DOCUMENT = {
  openapi: "3.1.0",
  info: { title: "Blog", version: "1" },
  paths: {
    "/posts": { get: operation("list"), post: operation("create", { requestBody: { required: true, ...json(Title) } }) },
    "/posts/{id}": {
      parameters: [id],
      get: operation("get"),
      put: operation("update", { requestBody: { required: true, ...json(Title) } }),
      delete: operation("remove"),
    },
  },
};

type BlogApp = Hono3<{ Bindings: { posts: Posts } }>;

function blog(app: BlogApp, allow: ReturnType<typeof cors3>): BlogApp {
  app.use("/posts/*", allow);
  app.get("/posts", (c) => c.json({ posts: [...c.env.posts.values()] }));
  app.post("/posts", async (c) => {
    const { title } = await c.req.json<{ title: string }>();
    if (title === "") return c.json({ error: "A post needs a title" }, 422);
    const post = { id: String(c.env.posts.size + 1), title };
    c.env.posts.set(post.id, post);
    return c.json({ post }, 201);
  });
  app.get("/posts/:id", (c) => {
    const post = c.env.posts.get(c.req.param("id"));
    return post === undefined ? c.json({ error: "Not Found" }, 404) : c.json({ post });
  });
  app.put("/posts/:id", async (c) => {
    const post = c.env.posts.get(c.req.param("id"));
    if (post === undefined) return c.body(null, 204);
    return c.json({ post: Object.assign(post, await c.req.json<object>()) });
  });
  app.delete("/posts/:id", (c) => (c.env.posts.delete(c.req.param("id")) ? c.json({ ok: true }) : c.body(null, 204)));
  return app;
}

// Version 4 has the same routes under other types.
const BLOGS = { 4: () => blog(new Hono() as never, cors() as never), 3: () => blog(new Hono3(), cors3()) };

describe.each([4, 3] as const)("a blog of Hono %i", (version) => {
  it("is written, read, changed and deleted through its bindings, and says what is wrong", async () => {
    const posts: Posts = new Map();
    const client = await clientOf(
      (await fromProcedures(hono(BLOGS[version](), { document: DOCUMENT, env: () => ({ posts }) }))) as ProcedureTools<never>,
    );
    expect((await client.callTool("create", { body: { title: "First" } })).data).toEqual({ post: { id: "1", title: "First" } });
    expect((await client.callTool("create", { body: { title: "" } })).text).toContain("A post needs a title");
    expect((await client.callTool("get", { id: "1" })).data).toEqual({ post: { id: "1", title: "First" } });
    expect(await client.callTool("get", { id: "2" })).toMatchObject({
      isError: true,
      _meta: { "dev.tenon/failure": { status: 404 } },
    });
    await client.callTool("update", { id: "1", body: { title: "Changed" } });
    expect((await client.callTool("list")).data).toEqual({ posts: [{ id: "1", title: "Changed" }] });
    expect((await client.callTool("update", { id: "7", body: { title: "None" } })).isError).not.toBe(true);
    expect((await client.callTool("remove", { id: "1" })).data).toEqual({ ok: true });
    expect(posts.size).toBe(0);
  });
});
