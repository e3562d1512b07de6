// Rows of the demonstration as a table, printed while it runs: one block for each client and server.

const WIDTH = Math.max(80, Math.min(process.stdout.columns ?? 140, 180));
const WHAT = 46;

const colour = process.stdout.isTTY && !process.env.NO_COLOR;
const paint = (code, text) => (colour ? `\u001B[${code}m${text}\u001B[0m` : text);

/** In one line, without control characters, at most `width` long. */
function shorten(text, width) {
  const line = text
    .replace(/\p{C}|\s/gu, " ")
    .replace(/ +/g, " ")
    .trim();
  return line.length <= width ? line : `${line.slice(0, width - 1)}…`;
}

/** Prints rows as they come, with a heading where the pair or the revision changes. */
export function tablePrinter() {
  let heading = "";
  return ({ client, server, revision, what, ok, got, ms }) => {
    const next = `${client} → ${server}, revision ${revision ?? "?"}`;
    if (next !== heading) console.log(`\n${paint(1, next)}`);
    heading = next;
    const mark = ok ? paint(32, "✓") : paint(31, "✗");
    const shown = ok ? shorten(got, WIDTH - WHAT - 14) : got;
    console.log(`  ${mark} ${shorten(what, WHAT).padEnd(WHAT)} ${String(ms).padStart(5)} ms  ${shown}`);
  };
}
