/** `bridle mcp try`: asks about one server, starts it, lists its tools and ends it. */
import { configured, start, Trust, wantedFor } from "@bridle/extensions";
import { columns, defineOperation, visibleLine } from "@bridle/operation";
import { refuse } from "@bridle/record";
import * as Type from "typebox";
import type { ProcessStreams } from "../agent/process-streams.js";
import { paintFor, wantsColour } from "../cli/paint.js";
import { placeOf, serverName, workspaceInput } from "./place.js";
import { unknownServer } from "./unknown.js";

export function mcpTry(openStreams: () => Promise<ProcessStreams>) {
  return defineOperation({
    names: { id: "op/mcp.try", action: "mcp.try", command: ["mcp", "try"], tool: "mcp_try" },
    family: "bridle",
    effect: "mutate",
    needs: "person",
    surfaces: ["cli"],
    summary: "Start an MCP server, list its tools and end it.",
    description:
      "What would be started is shown first, for it runs with your rights, outside the wall. A yes is kept in " +
      "~/.config/bridle/trust.json for this folder and exactly this command, and holds in `bridle chat` and `bridle agent " +
      "run` too. The project's own tools are tried as .bridle/tools.",
    examples: [
      { command: "bridle mcp try files", says: "asks, starts it and lists its tools" },
      {
        command: "bridle mcp try .bridle/tools --yes",
        says: "says yes to the project's own tools as they are",
      },
    ],
    input: Type.Object(
      {
        name: serverName("Which server, or .bridle/tools."),
        yes: Type.Optional(Type.Boolean({ description: "Say yes to what would be started, as it is now." })),
        ...workspaceInput,
      },
      { additionalProperties: false },
    ),
    output: Type.Object({
      action: Type.Literal("mcp.try"),
      name: Type.String(),
      tools: Type.Array(Type.Object({ name: Type.String(), description: Type.String() })),
    }),
    async run(input, call) {
      const { name, yes = false } = input;
      const place = await placeOf(call, input);
      const entries = await configured(place);
      const entry = entries.find((each) => each.name === name);
      if (entry === undefined) return refuse("mcp_server_unknown", unknownServer(name, entries));
      const trust = await Trust.open(place);
      const wanted = await wantedFor(entry, place);
      const ask = yes ? async () => true : await askerFor(openStreams, call);
      if (!(await trust.allows(wanted, ask)))
        return refuse("trust_missing", {
          message: `${wanted.what} was not started: ${ask === undefined ? "nobody is there to say yes" : "you did not say yes"}`,
          hint: `It would start: ${wanted.covered.lines.map((line) => visibleLine(line, 200)).join("; ")}. Say yes at a terminal, or with --yes.`,
        });
      call.progress({ doing: `starting ${name}` });
      const started = await start(entry, place);
      await started.close();
      return {
        action: "mcp.try" as const,
        name,
        tools: started.tools.map((tool) => ({ name: tool.name, description: tool.description })),
      };
    },
    present: ({ name, tools }, paint) =>
      [
        `  ${paint.good("it answers")}  ${visibleLine(name, 60)}: ${tools.length} tool${tools.length === 1 ? "" : "s"}`,
        ...columns(tools.map((tool) => [tool.name, visibleLine(tool.description, 100)])),
      ].join("\n"),
  });
}

/** Undefined where nobody is there. */
async function askerFor(
  openStreams: () => Promise<ProcessStreams>,
  call: {
    readonly wantsJson?: boolean;
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly signal: AbortSignal;
  },
) {
  const { input, output, inputIsTerminal, outputIsTerminal } = await openStreams();
  if (call.wantsJson === true || !inputIsTerminal || !outputIsTerminal) return undefined;
  const { trustAtTerminal } = await import("../terminal/trust.js");
  const paint = paintFor(wantsColour(call.env, true));
  const ask = trustAtTerminal({ input, output, paint, signal: call.signal });
  return (question: Parameters<typeof ask>[0]) => ask(question).finally(() => input.unref?.());
}
