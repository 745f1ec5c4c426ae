/** `list_tool_families` and `activate_tool_family`. Activation itself is reduced from the result's row, so a resume has it too. */
import { nearest } from "@bridle/operation";
import { Failure } from "@bridle/record";
import * as Type from "typebox";
import { parametersOf } from "../parameters.js";
import type { Toolbox } from "../turn/toolbox.js";
import type { AgentTool } from "../types.js";

export function familyTools(toolbox: () => Toolbox): AgentTool[] {
  return [
    {
      name: "list_tool_families",
      description: "Lists the families of tools, which are active, and what is in them.",
      family: "core",
      parameters: parametersOf({}),
      intent: () => ({ key: "families", repeat: "run", risk: "safe", says: "list the tool families" }),
      async run() {
        const lines = toolbox()
          .families()
          .map(
            ({ name, active, tools }) => `${name} (${active ? "active" : "inactive"}): ${tools.join(", ")}`,
          );
        return { ok: true, text: lines.join("\n") };
      },
    },
    {
      name: "activate_tool_family",
      description: "Offers the tools of one more family from the next round on.",
      family: "core",
      parameters: parametersOf({ family: Type.String({ minLength: 1, maxLength: 100 }) }),
      intent: ({ family }) => ({
        key: `activate ${String(family)}`,
        repeat: "run",
        risk: "safe",
        says: `activate ${String(family)}`,
      }),
      async run({ family }) {
        const families = toolbox().families();
        const found = families.find(({ name }) => name === family);
        if (found !== undefined)
          return { ok: true, text: `Activated ${found.name}: ${found.tools.join(", ")}.` };
        const names = families.map(({ name }) => name);
        const near = nearest(String(family), names);
        throw new Failure("family_unknown", {
          message: `there is no tool family ${String(family)}${near === undefined ? "" : `; did you mean ${near}?`}`,
          hint: `There are: ${names.join(", ")}.`,
        });
      },
    },
  ];
}
