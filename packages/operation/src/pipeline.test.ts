import { digest, Failure, type FailureClass, type JsonObject, type Ports, refuse } from "@bridle/record";
import * as Type from "typebox";
import { describe, expect, test } from "vitest";
import { HostEffect, outcomeOf } from "./envelope.js";
import { KeptThings } from "./kept.js";
import { neededBy } from "./needs.js";
import { perform } from "./pipeline.js";
import { commandLineAuthority, openMutationPolicyDigest } from "./policy.js";
import type { Authority, Call, Gate, Operation } from "./types.js";
import { fits } from "./validate.js";

const emptyDigest = "he1_44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a";

function makeCall(more: Partial<Call> = {}): Call {
  const signal = new AbortController().signal;
  return { ports: {} as Ports, signal, cwd: "/", env: {}, warn() {}, progress() {}, ...more };
}

function makeOperation(more: Partial<Operation> = {}): Operation {
  return {
    names: { id: "op/demo.note", action: "demo.note", command: ["demo", "note"], tool: "demo_note" },
    family: "premath",
    effect: "read",
    surfaces: ["cli", "mcp"],
    summary: "Notes.",
    examples: [{ command: "premath demo note", says: "notes" }],
    input: Type.Object(
      {
        state: Type.Optional(
          Type.Union([Type.Literal("active"), Type.Literal("stopped")], { description: "State." }),
        ),
        limit: Type.Optional(Type.Integer({ minimum: 1, description: "Limit." })),
        witnessRefs: Type.Optional(
          Type.Array(Type.String(), { description: "Refs.", "x-flag": "witness-ref" }),
        ),
      },
      { additionalProperties: false },
    ),
    output: Type.Object({ noted: Type.Boolean() }),
    run: async () => ({ noted: true }),
    ...more,
  };
}

interface Asking {
  readonly input?: unknown;
  readonly authority?: Authority;
  readonly gates?: readonly Gate[];
  readonly call?: Partial<Call>;
  readonly onBug?: (error: unknown) => void;
}

function ask(operation: Operation, asking: Asking = {}) {
  return perform(operation, asking.input, {
    call: makeCall(asking.call),
    authority: asking.authority ?? commandLineAuthority(),
    gates: asking.gates ?? [],
    ...(asking.onBug ? { onBug: asking.onBug } : {}),
  });
}

describe("an accepted call", () => {
  test("a property for the command line only is refused from elsewhere, and nothing runs", async () => {
    const operation = makeOperation({
      input: Type.Object(
        { file: Type.Optional(Type.String({ "x-cli-only": true, description: "A file." })) },
        { additionalProperties: false },
      ),
    });
    const input = { file: "/etc/hosts" };
    expect((await ask(operation, { input })).resultClass).toBe("accepted");
    const remote = await ask(operation, { input, authority: { surface: "mcp" } });
    expect(remote.resultClass).toBe("input_invalid");
    expect(remote.payload).toMatchObject({ message: "file can only be given on the command line" });
  });

  test("[TUSK-14.1.1] [TUSK-14.1.2] comes back in a typed envelope that names its action", async () => {
    const envelope = await ask(makeOperation());
    expect(envelope).toEqual({
      schema: "premath.host_effect.v0",
      action: "demo.note",
      argsDigest: emptyDigest,
      resultClass: "accepted",
      failureClasses: [],
      payload: { noted: true },
      witnessRefs: [],
    });
    expect(await fits(HostEffect, envelope)).toBe(true);
  });

  test("[TUSK-14.1.3] the digest of the arguments does not depend on the order of their keys", async () => {
    const one = await ask(makeOperation(), { input: { state: "active", limit: 2 } });
    const other = await ask(makeOperation(), { input: { limit: 2, state: "active" } });
    expect(one.argsDigest).toBe(other.argsDigest);
    expect(one.argsDigest).toBe(digest("he1_", { limit: 2, state: "active" }));
    expect((await ask(makeOperation(), { input: null })).argsDigest).toBe(emptyDigest);
  });

  test("[TUSK-14.1.6] witness refs that were given and that the answer names are trimmed, sorted and unique", async () => {
    const operation = makeOperation({
      output: Type.Object({
        noted: Type.Boolean(),
        witnessRef: Type.String(),
        witnessRefs: Type.Array(Type.String()),
      }),
      run: async () => ({ noted: true, witnessRef: "w://b", witnessRefs: ["w://c", "w://a"] }),
    });
    const envelope = await ask(operation, { input: { witnessRefs: [" w://c ", "w://d"] } });
    expect(envelope.witnessRefs).toEqual(["w://a", "w://b", "w://c", "w://d"]);
  });

  test("carries the sentences that the handler warned with, and the caller hears them at once", async () => {
    const heard: string[] = [];
    const operation = makeOperation({
      async run(_, call) {
        call.warn("line 3 is not JSON");
        return { noted: true };
      },
    });
    const envelope = await ask(operation, { call: { warn: (sentence) => heard.push(sentence) } });
    expect(envelope.warnings).toEqual(["line 3 is not JSON"]);
    expect(heard).toEqual(["line 3 is not JSON"]);
  });
});

