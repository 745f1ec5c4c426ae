import { expect, test } from "vitest";
import { withProperNames } from "./aliases.js";

const schema = (...names: string[]) => ({
  type: "object",
  properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])),
});

test("a snake_case spelling means the camelCase argument", () => {
  const given = { issue_id: "bd-1", leaseTtlSeconds: 5, lease_expires_at: "x" };
  expect(withProperNames(given, schema("issueId", "leaseTtlSeconds", "leaseExpiresAt"))).toEqual({
    issueId: "bd-1",
    leaseTtlSeconds: 5,
    leaseExpiresAt: "x",
  });
});

test("a spelling that is an argument itself, or that two share, is left alone", () => {
  expect(withProperNames({ issue_id: "a" }, schema("issueId", "issue_id"))).toEqual({ issue_id: "a" });
  expect(withProperNames({ a_b_c: "a" }, schema("aB_c", "a_bC"))).toEqual({ a_b_c: "a" });
});

test("given beside the proper name it is left for the schema to refuse, so that neither value is lost", () => {
  const both = { issue_id: "a", issueId: "b" };
  expect(withProperNames(both, schema("issueId"))).toEqual(both);
});

test("only the top level is respelt: what lies below is data", () => {
  const given = { row: { issue_id: "a" } };
  expect(withProperNames(given, schema("row", "issueId"))).toEqual(given);
});

test("an argument named __proto__ stays an argument", () => {
  const given = JSON.parse('{"__proto__":{"polluted":true},"issue_id":"a"}') as Record<string, string>;
  const named = withProperNames(given, schema("issueId"));
  expect(Object.keys(named).toSorted()).toEqual(["__proto__", "issueId"]);
  expect(Object.getPrototypeOf(named)).toBe(Object.prototype);
});
