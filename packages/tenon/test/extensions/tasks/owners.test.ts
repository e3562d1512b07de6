/** Whose a task is: for everybody else it does not exist, whatever they ask and however they know its id. */
import { expect, it } from "vitest";
import { type Client, type ConnectOptions, type JsonObject } from "tenon";
import { failureOf } from "../../support/failure-of.ts";
import { describeMatrix } from "../../support/matrix.ts";
import { begin, declaring, describeForms, form, get, idOf, reached, taskServer, type TaskServer } from "./support.ts";
import { gate } from "../../support/gate.ts";

/** A server that takes the word of its client for who it is, as a real one takes that of a token. */
function trusting(): TaskServer {
  const made = taskServer();
  made.server.use((next) => (context) => {
    const user = context.meta["user"];
    if (typeof user === "string") context.principal = user;
    return next(context);
  });
  const { opened } = gate();
  made.server.tool("job", { task: true }, async (_input, ctx) => {
    await ctx.elicit("a", { message: "A?", schema: form("x", "string") });
    await opened;
  });
  return made;
}

/** A client of that user. */
const being = (user: string, options: ConnectOptions = {}): ConnectOptions => ({
  ...declaring({ onElicit: () => ({ action: "decline" }), ...options }),
  middleware: [
    (next) => (request) =>
      next({ ...request, params: { ...request.params, _meta: { ...(request.params["_meta"] as object), user } } }),
  ],
});

describeForms("Owners", ({ connect, stateless }) => {
  it("a stranger gets exactly the response for a task that never existed, and changes nothing [rule R4 O14 N10]", async () => {
    const { server } = trusting();
    const owner = await connect(server, being("ada"));
    const stranger = await connect(server, being("eve"));
    const taskId = idOf(await begin(owner, "job"));
    const before = await reached(owner, taskId, "input_required");
    const ask = async (client: Client, id: string): Promise<unknown[]> => {
      const methods = stateless ? ["tasks/get", "tasks/update", "tasks/cancel"] : ["tasks/get", "tasks/result", "tasks/cancel"];
      const params = { taskId: id, inputResponses: { a: { action: "cancel" } } };
      const failures = await Promise.all(methods.map((method) => failureOf(client.request(method, params))));
      return failures.map((failure) => JSON.stringify(failure.toErrorData()).replaceAll(id, "ID"));
    };
    expect(await ask(stranger, taskId)).toEqual(await ask(owner, "0".repeat(22)));
    expect(await get(owner, taskId)).toEqual(before);
  });

  it("the owner finds it from another connection [rule R4 N10 O11]", async () => {
    const { server } = trusting();
    const taskId = idOf(await begin(await connect(server, being("ada")), "job"));
    expect(await get(await connect(server, being("ada")), taskId)).toMatchObject({ taskId });
  });

  it("a principal named like a session, or with an empty name, is another owner [rule R4]", async () => {
    const { server } = trusting();
    const anonymous = await connect(server, declaring({ onElicit: () => ({ action: "decline" }) }));
    const taskId = idOf(await begin(anonymous, "job"));
    for (const user of ["", "session ", "principal ", "__proto__"]) {
      expect((await failureOf(get(await connect(server, being(user)), taskId))).code).toBe(-32602);
    }
    expect(await get(anonymous, taskId)).toMatchObject({ taskId });
  });
});

describeMatrix(
  "Owners of lists",
  ({ connect }) => {
    it("a list never holds another owner's tasks, with any cursor [rule R4 N6 N10]", async () => {
      const { server } = trusting();
      const [ada, eve] = [await connect(server, being("ada")), await connect(server, being("eve"))];
      const ids: string[] = [];
      for (let count = 0; count < 51; count++) ids.push(idOf(await begin(ada, "job")));
      const own = idOf(await begin(eve, "job"));
      const { nextCursor } = await ada.request("tasks/list");
      expect((await ada.request("tasks/list", { cursor: nextCursor! })).tasks).toHaveLength(1);
      const stolen = await eve.request("tasks/list", { cursor: nextCursor! });
      expect(stolen.tasks.filter(({ taskId }) => taskId !== own)).toEqual([]);
      expect((await eve.request("tasks/list")).tasks.map(({ taskId }) => taskId)).toEqual([own]);
    });
  },
  ["2025-11-25"],
);

describeMatrix(
  "Owners of streams",
  ({ connect }) => {
    it("a stream watches the caller's tasks, and does not say that there are others [rule R4 O11 O14]", async () => {
      const { server } = trusting();
      const heard: Record<string, JsonObject[]> = { ada: [], eve: [] };
      const clients = await Promise.all(
        ["ada", "eve"].map((user) =>
          connect(server, being(user, { onMessage: ({ method, params }) => void heard[user]!.push({ method, ...params }) })),
        ),
      );
      const [ada, eve] = clients as [Client, Client];
      const taskId = idOf(await begin(ada, "job"));
      for (const client of [ada, eve]) {
        client
          .request("subscriptions/listen", { notifications: { taskIds: [taskId, "none"] } }, { timeout: Infinity })
          .catch(() => undefined);
      }
      await expect.poll(() => heard["ada"]!.map(({ method }) => method)).toContain("notifications/tasks");
      expect(heard["ada"]![0]).toMatchObject({ notifications: { taskIds: [taskId] } });
      await expect.poll(() => heard["eve"]).toHaveLength(1);
      expect(heard["eve"]![0]).toMatchObject({
        method: "notifications/subscriptions/acknowledged",
        notifications: { taskIds: [] },
      });
      await ada.request("tasks/cancel", { taskId });
      await expect.poll(() => heard["ada"]!.at(-1)).toMatchObject({ method: "notifications/tasks", taskId, status: "cancelled" });
      expect(heard["eve"]).toHaveLength(1);
    });
  },
  ["2026-07-28"],
);
