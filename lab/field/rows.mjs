// The rows of field.json, as a run goes through them: a server that also listens has a second row, in which it is reached over
// HTTP.
import { readFileSync } from "node:fs";

export const field = JSON.parse(readFileSync(new URL("field.json", import.meta.url), "utf8"));

function* rowsOf(kind) {
  for (const [name, { http, ...row }] of Object.entries(field[kind])) {
    yield { kind, name, package: name, ...row };
    if (http !== undefined)
      yield { kind, name: `${name} over HTTP`, package: name, ...row, args: [], env: {}, ...http, http: http.path };
  }
}

/** Every row: `kind` is "servers" or "clients", `package` what is installed for it. */
export const rows = [...rowsOf("servers"), ...rowsOf("clients")];
