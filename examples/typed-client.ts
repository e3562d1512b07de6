// Calls the tools of `typed-server.ts` as functions. Only the type of the server is imported: nothing of it runs here.
// From the folder of the project: node --import jiti/register examples/typed-client.ts
import { connect } from "tenon/client";
import type { server } from "./typed-server.ts";

const client = await connect<typeof server>({
  command: "npx",
  args: ["tenon", "run", "examples/typed-server.ts"],
});

const { sum } = await client.call.add({ a: 1, b: 2 }); // checked, and a number
console.log(sum);

await client.close();
