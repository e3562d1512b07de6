// One real client at one server, in a process of its own: the driver of the client opens a connection, and is asked what every
// client is asked. Tells the parent what came back, step by step.
import { pathToFileURL } from "node:url";

/** The calls, by what they show. */
const CALLS = {
  text: ["add", { a: 2, b: 3 }],
  picture: ["picture", {}],
  structured: ["report", {}],
  nested: ["takes_nested", { value: { inner: { name: "x" } } }],
  union: ["takes_union", { value: 7 }],
  optional: ["takes_optional", {}],
  "failed tool": ["fails", {}],
  "wrong arguments": ["add", { a: "two" }],
  "unknown tool": ["no_such_tool", {}],
};

/** What came of a question, as a value without what differs from run to run. */
async function tried(ask) {
  const outcome = await Promise.resolve()
    .then(ask)
    .catch((error) => ({ thrown: String(error?.message ?? error) }));
  return outcome === undefined ? "nothing" : JSON.parse(JSON.stringify(outcome));
}

async function observe({ driver, target }) {
  const { open } = await import(pathToFileURL(driver).href);
  let client;
  try {
    client = await open(target);
  } catch (error) {
    return void process.send({ connect: { thrown: String(error?.message ?? error) } });
  }
  process.send({ connect: "connected" });
  process.send({ list: await tried(async () => (await client.list()).sort()) });
  const calls = {};
  for (const [what, [name, args]] of Object.entries(CALLS)) {
    calls[what] = await tried(() => client.call(name, args));
    process.send({ calls });
  }
  await client.close();
  process.send({ closed: true });
}

process.once("message", (task) => {
  observe(task)
    .catch((error) => process.send({ fault: String(error.stack ?? error) }))
    .finally(() => process.disconnect());
});
