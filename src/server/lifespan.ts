/** The end of what all requests of a server share: opened once, when it first serves, and disposed of when it closes. */
import type { MaybePromise } from "../base/maybe-promise.ts";

type Disposer = (() => unknown) | undefined;

/** Disposes of a value that has a way to; where it could not be opened, whoever opened it was told. */
export async function disposeOf(opened: MaybePromise<unknown>): Promise<void> {
  const value = await Promise.resolve(opened).catch(() => undefined);
  const { [Symbol.asyncDispose]: later, [Symbol.dispose]: now } = (value ?? {}) as { readonly [each: symbol]: Disposer }; // of any value
  await (later ?? now)?.call(value);
}
