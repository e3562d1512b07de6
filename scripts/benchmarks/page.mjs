// The page with every figure: one table for each scenario, one row for each way of calling, one column for each SDK.

const SCENARIOS = {
  stdio: ["A server on stdio", "A program that is driven through its standard input and output."],
  "http-2025": [
    "A server over HTTP, with sessions",
    "Streamable HTTP of 2025-11-25. Concurrency is the number of connections, each with its session.",
  ],
  "http-2026": ["A server over HTTP, without sessions", "Streamable HTTP of 2026-07-28."],
  client: ["A client", "Each SDK's client calls the raw server."],
  inprocess: [
    "Client and server in one process",
    "The raw limit is a direct call, with its arguments and its result copied as JSON would.",
  ],
};

/** The gateways in the order of the page. `raw` is the call without one: its figure is 1.00 by definition. */
const GATEWAYS = {
  raw: "no gateway",
  relay: "relay",
  tenon: "Tenon",
  "mcp-proxy": "mcp-proxy",
  supergateway: "supergateway",
  "mcp-remote": "mcp-remote",
  "mcp-use": "mcp-use",
};
const GATEWAY_TEXT = [
  "The raw server stands behind each gateway, and the same client calls it through the gateway and directly. The *relay* is the limit of a",
  "gateway: a program that parses each message, gives it another name and another id, and sends it on. It checks nothing and bridges nothing.",
  "0.00 is less than 0.005.",
].join("\n");

/** @param figures what benchmarks.json holds */
export function benchmarkPage({ machine, runs, peers, rows, costs = [], ways = [] }) {
  const scenarios = Object.entries(SCENARIOS).filter(([id]) => rows.some(({ scenario }) => scenario === id));
  return [
    "---\norder: 2\ndescription: How fast Tenon and other SDKs answer calls, compared with the raw limit of the machine.\n---\n",
    "# Benchmarks\n",
    "![Calls of a tool, as a share of the raw limit](speed.svg)\n",
    "A figure is a share of the *raw limit*: calls per second of an SDK, divided by the calls per second of a program that does only what cannot be avoided. That",
    "program reads the bytes, parses them, finds the tool, runs it, prints the result and writes it. 1.00 is as fast; 0.10 is a tenth as fast.\n",
    `Measured on a machine with ${machine}:\n`,
    ...runs.map(({ what }) => `- ${what}`),
    "",
    "Each SDK is compared with the raw limit of its own run, and takes turns with it, so that a ratio depends little on the machine. A dash: not measured, or",
    "the SDK cannot do it. SDKs of other languages stand on the page [Speed](speed.md).",
    "Every reply is checked; a wrong one fails the SDK. `bench/README.md` in the repository says how it is done, and `npm run bench` does it again. `bench/targets.md`",
    "says what each row is held to, and what it would be if Tenon's own code cost nothing.\n",
    ...scenarios.map(([id, texts]) =>
      table(
        texts,
        rows.filter(({ scenario }) => scenario === id),
        peers,
      ),
    ),
    ...gatewaySection(rows.filter(({ scenario }) => scenario === "gateway")),
    ...costSection(costs),
    ...waySection(ways),
    "The figures are also there as [JSON](benchmarks.json). This page and its chart are made from it by `npm run docs:benchmarks`.\n",
  ].join("\n");
}

function table([title, text], rows, peers) {
  const columns = Object.keys(peers).filter((peer) => rows.some((row) => row.peer === peer));
  const variants = [...new Set(rows.map(({ variant }) => variant))].sort(byNumbers);
  const cell = (variant, peer) => rows.find((row) => row.variant === variant && row.peer === peer)?.ofRaw.toFixed(2) ?? "–";
  const lines = variants.map((variant) => `| ${said(variant)} | ${columns.map((peer) => cell(variant, peer)).join(" | ")} |`);
  const head = `| | ${columns.map((peer) => peers[peer]).join(" | ")} |\n|---|${columns.map(() => "---:|").join("")}`;
  return `## ${title}\n\n${text}\n\n${head}\n${lines.join("\n")}\n`;
}

