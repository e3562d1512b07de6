/** The filter of the wire: words that all must be there, and conditions such as `method:tools/call` or `>500ms`. */
import type { WireEntry } from "../../../entries.ts";

type Test = (entry: WireEntry) => boolean;

const UNITS: Readonly<Record<string, number>> = { "": 1, b: 1, k: 1_024, m: 1_048_576 };

/** A function that tells whether a message fits. */
export function filterOf(text: string): Test {
  const tests = text.toLowerCase().split(/\s+/).filter(Boolean).map(testOf);
  return (entry) => tests.every((test) => test(entry));
}

function testOf(word: string): Test {
  const [, more, amount = "0", unit = ""] = /^([<>])(\d+)(ms|[bkm]?)$/.exec(word) ?? [];
  if (more !== undefined) {
    const isTime = unit === "ms";
    const bound = Number(amount) * (isTime ? 1 : (UNITS[unit] ?? 1));
    return ({ ms, bytes }) => {
      const value = isTime ? ms : bytes;
      return value !== undefined && (more === ">" ? value > bound : value < bound);
    };
  }
  const [, field, value = ""] = /^(method|name|id|rev|dir|status|client):(.+)$/.exec(word) ?? [];
  if (field === undefined) return ({ text, method = "" }) => method.includes(word) || text.toLowerCase().includes(word);
  return (entry) => valueOf(entry, field).toLowerCase().includes(value);
}

function valueOf({ method = "", name = "", id, revision, sent, status, type, client = "page" }: WireEntry, field: string): string {
  switch (field) {
    case "method":
      return method;
    case "name":
      return name;
    case "id":
      return String(id ?? "");
    case "rev":
      return revision;
    case "client":
      return client;
    case "dir":
      return sent ? "sent" : "received";
    default:
      return `${status ?? ""} ${type}`;
  }
}
