/** The stores that `--store` names: all nodes of one server share them. */
import type { Stores } from "../../stores/stores.ts";
import { UsageError } from "../failure.ts";

const FORMS = "redis://host:6379 or postgres://user@host/database";

/** Makes the stores of an engine, which they connect to with their first use. @throws UsageError if no engine has such URLs */
export async function makeStores(url: string): Promise<Stores> {
  if (/^rediss?:\/\//.test(url)) {
    const { redisStores } = await import("../../stores/redis/index.ts");
    return redisStores({ url });
  }
  if (/^postgres(ql)?:\/\//.test(url)) {
    const { postgresStores } = await import("../../stores/postgres/index.ts");
    return postgresStores({ url });
  }
  throw new UsageError(`--store must be ${FORMS}, not ${JSON.stringify(url)}.`);
}
