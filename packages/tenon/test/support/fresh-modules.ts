/**
 * Each file of the unit tests begins with modules of its own, although many run in one process: what a module keeps, and
 * what is loaded with its first use, is as new as in a process of its own, which would take a quarter of a second.
 * What belongs to the process (globals, its environment) every test leaves as it was.
 */
import { vi } from "vitest";

vi.resetModules();
