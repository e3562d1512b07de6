/** Runs `tenon doctor` and reads what it found; and a world around a server that can be broken. */
import { protect, type ProtectedServer } from "../../../tenon/test/auth/support.ts";
import { worldOf, type World } from "./protected.ts";

interface Hop {
  hop: string;
  status: string;
  detail: string;
  url?: string;
  fix?: string;
  error?: string;
}

export interface Diagnosis {
  ok: boolean;
  failed: string | null;
  hops: Hop[];
  /** The versions and the machine, for a report of a fault. */
  readonly environment: { readonly tenon: string; readonly node: string; readonly platform: string };
  code: number | null;
  /** Names of the hops by what became of them. */
  readonly by: (status: string) => string[];
  readonly hop: (name: string) => Hop;
}

/** Runs `tenon doctor --json`. */
export async function examine(run: World["run"], args: readonly string[]): Promise<Diagnosis> {
  const { code, stdout } = await run(["doctor", ...args, "--json"]);
  const { hops, ...rest } = JSON.parse(stdout) as Pick<Diagnosis, "ok" | "failed" | "hops" | "environment">;
  return {
    ...rest,
    hops,
    code,
    by: (status) => hops.filter((hop) => hop.status === status).map(({ hop }) => hop),
    hop: (name) => hops.find(({ hop }) => hop === name)!,
  };
}

/** A world around a server that can be broken. */
export async function guardedWorld(): Promise<World & { readonly server: ProtectedServer }> {
  let server: ProtectedServer | undefined;
  const world = await worldOf({}, async (as) => {
    server = await protect(as);
    return server.url;
  });
  return { ...world, server: server! }; // it was made
}
