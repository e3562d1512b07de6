// What the figures say in words: beside which SDK Tenon is ahead and by how much, where another SDK is, and why. Made of the figures, so that no sentence
// outlives them.

/** Ratios closer to 1 than this are level: two runs differ by as much. */
const LEVEL = 0.05;

const KINDS = [
  {
    ...{ member: "cpuUs", head: "less CPU time a call", title: "CPU time of a call" },
    reason: "A compiled server does without the HTTP and the JSON of Node, which are most of what a call of Tenon costs.",
  },
  {
    ...{ member: "perSecond", isMore: true, head: "more calls a second", title: "Calls a second" },
    reason: "Its process uses every core; a process of Node uses one, and [`workers`](../serving/workers.md) use all.",
  },
  {
    ...{ member: "p99", head: "shorter slowest calls (p99)", title: "The slowest calls" },
    reason: "Its threads share the calls, so that fewer wait for those before them.",
  },
];

const isOther = ({ peer }) => peer !== "raw" && peer !== "tenon";
const number = (value) => (value < 10 ? value.toPrecision(2) : String(Math.round(value)));
const range = (values) => [...new Set([number(Math.min(...values)), number(Math.max(...values))])].join("–");

/** How many times better Tenon is than each other SDK, in each row that both have. */
function ratios(calls, { member, isMore = false }) {
  const ours = calls.filter(({ peer }) => peer === "tenon");
  return calls.filter(isOther).flatMap((row) => {
    const tenon = ours.find(({ way, inFlight }) => way === row.way && inFlight === row.inFlight);
    return tenon === undefined ? [] : [{ peer: row.peer, ratio: isMore ? tenon[member] / row[member] : row[member] / tenon[member] }];
  });
}

const ratiosOf = (all, id) => all.filter(({ peer }) => peer === id).map(({ ratio }) => ratio);

/** One line for each SDK: its worst and its best row. */
function table({ peers, calls }) {
  const columns = KINDS.map((kind) => ratios(calls, kind));
  const lines = peers
    .filter(({ id }) => ratiosOf(columns[0], id).length > 0)
    .map(({ id, label }) => {
      const cells = columns.map((column) => `${range(ratiosOf(column, id))} ×`);
      return `| ${label} | ${ratiosOf(columns[0], id).length} | ${cells.join(" | ")} |`;
    });
  const head = ["Tenon beside", "rows that both have", ...KINDS.map(({ head }) => head)].join(" | ");
  return `| ${head} |\n|---|${"---:|".repeat(KINDS.length + 1)}\n${lines.join("\n")}\n`;
}

/** One sentence for each kind of figure: which SDKs are ahead in it, and why. */
function behind({ peers, calls }) {
  return KINDS.flatMap((kind) => {
    const all = ratios(calls, kind);
    const ahead = peers.flatMap(({ id, label }) => {
      const lost = ratiosOf(all, id).filter((ratio) => ratio < 1 - LEVEL);
      const rows = ratiosOf(all, id).length;
      return lost.length === 0 ? [] : [`${label} in ${lost.length} of ${rows} rows (Tenon ${range(lost)} of it)`];
    });
    return ahead.length === 0 ? [] : [`- **${kind.title}**: ahead is ${ahead.join(", ")}. ${kind.reason}`];
  });
}

/** One sentence for a figure of which each SDK has one: all of them from the best to the worst, and what Node has without an SDK. */
function order({ peers }, rows, member, title, unit, reason) {
  const label = (id) => peers.find((peer) => peer.id === id).label;
  const shown = (row) => `${row.peer === "tenon" ? "**Tenon**" : label(row.peer)} ${Math.round(row[member])}`;
  const raw = rows.find(({ peer }) => peer === "raw");
  const sorted = rows.filter(({ peer }) => peer !== "raw").toSorted((a, b) => a[member] - b[member]);
  if (sorted.length === 0) return [];
  const why = raw !== undefined && sorted[0].peer !== "tenon" ? ` ${reason(Math.round(raw[member]))}` : "";
  return [`- **${title}**, ${unit}: ${sorted.map(shown).join(", ")}.${why}`];
}

/** The lines below "Who is faster". @param figures what speed.json holds */
export function winners(figures) {
  const { memory, start } = figures;
  const lost = [
    ...behind(figures),
    ...order(figures, memory, "start", "Memory after the start", "MiB", (node) => `A program of Node without an SDK has ${node}.`),
    ...order(figures, memory, "sessions", "Memory with 1,000 sessions", "MiB", (node) => `A program of Node without an SDK has ${node}.`),
    ...order(
      ...[figures, start, "ms", "Start to the first list", "milliseconds"],
      (node) =>
        `Node itself takes ${node} of them, and most of the rest is the [schema library](../serving/stdio.md#how-long-it-takes-to-start).`,
    ),
  ];
  return [
    "How many times better Tenon is, in its worst and in its best row. Below 1 the other SDK is better.\n",
    table(figures),
    ...(lost.length > 0 ? ["Where another SDK is ahead, and why:\n", ...lost, ""] : []),
  ];
}
