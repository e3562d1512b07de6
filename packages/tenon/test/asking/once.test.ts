/** What happens once in a call happens once: however often, wherever and whenever its client sends the same state. */
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { InputRequiredResult, InputResponses } from "tenon";
import { tasks } from "tenon/ext/tasks";
import { inputRequired, MemoryStateStore } from "tenon/server";
import { open } from "../support/matrix.ts";
import { answer, ask, charging, FORM, node, yes, type Handler } from "./processes.ts";
import { describeAsking } from "./ways.ts";
import { gate } from "../support/gate.ts";
import { testServer } from "../support/test-server.ts";

const TEXT = { type: "object", properties: { text: { type: "string" } } } as const;
const USED = /^This requestState was used/;

describe("A state that is sent again", () => {
  it.each([0, 100])(
    "runs later steps once, whether it comes ten times at once or one by one [maxSuspended %i]",
    async (maxSuspended) => {
      for (const once of [false, true]) {
        const charges: string[] = [];
        const one = await node({ pay: charging(charges, once) }, { maxSuspended });
        const state = await ask(one, "pay");
        const texts = await Promise.all(Array.from({ length: 10 }, () => answer(one, "pay", state)));
        expect(charges).toEqual(["charge"]);
        expect(texts).toContain("paid");
        for (let again = 0; again < 3; again++) await answer(one, "pay", state);
        expect(charges).toEqual(["charge"]);
      }
    },
  );

  it("is claimed by one of several nodes that share a store, and the others say what to do", async () => {
    const charges: string[] = [];
    const store = new MemoryStateStore();
    const nodes = await Promise.all([1, 2, 3].map(() => node({ pay: charging(charges) }, { store, maxSuspended: 0 })));
    const state = await ask(nodes[0]!, "pay");
    const texts = await Promise.all(nodes.map((each) => answer(each, "pay", state)));
    expect(charges).toEqual(["charge"]);
    // One that comes when the first has ended gets its response.
    expect(texts).toContain("paid");
    for (const text of texts) if (text !== "paid") expect(text).toMatch(/^This requestState was used.*without requestState$/);
    for (const each of nodes) expect(await answer(each, "pay", state)).toBe("paid");
    expect(charges).toEqual(["charge"]);
  });

  it("gives a client whose response was lost the same result, or the same question, from the process that has it", async () => {
    const done: string[] = [];
    const one = await node({
      book: async (ctx) => {
        await ctx.elicit("ok", { message: "Hold?", schema: FORM });
        await ctx.step("hold", () => void done.push("hold"));
        await ctx.elicit("pay", { message: "Pay?", schema: FORM });
        await ctx.step("charge", () => void done.push("charge"));
        return `paid ${done.length}`;
      },
    });
    const first = { name: "book", requestState: await ask(one, "book"), inputResponses: yes };
    const asked = await one.client.request("tools/call", first);
    expect(await one.client.request("tools/call", first)).toEqual(asked);
    const second = { ...first, requestState: (asked as InputRequiredResult).requestState!, inputResponses: { pay: yes["ok"]! } };
    const paid = await one.client.request("tools/call", second);
    expect(await one.client.request("tools/call", second)).toEqual(paid);
    expect(done).toEqual(["hold", "charge"]);
    // With other answers it is another request, and too late.
    expect(await answer(one, "book", second.requestState, { pay: { action: "decline" } })).toMatch(USED);
  });

  it("cannot be led around a step by another way through the questions", async () => {
    const charges: string[] = [];
    const one = await node(
      {
        pay: async (ctx) => {
          const first = await ctx.elicit("ok", { message: "Pay?", schema: FORM });
          if (first.action !== "accept") await ctx.elicit("sure", { message: "Sure?", schema: FORM });
          await ctx.step("charge", () => void charges.push("charge"));
          return "paid";
        },
      },
      { maxSuspended: 0 },
    );
    const state = await ask(one, "pay");
    const declined = { name: "pay", requestState: state, inputResponses: { ok: { action: "decline" } } as InputResponses };
    const detour = (await one.client.request("tools/call", declined)) as InputRequiredResult; // it asks
    expect(await answer(one, "pay", state)).toBe("paid");
    expect(await answer(one, "pay", detour.requestState!, { sure: { action: "accept", content: {} } })).toMatch(USED);
    expect(charges).toEqual(["charge"]);
  });

  it("is refused to a handler that catches what its step throws", async () => {
    const charges: string[] = [];
    const one = await node(
      {
        pay: async (ctx) => {
          await ctx.elicit("ok", { message: "Pay?", schema: FORM });
          return ctx.step("charge", () => `charged ${charges.push("charge")}`).catch(() => "paid by other means");
        },
      },
      { maxSuspended: 0, store: new MemoryStateStore() },
    );
    const state = await ask(one, "pay");
    expect(await answer(one, "pay", state)).toBe("charged 1");
    expect(await answer(one, "pay", state, { ok: { action: "decline" } })).toMatch(USED);
  });

  it("may be sent again any number of times if no new step runs", async () => {
    let held = 0;
    const one = await node(
      {
        look: async (ctx) => {
          const hold = await ctx.step("hold", () => ++held);
          return `${(await ctx.elicit("ok", { message: "?", schema: FORM })).action} ${hold}`;
        },
      },
      { maxSuspended: 0 },
    );
    const state = await ask(one, "look");
    expect([await answer(one, "look", state), await answer(one, "look", state)]).toEqual(["accept 1", "accept 1"]);
  });
});

