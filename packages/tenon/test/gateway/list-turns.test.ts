/**
 * Work on a list of 20,000 entries is done in parts, so that calls of others go on. Counted are the entries that are touched
 * between two turns of the event loop, and no time.
 */
import { expect, onTestFinished, test } from "vitest";
import type { JsonObject } from "tenon";
import type { Policy } from "tenon/gateway";
import { listingOf, type Listing } from "../../src/gateway/catalog/listing.ts";
import { Pins } from "../../src/gateway/catalog/pins.ts";
import { JoinedLists } from "../../src/gateway/catalog/joined-lists.ts";
import { UriRoutes } from "../../src/gateway/catalog/uri-routes.ts";
import { SharedLists } from "../../src/gateway/catalog/shared-lists.ts";
import { ToolIndex } from "../../src/search/tool-index.ts";
import { filterInTurns } from "../../src/base/turns.ts";
import { EMPTY_LISTS, LIST_LIMITS, readLists } from "../../src/upstream/listing.ts";
import { testServer } from "../support/test-server.ts";
import { clientOf, gatewayOf } from "./support.ts";

const COUNT = 20_000;
/** Entries that may be handled in one turn. */
const MOST = 2_000;

/** Counts the entries that are touched in each turn of the event loop. */
class Turns {
  most = 0;
  #touched = new Set<number>();
  #isOver = false;

