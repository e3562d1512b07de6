/** `Content-Type` and `Accept`, as far as MCP looks at them. Linear in what the peer sent (H2, H3). */

/** Whether a body is JSON in UTF-8: `application/json`, with no other charset (R2). */
export function isJson(contentType: string | undefined): boolean {
  if (contentType === "application/json") return true;
  if (contentType === undefined) return false;
  const [type, ...parameters] = contentType.toLowerCase().split(";");
  if (type!.trim() !== "application/json") return false;
  return parameters.every((parameter) => {
    const [name, value = ""] = parameter.split("=");
    return name!.trim() !== "charset" || /^\s*"?utf-8"?\s*$/.test(value);
  });
}

/** What a client takes. */
export interface Accepted {
  readonly json: boolean;
  readonly events: boolean;
}

const BOTH: Accepted = { json: true, events: true };

/** What `Accept` allows; a header that is not there allows everything. */
export function accepted(accept: string | undefined): Accepted {
  if (accept === undefined || accept === "application/json, text/event-stream") return BOTH;
  const types = new Set(accept.toLowerCase().split(",").filter(isWanted).map(typeOf));
  const takes = (type: string, family: string): boolean => types.has(type) || types.has(family) || types.has("*/*");
  return { json: takes("application/json", "application/*"), events: takes("text/event-stream", "text/*") };
}

/** Not with `q=0`. */
function isWanted(range: string): boolean {
  return !range
    .split(";")
    .slice(1)
    .some((parameter) => /^\s*q\s*=\s*0(?:\.0*)?\s*$/.test(parameter));
}

function typeOf(range: string): string {
  return range.split(";", 1)[0]!.trim();
}
