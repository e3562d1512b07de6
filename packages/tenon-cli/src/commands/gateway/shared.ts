/** What several gateways share with `--store`: sessions, rounds and logins of users. Without it logins are in a file of the user. */
import type { AuthStore } from "tenon/auth";
import { loginDirectory } from "tenon/internal";
import { fileStore } from "tenon/node";
import type { Stores } from "tenon/stores/memory";
import { UsageError } from "../../failure.ts";
import type { Shell } from "../../shell.ts";
import { openStores } from "../shared-stores.ts";
import type { WholeSettings } from "./settings/whole-settings.ts";

interface Shared extends AsyncDisposable {
  /** Undefined if this gateway is the only one. */
  readonly stores: Stores | undefined;
  readonly loginStore: AuthStore;
}

export interface SharedOptions {
  readonly shell: Shell;
  readonly store: string | undefined;
  readonly needsLogins: boolean;
  readonly note: (line: string) => void;
}

/** @throws UsageError if the file lacks a key that all gateways must have; else as `openStores` */
export async function openShared(
  file: string,
  { requestState, loginKey }: WholeSettings,
  { shell, store, needsLogins, note }: SharedOptions,
): Promise<Shared> {
  if (store === undefined)
    return {
      stores: undefined,
      loginStore: fileStore({ directory: loginDirectory(shell) }),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
  if (requestState?.keys === undefined)
    throw missing(file, '"requestState": { "keys": ["${file:state-key}"] }', "the next request of a call may come to another gateway");
  if (needsLogins && loginKey === undefined)
    throw missing(file, '"loginKey": "${file:login-key}"', "the tokens of users are kept in the store, sealed with it");
  const stores = await openStores(store, note, loginKey === undefined ? {} : { loginKey: new TextEncoder().encode(loginKey) });
  return { stores, loginStore: stores.logins, [Symbol.asyncDispose]: () => stores.close() };
}

function missing(file: string, member: string, why: string): UsageError {
  return new UsageError(`--store needs ${member} in the member "tenon" of ${file}, 32 bytes or more and the same at all gateways: ${why}.`);
}
