/** The types of undici's `Agent` and `ProxyAgent` as modules of their own. The package types only its main module, which loads all of undici. */
declare module "undici/lib/dispatcher/agent.js" {
  import { Agent } from "undici";
  export default Agent;
}

declare module "undici/lib/dispatcher/proxy-agent.js" {
  import { ProxyAgent } from "undici";
  export default ProxyAgent;
}

declare module "undici/lib/dispatcher/pool.js" {
  import { Pool } from "undici";
  export default Pool;
}

declare module "undici/lib/api/api-connect.js" {
  import type { Dispatcher } from "undici";
  const connect: Dispatcher["connect"];
  export default connect;
}
