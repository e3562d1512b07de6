/**
 * Each test begins as a client that has met no server: files share processes, in which one server gets the port that another one
 * had before, and a client remembers for ten minutes what it found at an address.
 */
import { beforeEach } from "vitest";
import { knownFamilies } from "../../src/client/http/known-families.ts";

beforeEach(() => knownFamilies.clear());
