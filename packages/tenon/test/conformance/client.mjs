// The client the conformance suite is run with: `npm run -s fixture:client -- <url>`.
// The suite says in the environment which scenario it plays, in which revision, and what the scenario needs to know.
import { connect } from "tenon/client";
import { scenarios } from "./scenarios.mjs";

const {
  MCP_CONFORMANCE_SCENARIO: name,
  MCP_CONFORMANCE_PROTOCOL_VERSION: revision,
  MCP_CONFORMANCE_CONTEXT: context,
} = process.env;
const url = process.argv.at(-1);
const scenario = scenarios[name];

if (scenario === undefined) {
  console.error(`No such scenario: ${name}`);
  process.exitCode = 1;
} else {
  const { options = {}, auth, play } = scenario;
  const known = context === undefined ? {} : JSON.parse(context);
  // A stateless revision is found by asking the server; the handshake is held to where a revision needs it.
  const held = revision < "2026" && { revision: "stateful" };
  const client = await connect(url, { ...options, ...held, ...(auth && { auth: await auth(known, url) }) });
  try {
    await play(client, known);
  } finally {
    await client.close();
  }
}
