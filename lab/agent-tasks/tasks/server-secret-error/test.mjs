import { equal, match, ok } from "node:assert/strict";
import { BOTH, textOf } from "../../support/bench.mjs";

export async function test(bench) {
  for (const revision of BOTH) {
    const client = await bench.stdio("server.ts", { revision });
    const call = (name) => client.callTool({ name: "open_account", arguments: { name } });
    match(JSON.stringify(await call("eve")), /3/);
    const taken = await call("ada");
    equal(taken.isError, true);
    match(textOf(taken), /ada/, "the model does not read which name is taken");
    const failed = await call("bo").catch((error) => ({ isError: true, text: `${error.message} ${JSON.stringify(error.data)}` }));
    equal(failed.isError, true);
    ok(!JSON.stringify(failed).includes("hunter2"), "the client reads the password");
    await client.close();
  }
  match(bench.complaints(), /hunter2/, "the operator does not find what went wrong");
}
