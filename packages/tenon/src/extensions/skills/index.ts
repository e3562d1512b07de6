/** `tenon/ext/skills`: the MCP Skills extension, both halves. */
export { skills, type SkillsOptions } from "./skills.ts";
export { SkillHost, type SkillChild, type SkillHostOptions, type SkillListing } from "./skill-host.ts";
export { LoadedSkill, type SkillClient, type SkillFileContents } from "./loaded-skill.ts";
export { InvalidSkillError, type Skill, type SkillFile, type SkillFrontmatter } from "./skill.ts";
export { SkillVerificationError, type SkillVerificationReason } from "./verification.ts";