test("what calls share reaches the handler, where the surface has it", async () => {
  const kept = new KeptThings();
  const shared: unknown[] = [];
  const operation = makeOperation({
    async run(_, call) {
      shared.push(call.kept);
      return { noted: true };
    },
  });
  await ask(operation, { call: { kept } });
  await ask(operation);
  expect(shared).toEqual([kept, undefined]);
});

describe("a mutation", () => {
  const mutation = makeOperation({ effect: "mutate", needs: "instruction" });

  test("[TUSK-14.1.7] [TUSK-14.1.8] at the command line carries the open policy's digest and says a person did it", async () => {
    const envelope = await ask(mutation);
    expect(envelope.resultClass).toBe("accepted");
    expect(envelope.policyDigest).toBe(openMutationPolicyDigest());
    expect(envelope.policyDigest).toMatch(/^pol1_[0-9a-f]{64}$/);
    expect(envelope.instructionRef).toBe("instruction://command-line/person");
  });

  const admitting = (policyDigest: string, instructionRef: string): Gate => ({
    name: "admitting",
    judge: async () => ({ mutationPolicy: "instruction-linked", policyDigest, instructionRef }),
  });

  test.each<[string, Authority, Gate[]]>([
    ["nobody who answers for it", { surface: "mcp" }, []],
    ["a lane, and no gate that knows of it", { surface: "mcp", standing: { kind: "lane" } }, []],
    ["a run, and no gate that knows of it", { surface: "cli", standing: { kind: "run", id: "s-1" } }, []],
    ["no policy", { surface: "mcp" }, [admitting("", "instruction://x")]],
    ["a blank instruction", { surface: "mcp" }, [admitting("pol1_x", " ")]],
    ["nothing at the command line either", { surface: "cli" }, []],
  ])(
    "[TUSK-14.0.5] [TUSK-14.1.7] [TUSK-14.1.8] with %s is refused before anything runs",
    async (_, authority, gates) => {
      let ran = false;
      const operation = makeOperation({
        effect: "mutate",
        async run() {
          ran = true;
          return { noted: true };
        },
      });
      const envelope = await ask(operation, { authority, gates });
      expect(envelope.policyDigest).toBeUndefined();
      expect(envelope.resultClass).toBe("mutation.use_evidence_missing");
      expect(ran).toBe(false);
    },
  );

  test("without evidence is refused even where a surface brings no gates at all", async () => {
    const envelope = await ask(mutation, { authority: { surface: "mcp" }, gates: [] });
    expect(envelope.resultClass).toBe("mutation.use_evidence_missing");
  });

  test("[TUSK-14.1.7] [TUSK-14.1.8] carries what a gate checked, and its handler sees it", async () => {
    let seen: unknown;
    const operation = makeOperation({
      ...{ effect: "mutate", needs: "instruction" },
      async run(_, call) {
        seen = call.admission;
        return { noted: true };
      },
    });
    const checked = {
      mutationPolicy: "instruction-linked",
      ...{ policyDigest: "pol1_x", instructionRef: "instruction://x", witnessRefs: ["w://b"] },
    } as const;
    const asked: unknown[] = [];
    const gates: Gate[] = [
      {
        name: "checks",
        async judge({ call, argsDigest }) {
          asked.push(call.cwd, argsDigest());
          return checked;
        },
      },
      { name: "has nothing to say", judge: async () => undefined },
    ];
    const envelope = await ask(operation, {
      ...{ gates, authority: { surface: "mcp" }, input: { witnessRefs: ["w://a"] } },
      call: { cwd: "/srv/project" },
    });
    expect(envelope).toMatchObject({
      ...{ policyDigest: "pol1_x", instructionRef: "instruction://x", witnessRefs: ["w://a", "w://b"] },
    });
    expect(asked).toEqual(["/srv/project", envelope.argsDigest]);
    expect(seen).toEqual(checked);
  });

  test("needs what it declares, or more where an input asks for more", () => {
    const operation = makeOperation({
      ...{ effect: "mutate", needs: "evidence" },
      needsWhen: [
        { input: "state", is: "stopped", needs: "verified-change" },
        { input: "limit", needs: "person" },
      ],
    });
    expect(neededBy(operation, {})).toBe("evidence");
    expect(neededBy(operation, { state: "active" })).toBe("evidence");
    expect(neededBy(operation, { state: " Stopped" })).toBe("verified-change");
    expect(neededBy(operation, { state: "stopped", limit: 1 })).toBe("person");
    expect(neededBy(operation, { limit: false })).toBe("evidence");
    expect(neededBy(makeOperation(), {})).toBe("nothing");
  });

  test("a read needs no evidence, and its envelope carries none", async () => {
    const envelope = await ask(makeOperation(), { authority: { surface: "mcp" } });
    expect(envelope.resultClass).toBe("accepted");
    expect(Object.keys(await ask(makeOperation()))).not.toContain("policyDigest");
  });
});

