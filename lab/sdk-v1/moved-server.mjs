// One real server on the official SDK and on the layer: the same questions of the official client 1.x to both, and 2026-07-28 on the
// layer. What differs is listed by its place.
import { fileURLToPath } from "node:url";
import { differences, short } from "../field/differences.mjs";
import { folderOf } from "../field/install.mjs";
import { runInProcess } from "../field/processes.mjs";
import { programOf } from "../field/servers/run.mjs";
import { putIn, takeOut } from "./placed.mjs";

const OBSERVE = fileURLToPath(new URL("../field/servers/observe.mjs", import.meta.url));
const NEWEST = fileURLToPath(new URL("newest.mjs", import.meta.url));
/** What is compared, by the column of the table. */
const COLUMNS = { start: ["start"], lists: ["lists"], calls: ["results"], errors: ["errors"] };

/** Members of an observation that a comparison of both ways takes. */
const pick = (seen, names) => Object.fromEntries(names.map((name) => [name, seen[name]]));

const placesOf = (column, first, second) =>
  differences(first, second).map(({ path, first: official, second: moved }) => ({
    column,
    at: path,
    official: short(official),
    moved: short(moved),
  }));

/** The call that is made on 2026-07-28: one that the comparison made too. */
function callOf({ results = {}, lists = {} }) {
  const asked = Object.keys(results).find((what) => what.startsWith("call "));
  if (asked === undefined) return [lists.tools?.[0]?.name ?? "none", {}];
  const [, name, args] = /^call (\S+) (.*)$/s.exec(asked);
  return [name, JSON.parse(args)];
}

/** Results with the default of `isError`, which some clients set. */
const explicit = (seen) =>
  Object.fromEntries(
    Object.entries(seen).map(([name, one]) => [name, "content" in Object(one) ? { isError: false, ...one } : one]),
  );

/** What must be on 2026-07-28 as it is on the layer with a handshake. */
function onNewest(moved, newest, [name, args]) {
  const expected = {
    tools: Array.isArray(moved.lists?.tools) ? moved.lists.tools.map((tool) => tool.name) : undefined,
    call: moved.results?.[`call ${name} ${JSON.stringify(args)}`],
    error: moved.errors?.["no such tool"],
  };
  return ["tenon", "second"].flatMap((client) => {
    const { revision: _, error, ...found } = newest[client] ?? {};
    const members = Object.keys(expected).filter((member) => expected[member] !== undefined);
    return placesOf(client, explicit(pick(expected, members)), explicit(pick({ ...found, error }, members)));
  });
}

/** Compares one server both ways. */
export async function compareServer(row, { signal, step }) {
  const limit = (row.limit ?? 120) * 1_000;
  const folder = folderOf(row.package);
  const program = (home, env) => ({ ...programOf(row), http: row.http, env: { ...env, ...row.env }, cwd: home });
  const observe = () =>
    runInProcess(OBSERVE, (home, env) => ({ way: "official", folder: home, calls: row.calls, program: program(home, env) }), {
      limit,
      signal,
    });
  takeOut(folder);
  step("official");
  const official = await observe();
  // What two runs of the original do not have in common is no difference of the layer: times, ports, random ids.
  step("official, again");
  const again = await observe();
  const versions = putIn(folder);
  try {
    step("moved");
    const moved = await observe();
    step("2026-07-28");
    const call = callOf(moved);
    const newest = await runInProcess(NEWEST, (home, env) => ({ folder: home, call, program: program(home, env) }), {
      limit,
      signal,
    });
    const unsteady = new Set(
      Object.entries(COLUMNS).flatMap(([name, names]) =>
        placesOf(name, pick(official, names), pick(again, names)).map(({ at }) => at),
      ),
    );
    const compared = Object.entries(COLUMNS).flatMap(([name, names]) =>
      placesOf(name, pick(official, names), pick(moved, names)),
    );
    const found = [...compared, ...onNewest(moved, newest, call)].filter(({ at }) => !unsteady.has(at));
    return {
      name: row.name,
      version: row.version,
      sdk: [...new Set(versions)].join(", "),
      tools: Array.isArray(moved.lists?.tools) ? moved.lists.tools.length : 0,
      asked: ["lists", "results", "errors"].reduce((sum, kind) => sum + Object.keys(official[kind] ?? {}).length, 1),
      newest: { tenon: newest.tenon?.revision, second: newest.second?.revision },
      milliseconds: { official: official.firstList, moved: moved.firstList },
      differences: [
        ...found,
        ...[official, moved, newest]
          .flatMap((seen) => seen.fault ?? seen.limit ?? [])
          .map((what) => ({ column: "start", at: "run", official: "", moved: what })),
      ],
    };
  } finally {
    takeOut(folder);
  }
}
