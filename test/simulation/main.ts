/** What is bundled for a run: the simulation with the whole of the SDK in it. */
export { simulate } from "./simulate.ts";
