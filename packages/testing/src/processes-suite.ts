/** The contract of the `Processes` port: what is alive, what is provably gone, and what cannot be known. */
import assert from "node:assert/strict";
import type { Processes } from "@bridle/record";
import type { SuiteCase } from "./types.js";

const longMs = 600_000;

export const processesSuite: readonly SuiteCase<Processes>[] = [
  {
    name: "a process is alive to itself, and always the same",
    async run(processes) {
      const self = await processes.self();
      assert.deepEqual(await processes.self(), self);
      assert.equal(await processes.liveness(self), "alive");
    },
  },
  {
    name: "the same id with another start time is gone: the id was given to another",
    async run(processes) {
      const self = await processes.self();
      assert.equal(await processes.liveness({ ...self, startTime: `${self.startTime}9` }), "gone");
    },
  },
  {
    name: "an id that nobody has is gone",
    async run(processes) {
      const self = await processes.self();
      assert.equal(await processes.liveness({ ...self, pid: 2 ** 30 }), "gone");
    },
  },
  {
    name: "a process of an earlier boot of this machine is gone",
    async run(processes) {
      const self = await processes.self();
      assert.equal(await processes.liveness({ ...self, bootId: "earlier" }), "gone");
    },
  },
  {
    name: "of another machine or another container nothing is known",
    async run(processes) {
      const self = await processes.self();
      const elsewhere = { ...self, host: `not-${self.host}`, bootId: "other" };
      assert.equal(await processes.liveness(elsewhere), "unknown");
      assert.equal(await processes.liveness({ ...self, pidNamespace: "other" }), "unknown");
    },
  },
  {
    name: "a ring between the start of listening and the wait is not missed, and a wait ends when rung",
    async run(processes) {
      const self = await processes.self();
      const bell = await processes.bell();
      await processes.ring(self);
      await bell.changed(longMs);
      const waiting = bell.changed(longMs);
      await processes.ring(self);
      await waiting;
      await bell.close();
    },
  },
  {
    name: "a wait for the bell ends by its timeout, and at once when its signal is or becomes aborted",
    async run(processes) {
      const bell = await processes.bell();
      await bell.changed(1);
      const controller = new AbortController();
      const waiting = bell.changed(longMs, controller.signal);
      controller.abort();
      await waiting;
      await bell.changed(longMs, controller.signal);
      await bell.close();
    },
  },
  {
    name: "ringing for somebody who is gone does nothing",
    async run(processes) {
      await processes.ring({ ...(await processes.self()), pid: 2 ** 30 });
    },
  },
];
