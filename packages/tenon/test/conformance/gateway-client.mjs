// The client of the conformance suite behind a gateway: it plays its scenarios through a gateway whose one server is the scenario
// at a URL. A list must wait for that server, however slowly a busy machine connects: `readyTimeout`.
import { connect } from "tenon/client";
import { createGateway } from "tenon/gateway";
import { scenarios } from "./scenarios.mjs";
const {
  MCP_CONFORMANCE_SCENARIO: name,
  MCP_CONFORMANCE_PROTOCOL_VERSION: revision,
  MCP_CONFORMANCE_CONTEXT: context,
} = process.env;
const url = process.argv.at(-1);
const { options = {}, auth, play } = scenarios[name];
const known = context === undefined ? {} : JSON.parse(context);
const held = revision < "2026" && { revision: "stateful" };
const gateway = createGateway({
  servers: { scenario: { url, ...held, ...(auth && { auth: await auth(known, url) }) } },
  prefix: { scenario: "" },
  readyTimeout: 60_000,
});
const client = await connect(gateway, { ...options, ...held });
try {
  await play(client, known);
} finally {
  await client.close();
  await gateway.close();
}
