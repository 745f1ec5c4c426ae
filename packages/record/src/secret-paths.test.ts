import { describe, expect, it } from "vitest";
import { isCredential, mayHoldCredential } from "./secret-paths.js";

describe("paths that hold keys", () => {
  it.each([
    ".netrc",
    "a/_netrc",
    ".NETRC",
    ".aws/credentials",
    "home/.aws/credentials.bak",
    ".git-credentials",
    ".ssh/id_rsa",
    ".ssh/deploy",
    "keys/id_ed25519",
    ".gnupg/private-keys-v1.d/x.key",
    ".docker/config.json",
    ".kube/config",
    ".config/gh/hosts.yml",
    ".bridle/credentials.json",
    ".git/credential-cache",
    "/home/ada/.netrc",
  ])("%s does", (path) => {
    expect(isCredential(path)).toBe(true);
  });

  it.each([".env", "a/.env.local", ".ENV.production", ".npmrc", "credentials.json", "a/credentials"])(
    "%s may, and is none for sure",
    (path) => {
      expect(mayHoldCredential(path)).toBe(true);
      expect(isCredential(path)).toBe(false);
    },
  );

  it.each([
    ".env.example",
    ".envrc.md",
    ".ssh/config",
    ".ssh/known_hosts",
    ".ssh/id_rsa.pub",
    ".aws/config",
    "credentials.md",
    "token.ts",
    "netrc",
    "docs/kube/config",
    ".git/config",
  ])("%s does not", (path) => {
    expect([isCredential(path), mayHoldCredential(path)]).toEqual([false, false]);
  });
});
