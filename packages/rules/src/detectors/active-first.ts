/**
 * R-ACTIVE-FIRST: families of tools switched on by the handful, or and not used.
 *
 * What a newcomer gets wrong: switching on what is on already is nothing new, and
 * a tool that was called and failed was used all the same.
 */
import { textArg, textsArg } from "../reading/args.js";
import type { Detector, Finding } from "../types.js";

interface Activation {
  readonly family: string;
  readonly round: number;
  /** Empty where nobody said what is in it. */
  readonly tools: ReadonlySet<string>;
  used: boolean;
}

export const activeFirst: Detector = {
  begin() {
    const toolsOf = new Map<string, ReadonlySet<string>>();
    const active = new Set<string>();
    let latest: Activation | undefined;

    function learn(listing: string): void {
      for (const [, family = "", state, tools = ""] of listing.matchAll(/^\W*([\w-]+) \((\w+)\): *(.*)$/gm)) {
        toolsOf.set(family, namesIn(tools));
        if (state === "active") active.add(family);
      }
    }

    function activated(family: string, round: number, output: string): Finding | undefined {
      if (active.has(family) || /\balready\b/i.test(output)) return undefined;
      active.add(family);
      const before = latest;
      const listed = namesIn(output.slice(output.indexOf(":") + 1));
      const tools = toolsOf.get(family) ?? (output.includes(":") ? listed : new Set<string>());
      latest = { family, round, tools, used: tools.size === 0 };
      if (before === undefined) return undefined;
      if (before.round === round)
        return {
          what: `The tool families ${before.family} and ${family} were both activated in round ${round}.`,
          remedy: `Activate one family a round, and use ${before.family} before you activate another.`,
        };
      if (before.used) return undefined;
      return {
        what: `The tool family ${family} was activated before any tool of ${before.family} was used.`,
        remedy: `Use a tool of the family that you activated (${[...before.tools].join(", ")}) before the next one.`,
      };
    }

    return {
      ran({ tool, args, round }, { ok, output, ran }) {
        if (latest?.tools.has(tool) === true) latest.used = true;
        if (tool === "list_tool_families" && ok) learn(output);
        if (tool !== "activate_tool_family" || !ok || ran === false) return undefined;
        const one = textArg(args, "family", "name");
        const families = one === undefined ? textsArg(args, "families") : [one];
        const findings = families.map((family) => activated(family.trim(), round, output));
        return findings.find((finding) => finding !== undefined);
      },
    };
  },
};

function namesIn(text: string): ReadonlySet<string> {
  return new Set(text.match(/[a-z][\w-]*/gi));
}
