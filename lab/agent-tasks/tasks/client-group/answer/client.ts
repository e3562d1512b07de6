import { ClientSessionGroup } from "tenon/group";
import { loadConfig } from "tenon/node";

await using group = await ClientSessionGroup.connect(await loadConfig("mcp.json"), { readyTimeout: Infinity, reconnect: false });
for (const name of group.servers.keys()) {
  const text = group.tools.has(`${name}__status`) ? (await group.callTool(`${name}__status`)).text : "unreachable";
  console.log(`${name}: ${text}`);
}
