/** What `tenon keys` does, over the stores that `--store` names. */
import { apiKeys, type ApiKey, type ApiKeys, type MintedKey } from "tenon/auth/keys";
import { cleanLine } from "tenon/internal";
import { openStores } from "../commands/shared-stores.ts";
import { UsageError } from "../failure.ts";
import type { Invocation, OptionValues, Outcome } from "../invocation.ts";

const ACTIONS = ["create", "list", "rotate", "revoke"] as const;
type Action = (typeof ACTIONS)[number];
const DAY = 86_400_000;

export async function runKeys({ positionals, values, terminal }: Invocation): Promise<Outcome> {
  const [action, word, ...more] = positionals;
  if (!isAction(action)) throw new UsageError(`tenon keys needs one of ${ACTIONS.join(", ")}.`);
  if (more.length > 0) throw new UsageError(`tenon keys ${action} takes one word: ${JSON.stringify(more[0])} is one more.`);
  if (values.store === undefined) throw new UsageError("Name the engine that the server uses: --store redis://localhost:6379");
  const stores = await openStores(values.store, (line) => terminal.note(line));
  try {
    const keys = await keysOf(() =>
      apiKeys({ store: stores.keyed, cacheTtl: 0, ...(values.prefix !== undefined && { prefix: values.prefix }) }),
    );
    return await RUN[action](keys, word, values);
  } finally {
    await stores.close();
  }
}

function isAction(action: string | undefined): action is Action {
  return ACTIONS.some((each) => each === action);
}

/** What is wrong with the words that were typed is said as such. @throws UsageError */
async function keysOf<T>(make: () => T | Promise<T>): Promise<T> {
  try {
    return await make();
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) throw new UsageError(error.message, { cause: error });
    throw error;
  }
}

const RUN: Readonly<Record<Action, (keys: ApiKeys, word: string | undefined, values: OptionValues) => Promise<Outcome>>> = {
  create: async (keys, subject, values) => shownOnce(await keysOf(() => keys.mint(wanted(subject, values)))),
  async list(keys, subject) {
    const found = await keys.list(subject);
    return { json: { keys: found }, text: () => (found.length === 0 ? "There are no keys." : found.map(lineOf).join("\n")) };
  },
  rotate: async (keys, id) => shownOnce(await keysOf(() => keys.rotate(idOf(id, "rotate")))),
  async revoke(keys, typed) {
    const id = idOf(typed, "revoke");
    const revoked = await keys.revoke(id);
    const text = revoked ? `The key ${cleanLine(id)} is revoked.` : `There is no key with the id ${cleanLine(JSON.stringify(id))}.`;
    return { json: { id, revoked }, text: () => text, foundFaults: !revoked };
  },
};

function wanted(subject: string | undefined, { scope, name, days }: OptionValues): Parameters<ApiKeys["mint"]>[0] {
  if (subject === undefined) throw new UsageError("Name who gets the key: tenon keys create <subject> --store url");
  const expiresIn = days === undefined ? undefined : Number(days) * DAY;
  if (expiresIn !== undefined && !(expiresIn > 0))
    throw new UsageError(`--days must be a number greater than 0, not ${JSON.stringify(days)}.`);
  return {
    subject,
    scopes: scope?.split(" ").filter((each) => each !== "") ?? [],
    ...(name !== undefined && { name }),
    ...(expiresIn !== undefined && { expiresIn }),
  };
}

function idOf(typed: string | undefined, action: Action): string {
  if (typed === undefined) throw new UsageError(`Name the key: tenon keys ${action} <id> --store url. The ids: tenon keys list`);
  return typed;
}

function shownOnce(key: MintedKey): Outcome {
  return { json: key, text: () => `${lineOf(key)}\n\n${key.key}\n\nThis is the only time that the key is shown.` };
}

function lineOf({ id, subject, name, scopes, expiresAt, usedAt }: ApiKey): string {
  const used = usedAt === undefined ? "never used" : `used ${dateOf(usedAt)}`;
  const rights = scopes.length === 0 ? "no scopes" : scopes.join(" ");
  const who = name === undefined ? subject : `${subject} (${name})`;
  return [id, who, rights, `until ${dateOf(expiresAt)}, ${used}`].map((part) => cleanLine(part)).join("  ");
}

function dateOf(time: number): string {
  return new Date(time).toISOString().slice(0, 16).replace("T", " ");
}
