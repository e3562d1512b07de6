// One runner for every test: unit tests beside the code (`unit`) and tests of the whole through the public API (`whole`).
// Imports of `tenon/...` and `#...` resolve to src through the `source` condition, so a test never needs a build to see a change.
import { defineConfig } from "vitest/config";

// Without `module`: Node does not know it, and packages that have it (OpenTelemetry) put there what only bundlers can read.
const conditions = ["source", "node", "development|production"];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    environment: "node",
    pool: "forks",
    testTimeout: 10_000,
    hookTimeout: 10_000,
    teardownTimeout: 5_000,
    dangerouslyIgnoreUnhandledErrors: false,
    passWithNoTests: false,
    allowOnly: false,
    unstubGlobals: true,
    unstubEnvs: true,
    restoreMocks: true,
    projects: [
      { extends: true, test: { name: "unit", include: ["src/**/*.test.ts"] } },
      { extends: true, test: { name: "whole", include: ["test/**/*.test.ts"] } },
    ],
  },
});
