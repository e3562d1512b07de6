// What some tests need beside Node, npm, git and a shell: one table, from which tests know what they lack (packages/tenon/test/support/needs.ts),
// `npm run setup` brings it, and continuous integration, the dev container and CONTRIBUTING.md take their lists.
//
// A part is one of these:
//   debian    programs of a package of Debian
//   npm       a folder with a lock file of its own, installed by npm
//   command   what a command of this repository makes
//   git       files of a public repository, at one commit
//   ask       what nothing here can bring; the sentence says what to do
// `programs` are looked for in PATH, and then in `places`: folders of the system that a user's PATH may lack.

export const PARTS = {
  chromium: {
    use: "pages, views and logins in a real browser",
    size: "340 MB",
    debian: "chromium-headless-shell",
    programs: ["chromium-headless-shell"],
    variable: "CHROMIUM",
  },
  bash: { use: "completion in the shell itself", size: "7 MB", debian: "bash", programs: ["bash"] },
  zsh: { use: "completion in the shell itself", size: "19 MB", debian: "zsh", programs: ["zsh"] },
  fish: { use: "completion in the shell itself", size: "19 MB", debian: "fish", programs: ["fish"] },
  script: { use: "the command at a terminal", size: "1 MB", debian: "bsdutils", programs: ["script"] },
  ps: { use: "which processes are left when the command has ended", size: "2 MB", debian: "procps", programs: ["ps"] },
  redis: { use: "the Redis stores", size: "7 MB", debian: "redis-server", programs: ["redis-server"] },
  postgres: {
    use: "the PostgreSQL stores",
    size: "250 MB",
    debian: "postgresql",
    programs: ["postgres", "initdb"],
    places: ["/usr/lib/postgresql/*/bin"],
  },
  pgbouncer: { use: "PostgreSQL behind a pooler", size: "1 MB", debian: "pgbouncer", programs: ["pgbouncer"], places: ["/usr/sbin"] },
  nats: { use: "the NATS stores", size: "12 MB", debian: "nats-server", programs: ["nats-server"], places: ["/usr/sbin"] },
  haproxy: { use: "the proof of several nodes", size: "5 MB", debian: "haproxy", programs: ["haproxy"], places: ["/usr/sbin"] },
  nginx: { use: "the configuration of nginx on a page", size: "2 MB", debian: "nginx-light", programs: ["nginx"], places: ["/usr/sbin"] },
  runtimes: { use: "Bun, Deno, workerd and other releases of Node", size: "860 MB", npm: "packages/tenon/test/runtimes/binaries" },
  consumers: { use: "Jest, NestJS, web frameworks, SvelteKit and Astro", size: "260 MB", npm: "packages/tenon/test/consumers/packages" },
  frameworks: { use: "servers of other frameworks before they are moved", size: "65 MB", npm: "packages/tenon/test/moving/packages" },
  documents: { use: "OpenAPI documents of real APIs", size: "426 MB", npm: "packages/tenon/test/openapi/documents" },
  registry: { use: "a release to a registry on this machine", size: "55 MB", npm: "lab/release/registry" },
  schemas: {
    use: "comparison with the official schemas",
    size: "1 MB",
    git: {
      url: "https://github.com/modelcontextprotocol/modelcontextprotocol",
      commit: "b0f60ba5409db7a6582440a7b473cc0398890f15",
      files: Object.fromEntries(
        ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"].map((one) => [`schema/${one}/schema.json`, `${one}.json`]),
      ),
    },
    folders: ["packages/tenon/test/differential/schemas", "../shared/spec/schema"],
  },
  site: { use: "the documentation site, opened page by page", size: "120 MB", command: "npm run docs", files: ["out/site/llms.txt"] },
  conformance: {
    use: "what the official conformance suite requires",
    size: "90 MB",
    command: "npm run conformance",
    files: [
      "out/conformance.json",
      "out/conformance-gateway.json",
      "out/conformance-gateway-client.json",
      "conformance/node_modules/@modelcontextprotocol/conformance",
    ],
  },
  papers: {
    use: "comparison with the documents that the lists of rows come from",
    ask: "they lie beside a checkout of the maintainers",
    files: ["../shared/seeds/checklist.md"],
  },
  linux: { use: "what only Linux has: /proc, limits of a process", ask: "run the tests on Linux" },
  disk: { use: "an engine whose disk is full", ask: "run the tests as root, where it may mount" },
};
