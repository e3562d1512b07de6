// What the figures say in words: where Tenon is ahead, where another SDK is, and why. Made of the figures, so that no sentence outlives them.

const isOther = ({ peer }) => peer !== "raw" && peer !== "tenon";
const times = (ratio) => `${ratio < 10 ? ratio.toFixed(1) : Math.round(ratio)} ×`;

const COMPILED = ["rmcp", "mcp-go", "go-official"];
const MANY_THREADS = [...COMPILED, "java-official"];

/** Why an SDK is ahead of Tenon in a kind of figure, and for which SDKs that is the reason. */
const REASONS = {
  perSecond: ["Its one process uses every core; a process of Node uses one, and `workers` all.", MANY_THREADS],
  cpuUs: [
    "Its code is compiled ahead of time, and it does not use the HTTP and the JSON of Node, which are most of what a call of Tenon costs.",
    COMPILED,
  ],
  start: ["Node starts ten times as slowly as a compiled program, and then loads the SDK and a schema library.", COMPILED],
  memory: ["A process of Node has 40 to 50 MiB before it loads anything.", COMPILED],
  sessions: ["A process of Node has 40 to 50 MiB before it loads anything.", COMPILED],
};

const reasonOf = (member, peers) => (REASONS[member][1].some((peer) => peers.includes(peer)) ? ` ${REASONS[member][0]}` : "");

/** Rows of the same way of calling, with Tenon's. */
function contests(rows) {
  const keys = [...new Set(rows.map(({ way, inFlight }) => `${way}|${inFlight}`))];
  return keys.map((key) => {
    const all = rows.filter(({ way, inFlight }) => `${way}|${inFlight}` === key);
    return { tenon: all.find(({ peer }) => peer === "tenon"), others: all.filter(isOther) };
  });
}

/** One sentence for each SDK: in how many rows Tenon is ahead of it, and by how much. */
function against(rows, member, isMore, label, what) {
  const found = contests(rows).flatMap(({ tenon, others }) =>
    others.map((row) => ({ peer: row.peer, ratio: isMore ? tenon[member] / row[member] : row[member] / tenon[member] })),
  );
  const peers = [...new Set(found.map(({ peer }) => peer))];
  return peers.map((peer) => {
    const ratios = found
      .filter((one) => one.peer === peer)
      .map(({ ratio }) => ratio)
      .toSorted((a, b) => a - b);
    const ahead = ratios.filter((ratio) => ratio >= 1).length;
    const range = `${times(ratios[0])} to ${times(ratios.at(-1))}`;
    const all = ratios.length === 1 ? "the row that both have" : `all ${ratios.length} rows that both have`;
    if (ahead === ratios.length) return `**${what} than ${label(peer)}** in ${all}: ${ratios.length === 1 ? times(ratios[0]) : range}.`;
    const why = reasonOf(member, [peer]);
    if (ahead === 0) return `**${label(peer)} is ahead** in ${all}: Tenon has ${range} of it.${why}`;
    return `${what} than ${label(peer)} in ${ahead} of ${ratios.length} rows, behind in the others (${range}).${why}`;
  });
}

/** Those of a list that do better than Tenon, with the reason. */
function aheadOf(rows, member, reason, label, what, shown) {
  const tenon = rows.find(({ peer }) => peer === "tenon");
  if (tenon === undefined) return [];
  const better = rows.filter((row) => isOther(row) && row[member] < tenon[member]).toSorted((a, b) => a[member] - b[member]);
  const worse = rows.filter((row) => isOther(row) && row[member] >= tenon[member]).toSorted((a, b) => a[member] - b[member]);
  const named = (list) => list.map((row) => `${label(row.peer)} (${shown(row[member])})`).join(", ");
  const parts = [`**${what}**: Tenon ${shown(tenon[member])}.`];
  if (better.length > 0)
    parts.push(
      `Better: ${named(better)}.${reasonOf(
        reason,
        better.map(({ peer }) => peer),
      )}`,
    );
  if (worse.length > 0) parts.push(`Not better: ${named(worse)}.`);
  return [parts.join(" ")];
}

/** The sentences. @param figures what speed.json holds */
export function winners({ peers, calls, memory, start }) {
  const label = (id) => peers.find((peer) => peer.id === id).label;
  const mebibytes = (value) => `${Math.round(value)} MiB`;
  return [
    ...against(calls, "cpuUs", false, label, "Less CPU time a call"),
    ...against(calls, "perSecond", true, label, "More calls a second"),
    ...aheadOf(memory, "start", "memory", label, "Memory after the start", mebibytes),
    ...aheadOf(memory, "sessions", "sessions", label, "Memory with 1,000 sessions", mebibytes),
    ...aheadOf(start, "ms", "start", label, "Start to the first list", (value) => `${Math.round(value)} ms`),
  ];
}