describe("the gates", () => {
  const gate = (name: string, log: string[], refuses: boolean): Gate => ({
    name,
    async judge() {
      log.push(name);
      return refuses ? refuse("lock_busy", { message: `${name} says no` }) : undefined;
    },
  });

  test("are asked in order and the first refusal wins", async () => {
    const log: string[] = [];
    const gates = [gate("one", log, false), gate("two", log, true), gate("three", log, true)];
    const envelope = await ask(makeOperation(), { gates });
    expect(log).toEqual(["one", "two"]);
    expect(envelope.payload).toEqual({ message: "two says no" });
  });

  test("are not asked about input that does not fit the schema", async () => {
    const log: string[] = [];
    const envelope = await ask(makeOperation(), { input: { limit: 0 }, gates: [gate("one", log, true)] });
    expect(log).toEqual([]);
    expect(envelope.resultClass).toBe("input_invalid");
  });

  test("a gate that breaks lets nothing through", async () => {
    const broken: Gate = {
      name: "broken",
      judge: () => Promise.reject(new Error("oops")),
    };
    const envelope = await ask(makeOperation(), { gates: [broken] });
    expect(envelope.resultClass).toBe("internal_error");
    expect(envelope.payload).toMatchObject({ message: "gate broken went wrong: oops" });
  });
});