describe("A mark of use", () => {
  it.each([true, false])("outlives a store that its clients have filled [once: %s]", async (once) => {
    const charges: string[] = [];
    const one = await node(
      {
        pay: charging(charges, once),
        form: async (ctx) => {
          await ctx.elicit("one", { message: "?", schema: TEXT });
          await ctx.elicit("two", { message: "?", schema: TEXT });
          return "filled";
        },
      },
      { maxSuspended: 0 },
    );
    const state = await ask(one, "pay");
    expect(await answer(one, "pay", state)).toBe("paid");
    const texts: string[] = [];
    for (let form = 0; form < 24; form++) {
      const large: InputResponses = { one: { action: "accept", content: { text: "x".repeat(780_000) } } };
      texts.push(await answer(one, "form", await ask(one, "form"), large));
    }
    // What is new is refused by the limit's name once the share of this caller is used up.
    expect(texts[0]).toBe("asks");
    expect(texts.at(-1)).toContain("MemoryStateStore.maxSize");
    await answer(one, "pay", state);
    expect(charges).toEqual(["charge"]);
  });

  it("is not forgotten for another; when there is no room the new step is refused, and its state stays good", async () => {
    const charges: string[] = [];
    const store = new MemoryStateStore({ maxClaims: 4 });
    const one = await node({ pay: charging(charges) }, { maxSuspended: 0, store });
    one.caller.principal = "eve";
    const states = [await ask(one, "pay"), await ask(one, "pay"), await ask(one, "pay")];
    for (const state of states.slice(0, 2)) expect(await answer(one, "pay", state)).toBe("paid");
    expect(await answer(one, "pay", states[2]!)).toContain("MemoryStateStore.maxClaims");
    expect(charges).toHaveLength(2);
    // One caller has half of the room; there is some for another.
    one.caller.principal = "ada";
    expect(await answer(one, "pay", await ask(one, "pay"))).toBe("paid");
    expect(charges).toHaveLength(3);
  });

  it("fails if the store does not respond: nothing has run", async () => {
    const charges: string[] = [];
    const store = Object.assign(new MemoryStateStore(), { claim: () => Promise.reject(new Error("store down")) });
    const one = await node({ pay: charging(charges) }, { maxSuspended: 0, store });
    expect(await answer(one, "pay", await ask(one, "pay"))).toMatch(/^Tool "pay" failed/);
    expect(charges).toEqual([]);
    expect(one.told.map(String)).toContainEqual(expect.stringContaining("store down"));
  });
});

