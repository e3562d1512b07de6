// The example of the Python document for `RequestResponder`: requests that are taken in one place and answered in another.
// From the folder of the project: node --import jiti/register examples/from-python/request-responder.ts
import { createMemoryPair } from "tenon";
import { BaseSession, RequestResponder } from "tenon/compat/python";

const [here, there] = createMemoryPair();
const asking = await new BaseSession(here).connect();
const answering = await new BaseSession(there).connect();

const answers = Promise.all([
  asking.request("double", { n: 21 }),
  asking
    .request("halve", { n: 1 })
    .catch((error: unknown) => ({ error: String(error) })),
]);
let left = 2;
for await (const message of answering.incoming) {
  if (!(message instanceof RequestResponder)) continue;
  using responder = message.enter();
  const { method, params } = responder.request;
  if (method === "double")
    await responder.respond({ n: Number(params["n"]) * 2 });
  else
    await responder.respond({
      code: -32601,
      message: "Method not found",
      data: method,
    });
  if (--left === 0) break;
}
console.log(JSON.stringify(await answers));
await asking.close();
