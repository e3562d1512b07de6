// FastMCP's client for Python.
import { fileURLToPath } from "node:url";
import { openProgram } from "./other-language.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

export const open = (target) => openProgram(here("venv/bin/python"), [here("client.py"), "fastmcp"], target);