/** One table for each number of calls in flight: one row for each gateway, one column for each pair of transports. */
function gatewaySection(rows) {
  if (rows.length === 0) return [];
  const inFlight = (row) => Number(/(\d+) in flight$/.exec(row.variant)[1]);
  const counts = [...new Set(rows.map(inFlight))].sort((a, b) => b - a);
  const tables = counts.map((count) =>
    gatewayTable(
      count,
      rows.filter((row) => inFlight(row) === count),
    ),
  );
  return [`## A gateway\n\n${GATEWAY_TEXT}\n`, ...tables];
}

const COST_TEXT = [
  "The memory of an idle user is the memory of a session of 2025-11-25 at a gateway, without the connections to servers. Calls that hang at one server must not slow",
  "those to another: the slowest calls (p99) with and without them are measured in turns, and the last column compares two measurements without them.",
].join("\n");

/** What a gateway with many users costs, and what a server that hangs does to the calls of another. */
function costSection(costs) {
  if (costs.length === 0) return [];
  const gateways = Object.keys(GATEWAYS).filter((id) => costs.some(({ peer }) => peer === id));
  const found = (peer, metric, variant) => costs.find((one) => one.peer === peer && metric.test(one.metric) && variant.test(one.variant));
  const kib = (cost) => (cost === undefined ? "–" : `${(cost.median / 1024).toFixed(1)} KiB`);
  const times = (cost) => (cost === undefined ? "–" : `${cost.median.toFixed(2)} (${cost.min.toFixed(2)}–${cost.max.toFixed(2)})`);
  const lines = gateways.map((peer) => {
    const memory = [kib(found(peer, /^heap/, /idle users/)), kib(found(peer, /^rss/, /idle users/))];
    const slowest = [times(found(peer, /^p99Times$/, /calls hang at/)), times(found(peer, /^p99Times$/, /once more/))];
    return `| ${GATEWAYS[peer]} | ${[...memory, ...slowest].join(" | ")} |`;
  });
  const head =
    "| | heap of an idle user | memory of an idle user | p99 beside 64 calls that hang | p99 without them, again |\n|---|---:|---:|---:|---:|";
  return [`${COST_TEXT}\n\n${head}\n${lines.join("\n")}\n`];
}

const WAY_TEXT =
  "The processor time of the same call without it, divided by that of the call with it, 16 in flight: 1.00 costs nothing, 0.50 twice as much.";

/** What may be added to a call: one row for each. */
function waySection(ways) {
  if (ways.length === 0) return [];
  const lines = ways.map(
    ({ variant, share, cpuUs }) => `| ${said(variant)} | ${share.toFixed(2)} | ${cpuUs.toFixed(cpuUs < 10 ? 1 : 0)} µs |`,
  );
  return [`## What is added to a call\n\n${WAY_TEXT}\n\n| | share | processor time of a call |\n|---|---:|---:|\n${lines.join("\n")}\n`];
}

function gatewayTable(count, rows) {
  const variants = [...new Set(rows.map(({ variant }) => variant))];
  const gateways = Object.keys(GATEWAYS).filter((id) => id === "raw" || rows.some(({ peer }) => peer === id));
  const cell = (peer, variant) => (peer === "raw" ? 1 : rows.find((row) => row.variant === variant && row.peer === peer)?.ofRaw);
  const lines = gateways.map((peer) => `| ${GATEWAYS[peer]} | ${variants.map((v) => cell(peer, v)?.toFixed(2) ?? "–").join(" | ")} |`);
  const head = `| ${count === 1 ? "one call at a time" : `${count} calls in flight`} | ${variants.map(pairOf).join(" | ")} |`;
  return `${head}\n|---|${variants.map(() => "---:|").join("")}\n${lines.join("\n")}\n`;
}

/** The transports of a gateway's client and server, and the revision of the client. */
function pairOf(variant) {
  const [front, behind, revision] = said(variant).split(", ");
  const word = (text) => text.split(" ")[0].replace("http", "HTTP");
  return `${word(front)} to ${word(behind)}, ${revision}`;
}

/** A variant in words: the benchmark's `era` is a family of revisions. */
function said(variant) {
  return variant.replace("era 2025", "2025-11-25").replace("era 2026", "2026-07-28").replace("json", "JSON").replace("sse", "event stream");
}

const byNumbers = (a, b) => a.localeCompare(b, "en", { numeric: true });
