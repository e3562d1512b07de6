/** The parts that tests may need; `scripts/setup/parts.mjs` says what each is. */
export type PartName =
  | "chromium"
  | "bash"
  | "zsh"
  | "fish"
  | "script"
  | "ps"
  | "redis"
  | "postgres"
  | "pgbouncer"
  | "nats"
  | "haproxy"
  | "nginx"
  | "runtimes"
  | "consumers"
  | "frameworks"
  | "documents"
  | "registry"
  | "schemas"
  | "site"
  | "conformance"
  | "papers"
  | "linux"
  | "disk";

/** What each part is for, and where it comes from. */
export const PARTS: Readonly<Record<PartName, { readonly use: string; readonly size?: string }>>;
