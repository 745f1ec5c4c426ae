/** Rows as beads writes them, and as its newer versions might: unknown members, wide numbers, odd spellings. */
import fc from "fast-check";

const pick = (...values: string[]) => fc.constantFrom(...values);
const time = fc
  .integer({ min: 0, max: 1_000_000 })
  .map((seconds) =>
    new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString().replace(".000Z", ".123456789Z"),
  );
const quoted = (value: fc.Arbitrary<string>) => value.map((text) => JSON.stringify(text));
const spelled = pick('"a\\u0062c"', '"\\u003ctag\\u003e"', '"\\ud83d\\ude00"', '"tab\\tquote\\""', '"ö"');
const text = fc.oneof(quoted(fc.string({ maxLength: 12 })), spelled);
const number = pick("1.0", "18446744073709551615", "-9223372036854775808", "1e400", "0.10", "-0", "42");
const source: fc.Arbitrary<string> = fc.oneof(
  text,
  number,
  pick("true", "false", "null", "{}", "[]", '{"2":1,"1":[1.50]}', "[ 1 , 2 ]", '{"a" : {"b":null}}'),
);
const key = pick(
  '"2"',
  '"10"',
  '"zeta"',
  '"a\\u003cb"',
  '"beads"',
  '"__proto__"',
  '"estimated_minutes"',
  '"timeout"',
);

/** Members in any order, some of them left out, as the text of one row. */
export function beadsRow(id: string): fc.Arbitrary<string> {
  const member = (name: string, value: fc.Arbitrary<string>) =>
    fc.option(
      value.map((source) => `${JSON.stringify(name)}:${source}`),
      { nil: undefined },
    );
  const list = (item: fc.Arbitrary<string>) =>
    fc.array(item, { maxLength: 3 }).map((items) => `[${items.join(",")}]`);
  const dependency = fc
    .tuple(
      pick("bd-1", "bd-2", "bd-77"),
      pick("blocks", "parent-child", "related", "tracks", "until", "authored-by", "my-own kind"),
      fc.option(fc.tuple(key, source), { nil: undefined }),
    )
    .map(([target, type, more]) => {
      const rest = more === undefined ? "" : `,${more[0]}:${more[1]}`;
      return `{"issue_id":${JSON.stringify(id)},"depends_on_id":"${target}","type":"${type}"${rest}}`;
    });
  const comment = fc
    .tuple(fc.integer({ min: 1, max: 9 }), text, time)
    .map(
      ([n, said, at]) =>
        `{"id":${n},"issue_id":${JSON.stringify(id)},"author":"x","text":${said},"created_at":"${at}"}`,
    );
  return fc
    .tuple(
      fc.tuple(
        member("description", text),
        member("design", text),
        member("notes", text),
        member(
          "status",
          quoted(
            pick(
              "open",
              "in_progress",
              "closed",
              "blocked",
              "deferred",
              "tombstone",
              "pinned",
              "hooked",
              "review",
            ),
          ),
        ),
        member("priority", pick("0", "1", "2", "3", "4", "1.0")),
        member("issue_type", quoted(pick("bug", "feature", "task", "epic", "chore", "molecule", "Epic"))),
        member("assignee", text),
        member("created_at", quoted(time)),
        member("updated_at", quoted(time)),
        member("labels", list(text)),
        member("dependencies", list(dependency)),
        member("comments", list(comment)),
        member("external_ref", text),
      ),
      fc.uniqueArray(fc.tuple(key, source), { maxLength: 3, selector: ([name]) => name }),
      fc.boolean(),
    )
    .map(([known, unknown, idLast]) => {
      const members = [
        ...known.filter((one) => one !== undefined),
        ...unknown.map(([name, value]) => `${name}:${value}`),
      ];
      const named = [`"id":${JSON.stringify(id)}`, '"title":"t"'];
      return `{${(idLast ? [...members, ...named] : [...named, ...members]).join(",")}}`;
    });
}

/** Different issues, ids from `bd-1` on. */
export function beadsRows(count: number, seed: number): string[] {
  const sampled = fc.sample(beadsRow("@id@"), { seed, numRuns: count });
  return sampled.map((row, at) => row.replaceAll("@id@", `bd-${at + 1}`));
}
