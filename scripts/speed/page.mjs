// The page "Speed": charts, what the figures say about who is faster, every figure, and how they were measured.
import { count, SHOWN } from "./charts.mjs";
import { winners } from "./winners.mjs";

const WAYS = {
  "stdio-2025": "stdio, 2025-11-25",
  "stdio-2026": "stdio, 2026-07-28",
  "http-2025-json": "HTTP, 2025-11-25 with sessions, JSON replies",
  "http-2025-sse": "HTTP, 2025-11-25 with sessions, event streams",
  "http-2026-json": "HTTP, 2026-07-28, JSON replies",
  "http-2026-sse": "HTTP, 2026-07-28, event streams",
};

const chart = (name, alt) => `![${alt}](speed/${name}.svg)\n`;

/** @param figures what speed.json holds */
export function speedPage(figures) {
  const { memory, start } = figures;
  return [
    "---\norder: 2.5\ndescription: Servers of Tenon and of the SDKs of Go, Rust, Java and Python, measured by the same driver on one machine.\n---\n",
    "# Speed\n",
    `A server with two small tools, written with Tenon and with the SDKs of other languages, each set up as its documentation says is fastest. One driver asks them all: it`,
    "checks their answers first and refuses an SDK that answers wrong, checks every reply that it counts, and measures them in turns. *Raw Node* is a program without an SDK: it reads the",
    "bytes, parses them, runs the tool and writes the result, and checks nothing. [Benchmarks](benchmarks.md) compares the SDKs for TypeScript.\n",
    ...aboutRun(figures),
    "## Who is faster\n",
    ...winners(figures),
    "## Calls a second\n",
    "A server of Go, Rust or Java uses all cores of the machine, a process of Node or Python uses one. The driver needs a core too, and is the limit of the fastest",
    "rows: those have an asterisk. So the CPU time of a call, below, is the fairer figure. With [`workers`](../serving/workers.md) a server of Tenon uses all cores.\n",
    chart("calls", "Calls a second by SDK"),
    callsTable(figures, "perSecond", (value, row) => `${count(value)}${row.driverBound ? " *" : ""}`),
    "## CPU time of a call\n",
    "User and system time of the server's process and all its threads, in microseconds, divided by the calls.\n",
    chart("cpu", "CPU time of a call by SDK"),
    callsTable(figures, "cpuUs", count),
    "## The slowest calls\n",
    "Of a hundred calls, 99 are at most as slow (p99), in milliseconds.\n",
    chart("p99", "Latency of the slowest of a hundred calls by SDK"),
    callsTable(figures, "p99", (value) => value.toFixed(value < 10 ? 2 : 0)),
    "## Memory\n",
    "Resident memory of an HTTP server in MiB, after its first answers and with 1,000 idle sessions of 2025-11-25. Nothing asks for a collection first, so the figures of languages with",
    "a garbage collector have garbage in them.\n",
    chart("memory", "Memory of a server after its start by SDK"),
    chart("sessions", "Memory of a server with 1,000 sessions by SDK"),
    table(["", "after the start", "with 1,000 sessions"], memory, figures, (row) => [count(row.start), count(row.sessions)]),
    "## Start\n",
    "Milliseconds from the start of the process to the first right `tools/list` on stdio. It is what a host waits for each time that it starts the program.\n",
    chart("start", "Time to the first list of tools by SDK"),
    table(["", "milliseconds"], start, figures, (row) => [count(row.ms)]),
    ...closing(figures),
  ].join("\n");
}

function aboutRun({ date, machine, toolChains, others, rounds, peers, leftOut, failed }) {
  const chains = [...new Set(Object.values(toolChains))].join(", ");
  const label = (id) => peers.find((peer) => peer.id === id)?.label ?? id;
  const versions = peers
    .filter(({ id }) => id !== "raw")
    .map(({ label: name, version, setUp }) => `| ${name} | ${version} | ${setUp ?? "one process, as documented"} |`);
  const gaps = [
    ...leftOut.map(({ label: name, why }) => `- ${name} was left out: ${why}.`),
    ...failed.map(({ step, peer }) => `- ${label(peer)} has no figure for ${WAYS[step] ?? step}: it failed or was refused there.`),
  ];
  const busy =
    others > 0.25
      ? [`**Other programs used ${others} cores during this run**: look at CPU time and at ratios, not at calls a second or latencies.\n`]
      : [];
  return [
    `Measured on ${date}: ${machine.cpus} cores (${machine.cpu.trim()}), ${machine.system}, Node ${machine.node}${chains === "" ? "" : `, ${chains}`}; medians of ${rounds} rounds.\n`,
    ...busy,
    `| SDK | version | set-up |\n|---|---|---|\n${versions.join("\n")}\n`,
    ...(gaps.length > 0 ? [`${gaps.join("\n")}\n`] : []),
  ];
}

/** One row for each way of calling, one column for each SDK. */
function callsTable({ calls, peers }, member, shown) {
  const columns = peers.filter(({ id }) => calls.some(({ peer }) => peer === id));
  const keys = Object.keys(WAYS).flatMap((way) =>
    [...new Set(calls.filter((row) => row.way === way).map((row) => row.inFlight))].map((inFlight) => ({ way, inFlight })),
  );
  const cell = ({ way, inFlight }, { id }) => {
    const row = calls.find((one) => one.way === way && one.inFlight === inFlight && one.peer === id);
    return row === undefined ? "–" : shown(row[member], row);
  };
  const lines = keys.map(
    (key) =>
      `| ${WAYS[key.way]}: ${key.inFlight === 1 ? "one at a time" : `${key.inFlight} in flight`} | ${columns.map((peer) => cell(key, peer)).join(" | ")} |`,
  );
  return `| | ${columns.map(({ label }) => label).join(" | ")} |\n|---|${columns.map(() => "---:|").join("")}\n${lines.join("\n")}\n`;
}

function table(head, rows, { peers }, cells) {
  const lines = peers.flatMap(({ id, label }) =>
    rows.filter(({ peer }) => peer === id).map((row) => `| ${label} | ${cells(row).join(" | ")} |`),
  );
  return `| ${head.join(" | ")} |\n|---|${head
    .slice(1)
    .map(() => "---:|")
    .join("")}\n${lines.join("\n")}\n`;
}

function closing({ seconds }) {
  return [
    "## What it does not show\n",
    "- Work of a tool. `add` adds two numbers; a tool that asks a database for 5 ms is as fast in every language.",
    "- The network. Driver and servers are on one machine, and share its cores.",
    "- Servers on every core of the machine, with a driver that needs little of it: [Every core](../serving/workers.md#beside-servers-in-other-languages) has them.",
    "- Clients, large results, progress, and connections that come and go. [Benchmarks](benchmarks.md) has some of these, for TypeScript.",
    "- What an SDK checks. All of these refuse wrong arguments; their other checks differ. [Works with](works-with.md) says where an SDK deviates from the specification.",
    "",
    "## Do it again\n",
    "```sh\nnpm ci\nnpm run bench:languages -- --install   # builds the programs of the languages that are there, and says how the others are got\nnpm run bench:languages                # prints the figures\nnpm run bench:languages -- --write     # and writes this page\n```\n",
    `It needs Linux, because it reads processor times and memory from \`/proc\`. A run takes ${Math.max(1, Math.round(seconds / 60))} minutes or so. The programs are in \`bench/languages/programs\`, their versions are exact, and what is built goes to a folder that git ignores.`,
    `The charts show ${SHOWN.length} of the ways of calling; the tables have all. The figures are also there as [JSON](speed.json).\n`,
  ];
}
