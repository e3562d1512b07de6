// The example of the Python document for `ClientSessionGroup`: several servers as one, each tool under its server's own name.
// From the folder of the project: node --import jiti/register examples/from-python/group.ts
import { ClientSessionGroup, type NameHook } from "tenon/group";

const nameHook: NameHook = (name, server) => `${server.name}_${name}`;
const servers = ["examples/server.ts", "examples/booking.ts"].map((file) => ({
  command: "npx",
  args: ["tenon", "run", file],
}));

await using group = new ClientSessionGroup({ nameHook });
for (const server of servers) await group.connectToServer(server);

console.log([...group.tools.keys()].join(", "));
const result = await group.callTool<{ sum: number }>("sums_add", {
  a: 1,
  b: 2,
});
console.log(result.data?.sum);
