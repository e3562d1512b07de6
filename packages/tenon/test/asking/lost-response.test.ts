/**
 * A client whose response was lost sends its round again, to any process that shares the store: the same response, and never a
 * second effect.
 */
import { describe, expect, it } from "vitest";
import type { InputRequiredResult, RequestContext } from "tenon";
import { MemoryStateStore } from "tenon/server";
import { answer, ask, charging, FORM, node, yes, type Handler } from "./processes.ts";
import { gate } from "../support/gate.ts";

const USED = /^This requestState was used/;

describe("A state that is sent again to another process", () => {
  it("is refused by the name of the reason if another request still continues the call", async () => {
    const { opened, open: goOn } = gate();
    const { opened: running, open: began } = gate();
    const pay: Handler = async (ctx) => {
      await ctx.elicit("ok", { message: "Pay?", schema: FORM });
      began();
      await ctx.step("charge", () => opened);
      return "paid";
    };
    const store = new MemoryStateStore();
    const [a, b] = [await node({ pay }, { store, maxSuspended: 0 }), await node({ pay }, { store, maxSuspended: 0 })];
    const call = { name: "pay", requestState: await ask(a, "pay"), inputResponses: yes };
    const first = a.client.request("tools/call", call);
    await running;
    for (let turn = 0; turn < 50; turn++) await Promise.resolve(); // the claim is made
    await expect(b.client.request("tools/call", call)).rejects.toMatchObject({ code: -32602, data: { reason: "stateUsed" } });
    goOn();
    const response = await first;
    expect(await b.client.request("tools/call", call)).toEqual(response);
  });

  it("gives a client whose response was lost the same at another process on its store, also if the handler waits", async () => {
    const done: string[] = [];
    const store = new MemoryStateStore();
    const book: Handler = async (ctx) => {
      await ctx.elicit("ok", { message: "Hold?", schema: FORM });
      await ctx.step("hold", () => void done.push("hold"));
      await ctx.elicit("pay", { message: "Pay?", schema: FORM });
      await ctx.step("charge", () => void done.push("charge"));
      return `paid ${done.length}`;
    };
    const [a, b] = [await node({ book }, { store }), await node({ book }, { store })];
    const first = { name: "book", requestState: await ask(a, "book"), inputResponses: yes };
    const asked = await b.client.request("tools/call", first);
    expect(await a.client.request("tools/call", first)).toEqual(asked); // its handler waited for the answer
    const second = { ...first, requestState: (asked as InputRequiredResult).requestState!, inputResponses: { pay: yes["ok"]! } };
    const paid = await a.client.request("tools/call", second);
    expect(paid).toMatchObject({ content: [{ text: "paid 2" }] });
    expect(await b.client.request("tools/call", second)).toEqual(paid);
    expect(done).toEqual(["hold", "charge"]);
    expect(await answer(b, "book", second.requestState, { pay: { action: "decline" } })).toMatch(USED);
  });

  it("has its response in the store for a minute, sealed, at most 64 Ki characters; else it is refused", async () => {
    const lives: number[] = [];
    const texts: string[] = [];
    const memory = new MemoryStateStore();
    const store = {
      claim: memory.claim.bind(memory),
      get: memory.get.bind(memory),
      put: (key: string, value: string, ms: number, owner?: string) => {
        lives.push(ms);
        texts.push(value);
        memory.put(key, value, ms, owner);
      },
    };
    const charges: string[] = [];
    const tools = {
      pay: charging(charges),
      long: async (ctx: RequestContext) => {
        await ctx.elicit("ok", { message: "Pay?", schema: FORM });
        return ctx.step("print", () => "x".repeat(2 ** 16));
      },
    };
    const [a, b] = [await node(tools, { store, maxSuspended: 0 }), await node(tools, { store, maxSuspended: 0 })];
    const state = await ask(a, "pay");
    expect(await answer(a, "pay", state)).toBe("paid");
    expect(lives).toEqual([60_000]);
    expect(texts.join()).not.toContain("paid");
    const long = await ask(a, "long");
    expect(await answer(a, "long", long)).toHaveLength(2 ** 16);
    expect(await answer(b, "long", long)).toMatch(USED);
    expect(texts).toHaveLength(1);
  });

  it.each(["put", "get"] as const)("has one effect and one response if the store fails to %s it", async (name) => {
    const charges: string[] = [];
    const store = Object.assign(new MemoryStateStore(), { [name]: () => Promise.reject(new Error("store down")) });
    const [a, b] = [
      await node({ pay: charging(charges) }, { store, maxSuspended: 0 }),
      await node({ pay: charging(charges) }, { store, maxSuspended: 0 }),
    ];
    const state = await ask(a, "pay");
    expect(await answer(a, "pay", state)).toBe("paid");
    expect(await answer(b, "pay", state)).toMatch(USED);
    expect(charges).toEqual(["charge"]);
    const told = name === "put" ? a.told : b.told;
    expect(told.map((error) => String((error as Error).cause))).toContainEqual(expect.stringContaining("store down"));
  });
});
