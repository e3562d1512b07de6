// The part of the page "Works with" on SDKs of other languages, made of docs/project/works-with-languages.json.
import { explained } from "./deviations.mjs";

const columns = [
  ["server", "2025", "stdio", "their server, 2025-11-25, stdio"],
  ["server", "2025", "http", "… HTTP"],
  ["server", "2026", "stdio", "their server, 2026-07-28, stdio"],
  ["server", "2026", "http", "… HTTP"],
  ["client", "2025", "stdio", "their client, 2025-11-25, stdio"],
  ["client", "2025", "http", "… HTTP"],
  ["client", "2026", "stdio", "their client, 2026-07-28, stdio"],
  ["client", "2026", "http", "… HTTP"],
];

/** The reasons that were needed, each with its number. */
function numbered(pairs) {
  const reasons = new Set(pairs.flatMap(({ deviations }) => deviations.flatMap(({ why }) => why ?? [])));
  return new Map([...reasons].map((reason, index) => [reason, index + 1]));
}

function cellOf(pair, numbers) {
  if (pair === undefined) return "–";
  const { checks, deviations } = pair;
  const used = [...new Set(deviations.map(({ why }) => (why === undefined ? "**?**" : `(${numbers.get(why)})`)))];
  return [`${checks - deviations.length}/${checks}`, ...used].join(" ");
}

/** @param results what works-with-languages.json holds */
export function languagesSection({ date, toolChains, partners, pairs }) {
  const numbers = numbered(pairs);
  const found = (partner, [side, family, transport]) =>
    pairs.find(
      (pair) => pair.partner === partner && pair.side === side && pair.family === family && pair.transport === transport,
    );
  const rows = partners.map(({ id, label, sdk }) => {
    const cells = columns.map((column) => cellOf(found(id, column), numbers));
    return `| ${label}, ${sdk} | ${cells.join(" | ")} |`;
  });
  const whose = (reason) => (explained.find(({ why }) => why === reason)?.fault === "ours" ? "Tenon's fault" : "theirs");
  const reasons = [...numbers].map(([reason, number]) => `${number}. ${reason} *(${whose(reason)})*`);
  const passed = pairs.reduce((sum, { checks, deviations }) => sum + checks - deviations.length, 0);
  const all = pairs.reduce((sum, { checks }) => sum + checks, 0);
  return `## SDKs of other languages

Written by \`npm run interop:languages -- --page\`, ${date}, ${toolChains.join(", ")}. Servers of these SDKs are asked by Tenon's client, and their clients ask a server of Tenon:
revision, lists, a call with structured content, odd text, a resource, a prompt, a tool's error, an unknown tool, wrong arguments, progress, cancellation,
elicitation, sampling, and a subscription to a resource. **${passed} of ${all} checks** came out as expected; the others are explained below, with whose fault it is.

| SDK | ${columns.map(([, , , title]) => title).join(" | ")} |
|---|${columns.map(() => "---").join("|")}|
${rows.join("\n")}

${reasons.join("\n")}
`;
}
