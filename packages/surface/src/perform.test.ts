import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { commandLineAuthority, defineOperation, type Operation } from "@bridle/operation";
import { nodePorts } from "@bridle/record";
import * as Type from "typebox";
import { expect, test } from "vitest";
import { performOperation } from "./perform.js";

const here = fileURLToPath(new URL(".", import.meta.url));

test("every surface carries operations out in perform.ts, and no file of theirs goes past it", () => {
  const files = readdirSync(here, { recursive: true, encoding: "utf8" }).filter(
    (file) => file.endsWith(".ts") && !file.endsWith(".test.ts"),
  );
  const past = files.filter((file) => {
    const text = readFileSync(here + file, "utf8");
    return /\bperform\(|\boperation\.run\(/.test(text);
  });
  expect(past).toEqual(["perform.ts"]);
});

test("a refusal passes with a class that a room declares, and with no other", async () => {
  const classOf = async (refused: string) => {
    const operation = defineOperation({
      names: {
        id: "op/test.refuse",
        action: "test.refuse",
        command: ["test", "refuse"],
        tool: "test_refuse",
      },
      family: "bridle",
      effect: "read",
      surfaces: ["cli"],
      summary: "Refuse.",
      examples: [{ command: "bridle test refuse", says: "refuse" }],
      input: Type.Object({}, { additionalProperties: false }),
      output: Type.Object({}, { additionalProperties: false }),
      run: async () => ({ refused, message: "no" }) as never,
    }) as unknown as Operation;
    const call = {
      ports: nodePorts(),
      signal: new AbortController().signal,
      cwd: here,
      env: {},
      warn() {},
      progress() {},
    };
    return (await performOperation(operation, {}, { call, authority: commandLineAuthority() })).resultClass;
  };
  expect(await classOf("issue_closed")).toBe("issue_closed");
  expect(await classOf("no_such_class")).toBe("operation_output_invalid");
});
