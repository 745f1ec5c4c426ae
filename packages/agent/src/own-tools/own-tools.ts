/** The tools that every agent has of its own, beside those that it is given. */
import { childTools } from "../children/tools.js";
import type { Children } from "../children/children.js";
import { type Verify, verifyTool } from "../children/verify.js";
import type { ArtifactStore } from "../context/artifacts.js";
import { contextTools } from "../context/tools.js";
import type { NoteIndex } from "../memory/recall.js";
import { memoryTools } from "../memory/tools.js";
import { planTool } from "../plan/tool.js";
import type { Agent } from "../turn/agent.js";
import type { AgentOptions, AgentTool } from "../types.js";
import { familyTools } from "./families.js";
import { thinkTool } from "./think.js";

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
    // What it sets is reduced from the row of its result, so a resume has it too.
    planTool({ current: () => self.current.plan, set: () => {} }),
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
