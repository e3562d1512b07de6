/** The one function of `cross-spawn` that is used; the package brings no types. */
declare module "cross-spawn" {
  import type { spawn } from "node:child_process";
  const crossSpawn: typeof spawn;
  export default crossSpawn;
}