describe("[TUSK-14.1.4] what goes wrong has a class of its own", () => {
  test("a refusal of the domain", async () => {
    const operation = makeOperation({
      run: async () =>
        refuse("session_missing", { message: "no session", hint: "write one", detail: { path: "p" } }),
    });
    const envelope = await ask(operation);
    expect(envelope).toMatchObject({ resultClass: "session_missing", failureClasses: ["session_missing"] });
    expect(envelope.payload).toEqual({ message: "no session", hint: "write one", detail: { path: "p" } });
    expect(outcomeOf(envelope)).toMatchObject({ kind: "refused", message: "no session", hint: "write one" });
  });

  test("a thrown Failure keeps its class", async () => {
    const operation = makeOperation({
      run: () => Promise.reject(new Failure("disk_full", { message: "no room" })),
    });
    expect(await ask(operation)).toMatchObject({ resultClass: "disk_full", payload: { message: "no room" } });
  });

  test("what a surface keeps between calls reaches the operation", async () => {
    const kept = {
      use: async <T, A>(_: string, open: () => Promise<T>, use: (thing: T) => Promise<A>) =>
        use(await open()),
    };
    const operation = makeOperation({ run: async (_, call) => ({ noted: call.kept === kept }) });
    expect((await ask(operation, { call: { kept } })).payload).toEqual({ noted: true });
    expect((await ask(operation)).payload).toEqual({ noted: false });
  });

  test("a long list in an answer is checked like a short one, and its first bad item is found", async () => {
    for (const length of [3, 500]) {
      const output = Type.Object({ items: Type.Array(Type.Integer()) });
      const items = Array.from({ length }, (_, i) => i);
      const answer = async (list: unknown[]) =>
        (await ask(makeOperation({ output, run: async () => ({ items: list }) }))).resultClass;
      expect(await answer(items)).toBe("accepted");
      expect(await answer([...items, "x"])).toBe("operation_output_invalid");
    }
  });

  test("anything else thrown is a bug: the message is kept, the stack is not, and whoever asked to know is told", async () => {
    const error = new Error("cannot read x\n    at secret/path.ts:1");
    const told: unknown[] = [];
    const envelope = await ask(makeOperation({ run: () => Promise.reject(error) }), {
      onBug: (e) => told.push(e),
    });
    expect(envelope.resultClass).toBe("internal_error");
    expect(envelope.payload).toMatchObject({ message: "demo.note went wrong: cannot read x" });
    expect(JSON.stringify(envelope)).not.toContain("secret/path");
    expect(told).toEqual([error]);
  });

  test("an answer that is a rejection keeps its payload and hands over its classes", async () => {
    const payload = { result: "rejected", failureClasses: ["b.second", "a.first"] };
    const operation = makeOperation({ output: Type.Unknown(), run: async () => payload });
    const envelope = await ask(operation);
    expect(envelope).toMatchObject({
      resultClass: "b.second",
      failureClasses: payload.failureClasses,
      payload,
    });
    expect(outcomeOf(envelope).kind).toBe("rejected");
  });

  test("[TUSK-14.1.5] an answer that breaks the operation's own schema", async () => {
    const envelope = await ask(
      makeOperation({ run: async () => ({ noted: "yes" }) as unknown as { noted: boolean } }),
    );
    expect(envelope.resultClass).toBe("operation_output_invalid");
    expect((envelope.payload as JsonObject)["message"]).toContain('noted must be true or false, got "yes"');
  });

  test("a surface that the operation is not offered on", async () => {
    const envelope = await ask(makeOperation({ surfaces: ["cli"] }), { authority: { surface: "mcp" } });
    expect(envelope.resultClass).toBe("operation_surface_denied");
  });

  test("a caller that gave up before it ran", async () => {
    const operation = makeOperation({ run: () => Promise.reject(new Error("must not run")) });
    const envelope = await ask(operation, { call: { signal: AbortSignal.abort() } });
    expect(envelope.resultClass).toBe("aborted");
  });

  test("a caller that gave up while it ran", async () => {
    const controller = new AbortController();
    const operation = makeOperation({
      async run(_, call) {
        controller.abort();
        call.signal.throwIfAborted();
        return { noted: true };
      },
    });
    expect((await ask(operation, { call: { signal: controller.signal } })).resultClass).toBe("aborted");
  });

  test("input that JSON cannot carry", async () => {
    const circular: Record<string, unknown> = {};
    circular["self"] = circular;
    for (const input of [{ limit: NaN }, circular, { state: "\ud800" }, { limit: 1n }]) {
      const envelope = await ask(makeOperation(), { input });
      expect(["json_unrepresentable", "json_too_deep"]).toContain(envelope.resultClass);
      expect(envelope.argsDigest).toMatch(/^he1_/);
      expect(envelope.argsDigest).not.toBe(emptyDigest);
    }
  });
});

