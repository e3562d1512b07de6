/** Hosts and model APIs that `tenon check --profile` knows. What the APIs accept stands in `tenon/models`; a host adds its own limits. */
import { profiles as models, type ModelProfile } from "tenon/models";
import type { Profile } from "./rule.ts";

const ofModel = (id: string, { names, refs, maxTools }: ModelProfile): Profile => ({
  id,
  maxName: names.max,
  names: names.pattern,
  refs: refs === "defs",
  ...(maxTools !== undefined && { maxTools }),
});

const openai = ofModel("openai", models.openai);
const anthropic = ofModel("anthropic", models.anthropic);
const gemini = ofModel("gemini", models.gemini);

/** `common` is the default: what every one of them accepts. References are judged by their own rule there. */
export const PROFILES: ReadonlyMap<string, Profile> = new Map(
  [
    { ...ofModel("common", models.common), refs: true, maxTools: 128 },
    openai,
    anthropic,
    gemini,
    // The prefix `mcp__<server>__` counts; half of the 64 characters is left for the name. It cuts descriptions after 2 KB.
    { ...anthropic, id: "claude-code", maxName: 44, maxDescription: 2_048 },
    { ...anthropic, id: "claude-desktop" },
    { ...openai, id: "chatgpt" },
    { ...openai, id: "vscode", maxTools: 128 },
    // Server and tool together have 60 characters, and 40 tools are sent.
    { ...openai, id: "cursor", maxName: 45, maxTools: 40 },
    { ...gemini, id: "gemini-cli" },
  ].map((profile) => [profile.id, profile]),
);
