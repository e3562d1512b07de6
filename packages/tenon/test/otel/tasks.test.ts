/** Metrics of tasks: those that run, how they end, and how long they take. */
import { expect, it, test } from "vitest";
import { connect } from "tenon";
import { tasks } from "tenon/ext/tasks";
import { taskMetrics } from "tenon/otel";
import { VirtualClock } from "tenon/testing";
import { begin, declaring, describeForms, idOf, taskServer } from "../extensions/tasks/support.ts";
import { metering, type Metering } from "./metering.ts";
import { gate } from "../support/gate.ts";

const ended = async (meter: Metering): Promise<object> =>
  Object.fromEntries(
    (await meter.points("tenon.server.task.duration")).map(({ attributes, value }) => [
      `${String(attributes["gen_ai.tool.name"])} ${String(attributes["tenon.task.status"])}`,
      value,
    ]),
  );
const running = async (meter: Metering): Promise<number> =>
  (await meter.points("tenon.server.tasks.running")).reduce((sum, { value }) => sum + value, 0);

describeForms("Metrics of tasks", ({ connect: open }) => {
  it("count those that run, and measure each when it ends, however it ends", async () => {
    const meter = metering();
    const { server } = taskServer({ onRun: taskMetrics({ meterProvider: meter.provider }) });
    const door = gate();
    server.tool("build", { task: true }, async () => (await door.opened, "built"));
    server.tool("break", { task: true }, async () => {
      await door.opened;
      throw new Error("broken");
    });
    server.tool(
      "wait",
      { task: true },
      (_input, { signal }) => new Promise((_, reject) => signal.addEventListener("abort", reject)),
    );
    const client = await open(server, declaring());
    const [, , waiting] = [await begin(client, "build"), await begin(client, "break"), await begin(client, "wait")];
    expect(await running(meter)).toBe(3);
    expect(await ended(meter)).toEqual({});
    door.open();
    await client.request("tasks/cancel", { taskId: idOf(waiting) });
    await expect.poll(() => running(meter)).toBe(0);
    expect(await ended(meter)).toEqual({ "build completed": 1, "break failed": 1, "wait cancelled": 1 });
  });
});

test("the time of a task is that since its start, and one that expires is left", async () => {
  const meter = metering();
  const clock = new VirtualClock();
  const { server } = taskServer({ onRun: taskMetrics({ meterProvider: meter.provider }), ttl: 90_000 }, { clock });
  server.tool(
    "wait",
    { task: true },
    (_input, { signal }) => new Promise((_, reject) => signal.addEventListener("abort", reject)),
  );
  const client = await connect(server, { ...declaring(), revision: "2026-07-28", clock });
  await begin(client, "wait");
  await clock.advance(90_000);
  await expect.poll(() => ended(meter)).toEqual({ "wait left": 1 });
  expect((await meter.points("tenon.server.task.duration"))[0]?.sum).toBe(90);
  await client.close();
  await server.close();
});

test("a listener hears of the beginning and of the end of a run, by the name of the tool", async () => {
  const events: unknown[] = [];
  const { server } = taskServer({ onRun: ({ tool, status }) => void events.push([tool, status]) });
  server.tool("build", { task: true }, () => "built");
  const client = await connect(server, { extensions: [tasks()] });
  expect((await client.callTool("build")).text).toBe("built");
  await expect
    .poll(() => events)
    .toEqual([
      ["build", "working"],
      ["build", "completed"],
    ]);
  await client.close();
  await server.close();
});

test("a listener that throws is reported, and the task goes on", async () => {
  const errors: string[] = [];
  const broken = (): never => {
    throw new Error("no meter");
  };
  const { server } = taskServer({ onRun: broken }, { onError: (error) => void errors.push(String(error)) });
  server.tool("build", { task: true }, () => "built");
  const client = await connect(server, { extensions: [tasks()] });
  expect((await client.callTool("build")).text).toBe("built");
  expect(errors.filter((error) => error.includes("no meter")).length).toBe(2);
  await client.close();
  await server.close();
});
