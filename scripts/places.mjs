// Where the parts of this repository are, as absolute paths without a slash at the end.
import { fileURLToPath } from "node:url";

/** The repository: documentation, scripts, benchmark, and the packages. */
export const repository = fileURLToPath(new URL("..", import.meta.url)).replace(/[\\/]$/, "");

/** The package `tenon`: its `package.json`, `src/`, `test/` and, when it is built, `dist/`. */
export const tenon = fileURLToPath(new URL("../packages/tenon", import.meta.url));

/** The package `tenon-sdk-v1`: the API of the official SDK 1.x on Tenon. */
export const sdkV1 = fileURLToPath(new URL("../packages/sdk-v1", import.meta.url));

/** The package `tenon-cli`: the command and the inspector. */
export const command = fileURLToPath(new URL("../packages/tenon-cli", import.meta.url));
