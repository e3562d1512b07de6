// Measures the option `search` of a gateway in front of ten real servers: the tokens of `tools/list` before and after, and for
// how many of fifty requests the right tool is among the first results; then what an answer costs (many-tools-answers.mjs). Needs a build, and `npm install --ignore-scripts
// --no-package-lock --prefix bench/many-tools`.
import { existsSync } from "node:fs";
import { countTokens } from "gpt-tokenizer";
import { connect } from "tenon";
import { createGateway } from "tenon/gateway";
import { requests } from "../bench/many-tools/requests.mjs";
import { servers } from "../bench/many-tools/servers.mjs";
import { endWithReader } from "../scripts/stdout.mjs";
import { printAnswers } from "./many-tools-answers.mjs";

endWithReader();

if (!existsSync(servers.playwright.command)) {
  console.error("The servers are not installed: npm install --ignore-scripts --no-package-lock --prefix bench/many-tools");
  process.exit(1);
}

async function tokensOf(client) {
  const tools = [];
  for await (const tool of client.tools()) tools.push(tool);
  return { tools, tokens: countTokens(JSON.stringify(tools)) };
}

async function whole() {
  const gateway = createGateway({ servers, readyTimeout: 60_000 });
  const listed = await tokensOf(await connect(gateway));
  await gateway.close();
  return listed;
}

/** The place of the first right tool among the results; Infinity if there is none. */
function placeIn(found, right) {
  const place = found.findIndex((name) => right.includes(name));
  return place === -1 ? Infinity : place;
}

const { tools, tokens: before } = await whole();
const gateway = createGateway({ servers, readyTimeout: 60_000, search: { results: 10 } });
const client = await connect(gateway);
const { tokens: after } = await tokensOf(client);
const names = new Set(tools.map(({ name }) => name));
const unknown = requests.flatMap(([, ...right]) => right.filter((name) => !names.has(name)));
if (unknown.length > 0) throw new Error(`No server has ${unknown.join(", ")}`);

const places = [];
let resultTokens = 0;
await client.callTool("search_tools", { queries: ["first"] }); // makes the index
const start = performance.now();
for (const [request, ...right] of requests) {
  const { structuredContent } = await client.callTool("search_tools", { queries: [request] });
  const found = structuredContent.tools;
  const place = placeIn(
    found.map(({ name }) => name),
    right,
  );
  places.push(place);
  resultTokens += countTokens(JSON.stringify(found.slice(0, 8)));
  if (process.argv.includes("--misses") && place >= 5)
    console.log(
      `missed: ${request}`,
      found.slice(0, 5).map(({ name }) => name),
    );
}
const perSearch = (performance.now() - start) / requests.length;
const within = (count) => places.filter((place) => place < count).length;
console.log(`${Object.keys(servers).length} servers, ${tools.length} tools`);
console.log(`tokens of tools/list: ${before} before, ${after} with search`);
console.log(`tokens of one result of eight tools, on average: ${Math.round(resultTokens / requests.length)}`);
console.log(`right tool of ${requests.length} requests: ${within(1)} first, ${within(5)} in five, ${within(8)} in eight`);
console.log(`${perSearch.toFixed(2)} ms a search, call included`);
console.log("answers of one server with these tools, whose results have 40,000 characters:");
await printAnswers(tools, requests);
process.exit(0);
