/** The type of undici's `Agent` as a module of its own. The package types only its main module, which loads all of undici. */
declare module "undici/lib/dispatcher/agent.js" {
  import { Agent } from "undici";
  export default Agent;
}
