/**
 * Prefixed digests: the prefix says what was digested, so that a ref of one
 * kind is never taken for another.
 */
import { createHash, hash } from "node:crypto";
import { canonicalJson, vectorJson } from "./canonical.js";
import type { JsonValue } from "./json.js";

/** What each prefix stands for. `ev1_` also names typed-core projections in the public vectors. */
export const digestPrefixes = {
  iss1_: "issue snapshot",
  ev1_: "issue event stream",
  pol1_: "policy",
  lane1_: "lane",
  bdw1_: "issue write witness",
  instr1_: "instruction envelope",
  proj1_: "required projection",
  prop1_: "proposal",
  kcir1_: "KCIR ref",
  obl1_: "obligation",
  intent1_: "gate intent",
  run1_: "gate run",
  w1_: "gate failure witness (base32hex)",
  ts1_: "transport semantics",
  sr1_: "site resolution",
  he1_: "host-effect arguments",
  note1_: "escalation note",
  loc1_: "site location",
  fib1_: "fiber (16 hex digits)",
  req1_: "model request",
  tape1_: "tape row",
  "sha256:": "typestate bundle",
} as const;

export type DigestPrefix = keyof typeof digestPrefixes;

export function sha256Hex(bytes: string | Uint8Array): string {
  // In one go: for short texts, making an object that hashes costs more than hashing.
  return hash("sha256", bytes, "hex");
}

/** The digest of a value by its canonical JSON (RFC 8785). */
export function digest(prefix: Exclude<DigestPrefix, "w1_" | "fib1_">, value: JsonValue): string {
  return prefix + sha256Hex(canonicalJson(value));
}

/** The digest of a value as the public vectors fix it; refuses what two orderings would disagree on. */
export function vectorDigest(prefix: DigestPrefix, value: JsonValue): string {
  if (prefix === "w1_") return prefix + base32Hex(createHash("sha256").update(vectorJson(value)).digest());
  const hex = sha256Hex(vectorJson(value));
  return prefix + (prefix === "fib1_" ? hex.slice(0, 16) : hex);
}

const base32HexAlphabet = "0123456789abcdefghijklmnopqrstuv";

/** RFC 4648 base32hex, lower case, without padding. */
export function base32Hex(bytes: Uint8Array): string {
  let text = "";
  let buffer = 0;
  let bits = 0;
  for (const byte of bytes) {
    buffer = (buffer << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += base32HexAlphabet[(buffer >> bits) & 31];
    }
    buffer &= (1 << bits) - 1;
  }
  if (bits > 0) text += base32HexAlphabet[(buffer << (5 - bits)) & 31];
  return text;
}
