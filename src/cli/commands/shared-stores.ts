/** The stores that `--store` names: all nodes of one server share them. */
import type { Stores } from "../../stores/stores.ts";
import { UsageError } from "../failure.ts";

const FORMS = "redis://host:6379, postgres://user@host/database or nats://host:4222";

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
  if (/^(nats|tls):\/\//.test(url)) {
    const { natsStores } = await import("../../stores/nats/index.ts");
    return natsStores({ url });
  }
  throw new UsageError(`--store must be ${FORMS}, not ${JSON.stringify(url)}.`);
}