describe("input that does not fit is explained in the words of the surface", () => {
  const explain = async (input: unknown, surface: "cli" | "mcp") => {
    const envelope = await ask(makeOperation(), { input, authority: { ...commandLineAuthority(), surface } });
    expect(envelope.resultClass).toBe("input_invalid");
    return (envelope.payload as JsonObject)["message"];
  };

  test.each<[unknown, string, string]>([
    [
      { state: "actve" },
      '--state is "actve", expected active or stopped; did you mean active?',
      'state is "actve", expected active or stopped; did you mean active?',
    ],
    [{ limit: 0 }, "--limit must be at least 1, got 0", "limit must be at least 1, got 0"],
    [{ limit: "x" }, '--limit must be a whole number, got "x"', 'limit must be a whole number, got "x"'],
    [{ witnessRefs: [1] }, "--witness-ref must be text, got 1", "witnessRefs[0] must be text, got 1"],
    [
      { witnessRef: [] },
      'there is no property "witnessRef"; did you mean "witnessRefs"?',
      'there is no property "witnessRef"; did you mean "witnessRefs"?',
    ],
    [[], "expected an object, got a list", "expected an object, got a list"],
    ["text", 'expected an object, got "text"', 'expected an object, got "text"'],
  ])("%j", async (input, atCommandLine, elsewhere) => {
    expect(await explain(input, "cli")).toBe(atCommandLine);
    expect(await explain(input, "mcp")).toBe(elsewhere);
  });

  test("what is missing is named", async () => {
    const operation = makeOperation({
      input: Type.Object({ stepId: Type.String({ description: "Step." }) }, { additionalProperties: false }),
    });
    const atCommandLine = await ask(operation);
    expect(atCommandLine.payload).toMatchObject({
      message: "--step-id is missing",
      hint: "See `premath demo note --help`.",
    });
    const elsewhere = await ask(operation, { authority: { ...commandLineAuthority(), surface: "mcp" } });
    expect(elsewhere.payload).toMatchObject({ message: "stepId is missing" });
  });

  test("several problems are named together", async () => {
    expect(await explain({ state: "x", limit: -1 }, "mcp")).toMatch(
      /state is "x".*; limit must be at least 1/,
    );
  });
});

test("a refusal whose class nobody declared does not pass as one: the answer breaks its schema", async () => {
  const classOfRefusal = async (refused: string) => {
    const operation = makeOperation({ run: async () => ({ refused, message: "no" }) as never });
    const options = { call: makeCall(), authority: commandLineAuthority(), gates: [] };
    const isFailureClass = (name: string) => name === "declared";
    return (await perform(operation, {}, { ...options, isFailureClass })).resultClass;
  };
  expect(await classOfRefusal("declared")).toBe("declared");
  expect(await classOfRefusal("no_such_class")).toBe("operation_output_invalid");
});

test("a failure class that no room declares does not compile", () => {
  // @ts-expect-error nobody declares it
  refuse("no_such_class", { message: "no" });
  const declared: FailureClass = "operation_output_invalid";
  expect(refuse(declared, { message: "no" }).refused).toBe(declared);
});
