/**
 * What `tenon init --ci` adds: a workflow of GitHub that checks each push, and for a tag publishes the package to npm and the server to the MCP
 * registry; and a program and a build, without which there is nothing to publish.
 *
 * Security: the workflow has no secrets. npm and the registry trust the identity that GitHub gives the job (OpenID Connect), and only the job
 * that publishes may ask for it.
 */

/** Serves the published package. */
const BIN = `#!/usr/bin/env node
// The command of the package: serves over standard input and output.
import { serveStdio } from "tenon/node";
import { server } from "./server.ts";

await serveStdio(server);
`;

const BUILD = `${JSON.stringify(
  {
    extends: "./tsconfig.json",
    compilerOptions: { noEmit: false, rootDir: "src", outDir: "dist" },
    include: ["src"],
  },
  undefined,
  2,
)}\n`;

const SETUP = (node: string): string => `      - uses: actions/checkout@v5
        with:
          persist-credentials: false
      - uses: actions/setup-node@v5
        with:
          node-version: ${node}
          cache: npm
      - run: npm ci`;

function workflow(hasTests: boolean): string {
  return `# Checks each push. A tag such as v1.2.0 publishes: "npm version minor && git push --follow-tags".
# Write the new version into src/server.ts first, and commit it: the server and the package must name the same one.
# Once, before the first tag: publish the package by hand, and name this file as its trusted publisher in its settings at npm.
name: ci
on:
  push:
    branches: [main]
    tags: ["v*"]
  pull_request:
permissions:
  contents: read
jobs:
  check:
    runs-on: ubuntu-latest
    strategy:
      matrix:
        node: [20, 22, 24]
    steps:
${SETUP("${{ matrix.node }}")}
      - run: npm run types${hasTests ? "\n      - run: npm test" : ""}
      - run: npm run build
      # What breaks callers fails once mcp.lock is committed ("npx tenon check src/server.ts --update" writes it); with --locked a missing one fails too.
      - run: npx tenon check src/server.ts

  publish:
    needs: check
    if: startsWith(github.ref, 'refs/tags/v')
    runs-on: ubuntu-latest
    permissions:
      contents: read
      id-token: write # for npm and the registry, which trust this job
    steps:
${SETUP("24")}
      - name: The tag is the version of the package
        run: test "v$(node -p "require('./package.json').version")" = "$GITHUB_REF_NAME"
      - name: The package names its place, as npm and the registry want it
        run: npm pkg set mcpName="io.github.$GITHUB_REPOSITORY" repository.type=git repository.url="git+$GITHUB_SERVER_URL/$GITHUB_REPOSITORY.git"
      - name: The registry would take it
        run: npx tenon publish src/server.ts --check -o server.json
      - run: npm publish --provenance --access public
      - name: Publish to the MCP registry
        run: |
          curl -fsSL https://github.com/modelcontextprotocol/registry/releases/latest/download/mcp-publisher_linux_amd64.tar.gz | tar xz mcp-publisher
          ./mcp-publisher login github-oidc
          ./mcp-publisher publish
`;
}

export function ciFiles(hasTests: boolean): readonly [path: string, text: string][] {
  return [
    [".github/workflows/ci.yml", workflow(hasTests)],
    ["src/bin.ts", BIN],
    ["tsconfig.build.json", BUILD],
  ];
}

/** What stands in `package.json` for a package that others start. */
export function ciManifest(name: string): object {
  return { bin: { [name.split("/").at(-1)!]: "dist/bin.js" }, files: ["dist"] };
}

export const CI_SCRIPTS: Readonly<Record<string, string>> = { build: "tsc -p tsconfig.build.json", prepublishOnly: "npm run build" };
