/** Commands of a harness that is gone: ended by somebody else, soon, and nobody else with them. */
import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect } from "vitest";
import { type Child, useChildren } from "../../../../test/support/children.js";
import { newFolder } from "../../../../test/support/folder.js";
import { it, long } from "../../../../test/support/everyday.js";
import { wallStands } from "../../../../test/support/wall/stands.js";
import { until } from "../../../../test/support/until.js";

const children = useChildren();

/** Live processes whose words match. */
function living(matches: (words: readonly string[], pid: number) => boolean): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const state = /.*\) (\S)/s.exec(readFileSync(`/proc/${pid}/stat`, "latin1"))?.[1] ?? "Z";
        const words = readFileSync(`/proc/${pid}/cmdline`, "latin1").split("\0");
        return matches(words, pid) && !"ZX".includes(state);
      } catch {
        return false;
      }
    });
}

let markers = 0;
/** A number of seconds that nobody else sleeps. */
const marker = () => `5${process.pid}.${++markers}43`;
const sleepers = (seconds: string) =>
  living((words) => words[0]?.endsWith("sleep") === true && words[1] === seconds).length;
const watchersOf = ({ pid }: Child) =>
  living(
    (words, each) =>
      words.includes("bridle-watch") &&
      readFileSync(`/proc/${each}/stat`, "latin1").split(") ").at(-1)?.split(" ")[1] === String(pid),
  );
const isThere = (pid: number) => living((_, each) => each === pid).length > 0;

describe("when the harness is killed", () => {
  it.each(["host", ...(wallStands ? ["read", "write"] : [])])(
    "the command that it ran and what that left in the background are gone within two seconds: %s",
    async (needs) => {
      const took: number[] = [];
      const times = needs === "host" ? 5 : 2;
      for (let i = 0; i < times; i++) {
        const seconds = marker();
        const harness = children.start("shell-harness", {
          needs,
          root: newFolder(),
          commands: [`sleep ${seconds} & sleep ${seconds}`],
        });
        await until("both sleep", () => sleepers(seconds) === 2);
        harness.kill("SIGKILL");
        const killed = performance.now();
        await until("both are gone", () => sleepers(seconds) === 0);
        took.push(performance.now() - killed);
      }
      expect(Math.max(...took)).toBeLessThan(2_000);
      console.log(
        `proof: kill -9: the ${needs} commands of ${times} harnesses were gone after ${took.map(Math.round).join(", ")} ms`,
      );
    },
  );

  it.each([
    ["in a session of its own", "setsid -f sleep S; sleep S"],
    ["without its environment", "setsid -f env -i sleep S; sleep S"],
    ["with another limit", "(ulimit -f 100; exec setsid sleep S) & sleep S"],
    ["that heeds no signal", "trap '' TERM HUP INT; sleep S & sleep S & wait"],
    ["that stands still", 'sleep S & sleep S & kill -STOP "$!"; wait'],
    ["of a program whose name looks like its state", "exec -a ') Z 1' sleep S & sleep S"],
  ])("a process %s is ended as well", async (_, command) => {
    const seconds = marker();
    const counted = () => living((words) => words[1] === seconds && !words.includes("--norc")).length;
    const harness = children.start("shell-harness", {
      root: newFolder(),
      commands: [command.replaceAll("S", seconds)],
    });
    await until("both sleep", () => counted() === 2);
    harness.kill("SIGKILL");
    await until("both are gone", () => counted() === 0, 10_000);
  });

  it("a process without its environment is ended inside another run too, whose limit nobody may raise", async () => {
    const seconds = marker();
    const limited = ["bash", "-c", 'ulimit -f 67108865; exec "$@"', "bash"];
    const args = { root: newFolder(), commands: [`setsid -f env -i sleep ${seconds}; sleep ${seconds}`] };
    const harness = children.start("shell-harness", args, { within: limited });
    await until("both sleep", () => sleepers(seconds) === 2);
    harness.kill("SIGKILL");
    await until("both are gone", () => sleepers(seconds) === 0, 10_000);
  });

  long("all of several commands end, and what is not theirs goes on", async () => {
    const [seconds, other] = [marker(), marker()];
    const bystander = spawn("sleep", [other], { stdio: "ignore", detached: true });
    const watched = (sleeps: string) =>
      children.start("shell-harness", {
        root: newFolder(),
        commands: ["true", `sleep ${sleeps}`, `sleep ${sleeps}`],
      });
    const harness = watched(seconds);
    const neighbour = watched(other);
    await until("they sleep", () => sleepers(seconds) === 2 && sleepers(other) === 3);
    await Promise.all([harness.says("ended 0 exit=0"), neighbour.says("ended 0 exit=0")]);
    const [watcher] = watchersOf(harness);
    harness.kill("SIGKILL");
    await until("they are gone, and who ended them", () => sleepers(seconds) === 0 && !isThere(watcher ?? 0));
    expect(sleepers(other)).toBe(3);
    bystander.kill("SIGKILL");
  });

  it("and its watcher was killed before, another one ends them", async () => {
    const seconds = marker();
    const commands = [`sleep ${seconds}`, `sleep ${seconds}`];
    const harness = children.start("shell-harness", { root: newFolder(), commands });
    await until("both sleep", () => sleepers(seconds) === 2);
    const [first = 0] = watchersOf(harness);
    process.kill(first, "SIGKILL");
    await until("there is another", () => watchersOf(harness).some((pid) => pid !== first));
    harness.kill("SIGKILL");
    await until("both are gone", () => sleepers(seconds) === 0);
  });
});

describe("a harness that ends by itself", () => {
  it("in the middle of a command leaves nothing behind either", async () => {
    const seconds = marker();
    const commands = [`sleep ${seconds} & sleep ${seconds}`];
    const harness = children.start("shell-harness", { root: newFolder(), commands });
    await until("both sleep", () => sleepers(seconds) === 2);
    const [watcher] = watchersOf(harness);
    harness.tell("end");
    await harness.finish();
    await until("both are gone", () => sleepers(seconds) === 0);
    await until("nobody watches", () => !isThere(watcher ?? 0));
  });
});

it.each(["host", ...(wallStands ? ["read", "write"] : [])])(
  "a command has no more descriptors than any other process: %s",
  async (needs) => {
    const seconds = marker();
    const descriptors = () => {
      const [pid] = living((words) => words[1] === seconds);
      return readdirSync(`/proc/${pid}/fd`);
    };
    const plain = spawn("sleep", [seconds], { stdio: ["ignore", "pipe", "pipe"] });
    await until("it sleeps", () => sleepers(seconds) === 1);
    const usual = descriptors();
    plain.kill("SIGKILL");
    await until("it is gone", () => sleepers(seconds) === 0);
    children.start("shell-harness", { needs, root: newFolder(), commands: [`sleep ${seconds}`] });
    await until("it sleeps", () => sleepers(seconds) === 1);
    expect(descriptors()).toEqual(usual);
  },
);
