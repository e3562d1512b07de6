import { describe, expect, test } from "vitest";
import { RoundEnd } from "./round-end.ts";

/** How a round ends: by what comes first, and a handler that has ended ends every later round. */
describe("the end of a round", () => {
  const pending = (): Promise<never> => new Promise(() => undefined);

  test("is the handler's result, now and for every later round", async () => {
    const end = new RoundEnd<string>(Promise.resolve({ n: 1 }));
    const first = end.next();
    expect(end.ended).toBe(false);
    expect(await first).toEqual({ result: { n: 1 } });
    expect(end.ended).toBe(true);
    expect(await end.next()).toEqual({ result: { n: 1 } });
  });

  test("is the handler's error, now and for every later round", async () => {
    const end = new RoundEnd<string>(Promise.reject(new Error("no")));
    await expect(end.next()).rejects.toThrow("no");
    expect(end.ended).toBe(true);
    await expect(end.next()).rejects.toThrow("no");
  });

  test("is what comes first: questions, the response of another round, or an error", async () => {
    const end = new RoundEnd<string>(pending());
    const asked = end.next();
    end.ask("questions");
    end.respond({ n: 1 });
    end.fail(new Error("late"));
    expect(await asked).toEqual({ asked: "questions" });
    const responded = end.next();
    end.respond({ n: 2 });
    end.ask("more");
    expect(await responded).toEqual({ response: { n: 2 } });
    const failed = end.next();
    end.fail(new Error("first"));
    end.respond({ n: 3 });
    await expect(failed).rejects.toThrow("first");
    expect(end.ended).toBe(false);
  });

  test("the handler's outcome counts for the round that is under way, not for one that has ended", async () => {
    let finish!: (result: { n: number }) => void;
    const end = new RoundEnd<string>(new Promise((resolve) => (finish = resolve)));
    const asked = end.next();
    end.ask("questions");
    const second = end.next();
    finish({ n: 1 });
    expect(await asked).toEqual({ asked: "questions" });
    expect(await second).toEqual({ result: { n: 1 } });
  });
});
