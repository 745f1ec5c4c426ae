import { expect, test } from "vitest";
import { addressInUrl, inUrl, isLoopback } from "./loopback.js";

test.each([
  "127.0.0.1",
  "127.255.255.254",
  "::1",
  "0:0:0:0:0:0:0:1",
  "::ffff:127.0.0.1",
  "localhost",
  "LocalHost",
])("%s stays on this machine", (host) => expect(isLoopback(host)).toBe(true));

test.each([
  "0.0.0.0",
  "::",
  "::ffff:0.0.0.0",
  "128.0.0.1",
  "127.1",
  "127.0.0.1.evil.example",
  "localhost.",
  "",
  "2130706433",
])("%j may not", (host) => expect(isLoopback(host)).toBe(false));

test("IPv6 wears brackets in a URL", () => {
  expect(inUrl("::1")).toBe("[::1]");
  expect(inUrl("127.0.0.1")).toBe("127.0.0.1");
  expect(addressInUrl("[::1]")).toBe("::1");
  expect(addressInUrl("evil.example")).toBeUndefined();
});