describe("A step that starts when its round has ended", () => {
  it("waits until the client is back, and runs on the node that has the answers", async () => {
    const ran: string[] = [];
    const { opened, open: goOn } = gate();
    const handler =
      (where: string): Handler =>
      async (ctx) => {
        const late = opened.then(() => ctx.step("pay", () => void ran.push(where)));
        await Promise.all([ctx.elicit("ok", { message: "?", schema: FORM }), late]);
        return `paid by ${where}`;
      };
    const [a, b] = [await node({ pay: handler("a") }), await node({ pay: handler("b") })];
    const state = await ask(a, "pay");
    goOn();
    for (let turn = 0; turn < 50; turn++) await Promise.resolve();
    expect(ran).toEqual([]);
    expect(await answer(b, "pay", state)).toBe("paid by b");
    expect(ran).toEqual(["b"]);
  });

  it("runs on the node that continues the handler, and is recorded for the next round", async () => {
    const ran: string[] = [];
    const { opened, open: goOn } = gate();
    const one = await node({
      pay: async (ctx) => {
        const late = opened.then(() => ctx.step("pay", () => ran.push("pay")));
        await ctx.elicit("ok", { message: "?", schema: FORM });
        const paid = await late;
        await ctx.elicit("sure", { message: "?", schema: FORM });
        return `paid ${paid}`;
      },
    });
    const state = await ask(one, "pay");
    goOn();
    for (let turn = 0; turn < 50; turn++) await Promise.resolve();
    expect(ran).toEqual([]);
    const asked = await one.client.request("tools/call", { name: "pay", requestState: state, inputResponses: yes });
    const next = (asked as InputRequiredResult).requestState!; // it asks again
    for (let again = 0; again < 2; again++) expect(await answer(one, "pay", next, { sure: yes["ok"]! })).toBe("paid 1");
    expect(ran).toEqual(["pay"]);
  });
});

describe("States between two claims", () => {
  afterEach(() => void vi.useRealTimers());

  it("end together, so that no detour outlives the claim of the step", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const charges: string[] = [];
    const one = await node({ pay: charging(charges) }, { maxSuspended: 0, ttl: 1_000, store: new MemoryStateStore() });
    const first = await ask(one, "pay");
    expect(await answer(one, "pay", first)).toBe("paid");
    // The client answers nothing, is asked again, and so gets newer and newer states of a call that has paid.
    let state = first;
    const texts: string[] = [];
    for (let second = 0; second < 8; second++) {
      const again = { name: "pay", requestState: state, inputResponses: {} };
      const result = await one.client.request("tools/call", again).catch((error: Error) => error.message);
      texts.push(typeof result === "string" ? result : "asks");
      if (typeof result !== "string") state = (result as InputRequiredResult).requestState!; // it asks
      vi.setSystemTime(Date.now() + 900);
      // Other answers than the first time, whose response would be sent again.
      const text = await answer(one, "pay", state, { ok: { action: "decline" } });
      expect(text).toMatch(/^(This requestState was used|Invalid or expired)/);
    }
    expect([texts[0], texts.at(-1)]).toEqual(["asks", "Invalid or expired requestState"]);
    expect(charges).toEqual(["charge"]);
  });

  it("of a call that asks for too long are refused, and the client gets an error", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const one = await node(
      {
        talk: async (ctx) => {
          for (let round = 0; ; round++) {
            await ctx.elicit(`q${round}`, { message: "?", schema: FORM });
            if (round === 5) vi.setSystemTime(Date.now() + 6_000);
          }
        },
      },
      { ttl: 1_000, maxSuspended: 0 },
    );
    let state = await ask(one, "talk");
    for (let round = 0; round < 5; round++) {
      const asked = { name: "talk", requestState: state, inputResponses: { [`q${round}`]: yes["ok"]! } };
      state = ((await one.client.request("tools/call", asked)) as InputRequiredResult).requestState!; // it asks
    }
    expect(await answer(one, "talk", state, { q5: yes["ok"]! })).toBe(
      'The call has asked questions for more than 6000 ms without a new step, which is six times "requestState.ttl": ' +
        "call again without requestState",
    );
  });
});

