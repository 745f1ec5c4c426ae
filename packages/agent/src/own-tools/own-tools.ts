/** The tools that every agent has of its own, beside those that it is given. */
import * as Type from "typebox";
import { childTools } from "../children/tools.js";
import type { Children } from "../children/children.js";
import { type Verify, verifyTool } from "../children/verify.js";
import type { ArtifactStore } from "../context/artifacts.js";
import { contextTools } from "../context/tools.js";
import type { NoteIndex } from "../memory/recall.js";
import { memoryTools } from "../memory/tools.js";
import { parametersOf } from "../parameters.js";
import { planTool } from "../plan/tool.js";
import type { Agent } from "../turn/agent.js";
import type { AgentOptions, AgentTool } from "../types.js";
import { familyTools } from "./families.js";

export interface OwnToolParts {
  readonly options: AgentOptions;
  readonly index: NoteIndex;
  readonly artifacts: ArtifactStore;
  children(): Children;
  readonly verify: Verify;
}

export function ownTools(
  { options, index, artifacts, children, verify }: OwnToolParts,
  self: Agent,
): AgentTool[] {
  const { config, ports, depth = 0 } = options;
  const mayHaveChildren = depth < config.childDepthMax;
  return [
    thinkTool,
    planTool(() => self.current.plan),
    ...familyTools(() => self.session.toolbox),
    ...memoryTools({ index, clock: ports.clock, maxAgeDays: config.memoryMaxAgeDays }),
    ...contextTools(
      {
        status: () => self.session.contextStatus(),
        compress: async (summary) => (await self.session.compacted({ summary })).report,
      },
      artifacts,
    ),
    ...(mayHaveChildren ? childTools(children) : []),
    ...(mayHaveChildren && config.verifyTools ? [verifyTool(verify)] : []),
  ];
}

/** A place to reason that does nothing. */
const thinkTool: AgentTool = {
  name: "think",
  description: "A place to think something through before acting. Nothing happens.",
  family: "core",
  parameters: parametersOf({ thought: Type.String({ minLength: 1, maxLength: 20_000 }) }),
  intent: ({ thought }) => ({ key: `think ${String(thought)}`, repeat: "run", risk: "safe", says: "think" }),
  async run() {
    return { ok: true, text: "Noted." };
  },
};
