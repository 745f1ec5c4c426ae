/**
 * What a room checks its artifacts with is what schemas/ publishes of them. That
 * every published schema is current says schemas.test.ts; here each room answers
 * for its own, without a build.
 */
import { readFileSync } from "node:fs";
import { artifactKinds as agent } from "@bridle/agent";
import { artifactKinds as model } from "@bridle/model";
import { artifactKinds as query } from "@bridle/query";
import { artifactKinds as search } from "@bridle/search";
import { artifactKinds as work } from "@bridle/work";
import { describe, expect, it } from "vitest";

describe.each(Object.entries({ agent, model, query, search, work }))("the artifacts of %s", (_, kinds) => {
  it.each(kinds.map(({ kind, schema }) => ({ kind, schema })))("$kind", ({ kind, schema }) => {
    const place = new URL(`../../schemas/${kind}.json`, import.meta.url);
    const published = JSON.parse(readFileSync(place, "utf8")) as object;
    const { $id, ...rest } = JSON.parse(JSON.stringify(schema)) as { $id?: string };
    expect($id ?? kind).toBe(kind);
    expect({ $schema: "https://json-schema.org/draft/2020-12/schema", $id: kind, ...rest }).toEqual(
      published,
    );
  });
});
