/**
 * The original's table of required checks, `ci-topos-v0`, in the form of our maps.
 *
 * The checkers of projections, witnesses and decisions go by it where a repository has no map
 * of its own, as the original's do everywhere. Nothing is ever run or closed by it: whatever
 * runs checks refuses a repository without a map.
 */
import type { JsonObject } from "@bridle/record";
import { sealedDigest } from "../../seal.js";
import { type CheckMap, checkMapKind } from "./check-map.js";

const check = (id: string, more: object = {}) => ({ id, command: `mise run ${id}`, ...more });
const below = (...folders: string[]) => folders.map((folder) => `${folder}/**`);
const toys = ["test-toy", "test-kcir-toy"];

const table = {
  schema: 1 as const,
  policyKind: checkMapKind as typeof checkMapKind,
  policyId: "policy.ci-topos.v0",
  projectionPolicy: "ci-topos-v0",
  checks: [
    check("baseline", { coversAll: true }),
    ...["build", "test", ...toys, "conformance-check", "conformance-run", "doctrine-check"].map((id) =>
      check(id),
    ),
  ],
  documents: [
    ...["AGENTS.md", "COMMITMENT.md", "README.md", "RELEASE_NOTES.md", "LICENSE", "docs/**", "specs/**"],
    ...["md", "mdx", "rst", "txt", "adoc"].map((ending) => `**/*.${ending}`),
  ],
  rules: [
    {
      paths: [
        ...below(".github/workflows", "tools/ci", "tools/infra/terraform", "infra/terraform"),
        ...[".mise.toml", "hk.pkl", "pitchfork.toml"],
      ],
      checks: ["baseline"],
      reason: "semantic_surface_changed",
      alone: true,
    },
    {
      paths: ["crates/**", "Cargo.toml", "Cargo.lock", "rust-toolchain", "rust-toolchain.toml"],
      checks: ["build", "test"],
      reason: "rust_surface_changed",
    },
    { paths: ["crates/premath-kernel/**"], checks: toys, reason: "kernel_surface_changed" },
    {
      paths: below(
        ...["tests/conformance", "tests/toy/fixtures", "tests/kcir_toy/fixtures"],
        ...["tools/conformance", "tools/toy", "tools/kcir_toy"],
      ),
      checks: ["conformance-check", "conformance-run", ...toys],
      reason: "conformance_surface_changed",
    },
    {
      paths: below("specs/premath/raw", "tests/conformance"),
      checks: ["conformance-check"],
      reason: "docs_only_raw_or_conformance_touched",
      when: "documents_only" as const,
    },
    {
      paths: below("specs/premath/draft", "specs/premath/raw", "specs/process"),
      checks: ["doctrine-check"],
      reason: "docs_only_doctrine_surface_touched",
      when: "documents_only" as const,
    },
  ],
  fallback: { checks: ["baseline"], reason: "non_doc_unknown_surface_fallback_baseline" },
  emptyDelta: { checks: ["baseline"], reason: "empty_delta_fallback_baseline" },
  protected: [],
};

export const ciToposMap: CheckMap = {
  ...table,
  policyDigest: sealedDigest(table as unknown as JsonObject),
};