  constructor() {
    const turn = (): void => {
      this.#note();
      if (!this.#isOver) setImmediate(turn);
    };
    setImmediate(turn);
    onTestFinished(() => this.end());
  }

  #note(): void {
    this.most = Math.max(this.most, this.#touched.size);
    this.#touched = new Set();
  }

  end(): void {
    this.#note();
    this.#isOver = true;
  }

  touch(id: number): void {
    this.#touched.add(id);
  }

  /** An entry that is counted when anything of it is read. */
  counted(entry: JsonObject, id: number): JsonObject {
    return new Proxy(entry, {
      get: (target, member) => {
        if (typeof member === "string" && member !== "toJSON") this.#touched.add(id);
        return Reflect.get(target, member) as unknown;
      },
    });
  }
}

/** A list of tools, and the same one with entries that are counted. */
async function tools(): Promise<{ turns: Turns; listing: Listing; tool: readonly JsonObject[] }> {
  const plain = Array.from({ length: COUNT }, (_, at) => ({ name: `tool${at}`, inputSchema: { type: "object" } }));
  const listing = await listingOf({ ...EMPTY_LISTS, tool: plain });
  const turns = new Turns();
  const tool = plain.map((entry, at) => turns.counted(entry, at));
  return { turns, listing: { ...listing, tool }, tool };
}

/** An entry that is counted when anything of it is read. */
function counting<Entry extends object>(turns: Turns, entry: Entry, id: number): Entry {
  return new Proxy(entry, { get: (target, member) => (turns.touch(id), Reflect.get(target, member) as unknown) });
}

const SERVER = { name: "s", prefix: "s", scheme: "s", report: (error: unknown) => expect.fail(String(error)) };

test("digests of a list, and its pins", async () => {
  const { turns, listing, tool } = await tools();
  await listingOf({ ...EMPTY_LISTS, tool });
  const pins = new Pins({});
  await pins.learn("s", listing);
  const visible = await pins.visible(listing, undefined);
  turns.end();
  expect(visible.tool).toHaveLength(10_000); // the pins of one server
  expect(turns.most).toBeGreaterThan(0);
  expect(turns.most).toBeLessThanOrEqual(MOST);
});

test("the size of a list that is read, and what a policy says of each entry", async () => {
  const { turns, tool } = await tools();
  const { lists } = await readLists(
    {
      capabilities: { tools: {} },
      limits: { maxTools: COUNT, maxListItems: LIST_LIMITS.maxListItems[0], maxDefinitionSize: Infinity },
      maxEntry: 1_000_000,
      reading: { report: undefined, isStrict: false } as never, // nothing deviates here
      failed: (_kind, error) => expect.fail(String(error)),
      request: () => Promise.resolve({ tools: tool }),
    },
    EMPTY_LISTS,
  );
  const allowed = await filterInTurns(lists.tool, ({ name }) => name !== "tool7");
  turns.end();
  expect(allowed).toHaveLength(COUNT - 1);
  expect(turns.most).toBeGreaterThan(0);
  expect(turns.most).toBeLessThanOrEqual(MOST);
});

test("the names of joined lists and their index; all who ask meanwhile get the same lists", async () => {
  const { turns, listing } = await tools();
  const shared = new SharedLists<typeof SERVER>();
  const [making, also] = [shared.of([[SERVER, listing]], [SERVER]), shared.of([[SERVER, listing]], [SERVER])];
  const [joined, same] = [await making, await also];
  expect(same).toBe(joined);
  expect(await shared.of([[SERVER, listing]], [SERVER])).toBe(joined);
  expect(joined.find("tool", "s__tool19999")?.id).toBe("tool19999");
  const index = await ToolIndex.of(joined.entries.tool);
  const found = await index.search({ queries: ["tool19999"], max: 1, synonyms: new Map() }, () => true);
  turns.end();
  expect(found.map(({ name }) => name)).toEqual(["s__tool19999"]);
  expect(turns.most).toBeGreaterThan(0);
  expect(turns.most).toBeLessThanOrEqual(MOST);
});

test("the URIs and templates that the first URI of a request is compared with", async () => {
  const resource = Array.from({ length: COUNT }, (_, at) => ({ uri: `NOTE://${at}`, name: "note" }));
  const template = Array.from({ length: COUNT }, (_, at) => ({ uriTemplate: `page://${at}/{id}`, name: "page" }));
  const listing = await listingOf({ ...EMPTY_LISTS, resource, template });
  const lists = await new SharedLists<typeof SERVER>().of([[SERVER, listing]], [SERVER]);
  const turns = new Turns();
  for (const [at, entry] of lists.entries.resource.entries()) lists.entries.resource[at] = counting(turns, entry, at);
  for (const [at, entry] of lists.entries.template.entries()) lists.entries.template[at] = counting(turns, entry, at);
  expect(lists.uris.route("note://19999")?.id).toBe("NOTE://19999");
  expect(lists.uris.route("page://19999/a")?.id).toBe("page://19999/a");
  expect(lists.uris.route("none://a")?.server).toBe(SERVER); // the only one with resources
  turns.end();
  expect(turns.most).toBeLessThanOrEqual(MOST);
});

test.each([COUNT, 150])("%d URI templates are compiled a hundred a turn, before the first URI comes", async (count) => {
  const turns = new Turns();
  const template = Array.from({ length: count }, (_, at) => {
    const name = `page://${at}/{id}`;
    const item = { uriTemplate: name, name: "page" };
    return counting(turns, { kind: "template" as const, server: SERVER, id: name, name, item }, at);
  });
  const servers = { all: [SERVER], withResources: [SERVER], own: { isTool: () => false, isUri: () => false } };
  const routes = new UriRoutes<typeof SERVER>({ entries: { resource: [], template }, find: () => undefined }, servers);
  await routes.prepare();
  turns.end();
  expect([turns.most, routes.known(`page://${count - 1}/a`)?.server]).toEqual([100, SERVER]);
});

test("150 URI templates are named and compiled in several turns", async () => {
  const template = Array.from({ length: 150 }, (_, at) => ({ uriTemplate: `page://${at}/{id}`, name: "page" }));
  const listing = await listingOf({ ...EMPTY_LISTS, template });
  expect(JoinedLists.of([[SERVER, listing]], [SERVER])).toBeInstanceOf(Promise);
});

test("what a policy says before a server is part of a description, and the names that were changed to fit", async () => {
  const server = testServer({ name: "s", instructions: "The words of s" });
  for (let at = 0; at < 5_000; at++) server.tool(at === 4_999 ? "the.last.one" : `tool${at}`, {}, () => `${at}`);
  const turns = new Turns();
  let [asked, counts] = [0, false];
  const policy: Policy = ({ name }) => {
    if (counts) turns.touch(asked++);
    return name === "the.last.one";
  };
  const gateway = gatewayOf({ servers: { s: server }, policy, limits: { maxTools: 5_000 }, readyTimeout: 60_000 });
  const first = await clientOf(gateway);
  expect((await first.listTools()).tools).toHaveLength(1);
  counts = true;
  const { instructions } = await clientOf(gateway);
  turns.end();
  expect(instructions).toBe("# s\nThe words of s");
  expect(asked).toBeGreaterThanOrEqual(5_000);
  expect(turns.most).toBeLessThanOrEqual(MOST);
  const [{ name } = { name: "" }] = (await first.listTools()).tools;
  expect(name).toMatch(/^s__the_last_one_\w{7}$/);
  expect((await first.callTool(name)).text).toBe("4999");
});
