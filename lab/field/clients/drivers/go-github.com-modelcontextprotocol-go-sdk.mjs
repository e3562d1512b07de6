// The official client for Go.
import { fileURLToPath } from "node:url";
import { openProgram } from "./other-language.mjs";

export const open = (target) => openProgram(fileURLToPath(new URL("client", import.meta.url)), [], target);