describeAsking("The key of a step", ({ connect }) => {
  it.each([0, 100])(
    "is the same in every run, another one for each step and each call, and is fit for headers [maxSuspended %i]",
    async (maxSuspended) => {
      const keys: string[] = [];
      const server = testServer({ requestState: { maxSuspended }, onError: () => undefined });
      server.tool("t", {}, async (_input, ctx) => {
        // A step that throws runs again, where the handler does.
        await ctx
          .step("fails \u00e9\ud800", ({ key }) => Promise.reject(new Error(String(keys.push(key)))))
          .catch(() => undefined);
        await ctx.confirm("ok", "ok?");
        await ctx.step("pay", ({ key }) => void keys.push(key));
        return "done";
      });
      const client = await connect(server, { onElicit: () => ({ action: "accept", content: {} }) });
      for (let call = 0; call < 2; call++) expect((await client.callTool("t")).text).toBe("done");
      expect(new Set(keys).size).toBe(4);
      for (const key of keys) expect(key).toMatch(/^[\da-f]{8}-[\da-f-]{27}-(pay|fails~0020~00e9~d800)$/);
      expect(new Set(keys.map((key) => key.slice(0, 36))).size).toBe(2);
    },
  );

  it("and the step itself belong to the call, also if the handler asks by hand and runs again for the answers", async () => {
    const keys: string[] = [];
    const server = testServer();
    server.tool("t", {}, async (_input, ctx) => {
      await ctx.step("hold", ({ key }) => void keys.push(key));
      const params = { mode: "form", message: "?", requestedSchema: { type: "object", properties: {} } } as const;
      if (ctx.inputResponses["ok"] === undefined)
        return inputRequired({ requestState: "asked", inputRequests: { ok: { method: "elicitation/create", params } } });
      await ctx.step("pay", ({ key }) => void keys.push(key));
      return "done";
    });
    const client = await connect(server, { onElicit: () => ({ action: "accept", content: {} }) });
    expect((await client.callTool("t")).text).toBe("done");
    expect(keys.map((key) => key.slice(37))).toEqual(["hold", "pay"]);
    expect(new Set(keys.map((key) => key.slice(0, 36))).size).toBe(1);
  });
});

describe("A task that begins after an answer", () => {
  it("begins once for all requests with the same state, and its steps have the keys of the call", async () => {
    const keys: string[] = [];
    const server = testServer({ requestState: { maxSuspended: 0 }, extensions: [tasks()], onError: () => undefined });
    server.tool("t", { task: { start: "handler" } }, async (_input, ctx) => {
      await ctx.step("hold", ({ key }) => void keys.push(key));
      await ctx.elicit("ok", { message: "?", schema: FORM });
      await ctx.task!.start();
      await ctx.step("pay", ({ key }) => void keys.push(key));
      return "done";
    });
    const client = await open("direct", server, {
      revision: "2026-07-28",
      extensions: [tasks()],
      onElicit: () => ({ action: "accept", content: {} }),
      limits: { maxRounds: 0 },
    });
    onTestFinished(() => client.close());
    const asked = (await client.request("tools/call", { name: "t" })) as InputRequiredResult; // it asks
    const call = { name: "t", requestState: asked.requestState!, inputResponses: yes };
    // The client waits for the task.
    const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => client.request("tools/call", call)));
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toMatchObject([{ value: { content: [{ text: "done" }] } }]);
    expect(await client.request("tools/call", call)).toMatchObject({ content: [{ text: "done" }] });
    expect(keys.map((key) => key.slice(37))).toEqual(["hold", "pay"]);
    expect(new Set(keys.map((key) => key.slice(0, 36))).size).toBe(1);
  });
});
