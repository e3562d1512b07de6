/** Pages for a user of this machine, who reaches the server over pipes: what a platform offers for them (`#local-pages`). */
import type { Pages } from "../dispatch/acceptor.ts";

/** Pages that are served on this machine only. */
export interface LocalPages<Served extends Pages> {
  readonly pages: Served;
  close(): Promise<void>;
}

/** Serves pages at an address of this machine. It does not keep the process alive. @param pagesAt makes the pages for their URL */
export type OpenLocalPages = <Served extends Pages>(pagesAt: (url: URL) => Served) => Promise<LocalPages<Served>>;
