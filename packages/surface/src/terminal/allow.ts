/** What a person always allows in this folder: shown with numbers, and taken back by them. */
import { columns } from "@bridle/operation";
import { Failure } from "@bridle/record";
import { visibleLine } from "../agent/visible.js";
import type { ChatScene } from "./commands.js";

export async function allow(scene: ChatScene, given: string): Promise<void> {
  const { allowed } = scene.opened;
  const rules = await allowed.rules();
  const [, number] = /^remove\s+(\d+)$/.exec(given) ?? [];
  if (given !== "" && number === undefined) {
    throw new Failure("input_invalid", {
      message: "/allow lists what always runs unasked here, and /allow remove <number> takes one back",
      hint: "More is allowed when a command is asked for: answer with a.",
    });
  }
  if (number !== undefined) {
    const rule = rules[Number(number) - 1];
    if (rule === undefined)
      throw new Failure("input_invalid", {
        message: `there is no number ${number}; there are ${rules.length}`,
      });
    await allowed.remove(rule);
    scene.say(`  ${visibleLine(rule.command)} is asked for again.`);
    return;
  }
  const rows = rules.map(({ needs, command }, i) => [`${i + 1}`, needs, visibleLine(command)]);
  for (const line of columns(rows)) scene.say(line);
  if (rows.length === 0)
    scene.say(scene.paint.dim("  Every command that can change something is asked for here."));
}
