import fc from "fast-check";
import { expect, it } from "vitest";
import { kindOfError } from "./taxonomy.js";

it.each([
  ["ENOENT: no such file or directory, open 'src/a.ts'", "PATH_NOT_FOUND"],
  ["file_missing: src/a.ts is not there", "PATH_NOT_FOUND"],
  ["the path src/a.ts does not exist", "PATH_NOT_FOUND"],
  ["EACCES: permission denied, open '/etc/shadow'", "PERMISSION_DENIED"],
  ["../x is outside the workspace", "PERMISSION_DENIED"],
  ["HTTP 404 for https://example.org/x", "HTTP_CLIENT_ERROR"],
  ["status code: 429", "HTTP_CLIENT_ERROR"],
  ["HTTP/1.1 503 Service Unavailable", "HTTP_SERVER_ERROR"],
  ["Unexpected token } in JSON at position 4", "JSON_PARSE_ERROR"],
  ["the arguments of write_file are not JSON", "JSON_PARSE_ERROR"],
  ["input_invalid: missing required property path", "ARG_SCHEMA_MISMATCH"],
  ["the arguments were cut off (312 characters arrived)", "STREAM_INTERRUPTED"],
  ["the command timed out after 30 s", "TIMEOUT"],
  ["lock_busy: another call holds it", "RESOURCE_LOCK"],
  ["sh: 1: frobnicate: not found", "COMMAND_NOT_FOUND"],
  ["bash: cargo: command not found", "COMMAND_NOT_FOUND"],
  ["connect ECONNREFUSED 127.0.0.1:80", "NETWORK_FAILURE"],
  ["JavaScript heap out of memory", "MEMORY_PRESSURE"],
  ["there is no such tool: frobnicate", "UNKNOWN_TOOL"],
  ["something else entirely", "UNKNOWN_ERROR"],
  ["", "UNKNOWN_ERROR"],
])("%s is %s", (text, category) => {
  expect(kindOfError(text).category).toBe(category);
});

it("where two kinds fit, the earlier of the table is taken", () => {
  expect(kindOfError("permission denied; ENOENT").category).toBe("PATH_NOT_FOUND");
  expect(kindOfError("HTTP 504 after it timed out").category).toBe("HTTP_SERVER_ERROR");
});

it("every text has one kind with a fix", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 400 }), (text) => {
      const { what, fix } = kindOfError(text);
      expect(what.length * fix.length).toBeGreaterThan(0);
    }),
  );
});
