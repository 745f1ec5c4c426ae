/**
 * git: what its verbs change.
 *
 * What a newcomer gets wrong: most of what git changes is its own state, which is
 * no file that anybody names, and `checkout` without a version only takes changes
 * back.
 */
import { type Call, has, of, only, operands, type Program, valuesOf } from "./call.js";
import type { Effect } from "./effect.js";
import { moves, patchedIn } from "./files.js";

const reads =
  /^(?:status|diff|log|show|blame|grep|rev-parse|rev-list|ls-files|ls-tree|ls-remote|describe|shortlog|cat-file|reflog|count-objects|for-each-ref|name-rev|merge-base|help|version|--version|check-ignore|check-attr|difftool|whatchanged|var)$/;
/** They change the state of git alone, or more than the line tells. */
const acts =
  /^(?:add|am|cherry-pick|gc|init|merge|rebase|revert|switch|update-index|prune|repack|filter-branch|sparse-checkout|update-ref|symbolic-ref|mergetool)$/;

export const git: Program = (whole) => {
  const [args, home] = withoutGlobals(whole.args);
  const [verb = "", ...rest] = args;
  const call: Call = {
    ...whole,
    args: rest,
    place: (path) => whole.place(home === "" || path.startsWith("/") ? path : `${home}/${path}`),
  };
  if (reads.test(verb)) return [];
  if (acts.test(verb)) return only("act");
  return Object.hasOwn(changes, verb) ? changes[verb]?.(call) : undefined;
};

/** Behind the options of git itself, and the folder that `-C` chose. */
function withoutGlobals(args: readonly string[]): readonly [readonly string[], string] {
  let rest = args;
  let home = "";
  while (rest[0]?.startsWith("-") === true && rest[0] !== "--version") {
    if (rest[0] === "-C") home = rest[1] ?? "";
    rest = rest.slice(/^(?:-C|-c)$/.test(rest[0]) ? 2 : 1);
  }
  return [rest, home];
}

function afterDashes(args: readonly string[]): readonly string[] {
  const at = args.indexOf("--");
  return at < 0 ? operands(args) : args.slice(at + 1);
}

const orAll = (paths: readonly string[]) => (paths.length === 0 ? ["."] : paths);
/** With another word than those that only show. */
const unlessShown =
  (shows: RegExp, bare: readonly Effect[]): Program =>
  ({ args }) => {
    const [first] = operands(args);
    if (first === undefined) return bare;
    return shows.test(first) ? [] : only("act");
  };

/** A branch or a tag is made, moved or taken away, or they are only listed. */
const names: Program = ({ args }) => {
  if (has(args, /^(?:-[dD]|--delete)$/)) return only("delete");
  if (has(args, /^(?:-l|--list|--contains|--points-at|--merged|--no-merged|--show-current)/)) return [];
  return operands(args).length > 0 || has(args, /^-[mM]$/) ? only("act") : [];
};

const checkout: Program = (call) => {
  const { args } = call;
  const dashes = args.indexOf("--");
  if (dashes < 0) {
    // A name is a branch; only what looks like a file is taken for one.
    const files = has(args, /^-[bB]$/)
      ? []
      : operands(args).filter((arg) => arg === "." || /\.\w+$/.test(arg));
    return [...only("act"), ...of("write", files, call, { deep: true, how: "undo" })];
  }
  const version = args.slice(0, dashes).findLast((arg) => !arg.startsWith("-")) ?? "HEAD";
  return of("write", args.slice(dashes + 1), call, {
    deep: true,
    ...(version === "HEAD" ? { how: "undo" as const } : {}),
  });
};

const changes: Readonly<Record<string, Program>> = {
  push: ({ args }) => {
    if (has(args, /^(?:--dry-run|-n)$/)) return only("network");
    const force = has(args, /^(?:-\w*f\w*|--force.*|--mirror|\+.+)$/);
    return only("push", "network", ...(force ? (["force-push"] as const) : []));
  },
  commit: ({ args }) => (has(args, /^--dry-run$/) ? [] : only("commit")),
  ...Object.fromEntries(
    ["subtree", "lfs", "svn"].map((verb): [string, Program] => [
      verb,
      ({ args }) => (has(args, /^(?:push|dcommit)$/) ? only("push", "network") : only("act")),
    ]),
  ),
  rm: (call) => {
    if (has(call.args, /^(?:-n|--dry-run)$/)) return [];
    const files = has(call.args, /^--cached$/) ? [] : operands(call.args);
    return [...only("act"), ...of("delete", files, call, { deep: true })];
  },
  mv: (call) => (has(call.args, /^(?:-n|--dry-run)$/) ? [] : moves(call)),
  clean: (call) =>
    has(call.args, /^-\w*n|^--dry-run/)
      ? []
      : of("delete", orAll(afterDashes(call.args)), call, { deep: true, how: "aside" }),
  restore: (call) =>
    has(call.args, /^(?:--staged|-S)$/) && !has(call.args, /^(?:--worktree|-W)$/)
      ? only("act")
      : of("write", operands(call.args), call, { deep: true, how: "undo" }),
  checkout,
  reset: (call) =>
    has(call.args, /^--(?:hard|merge|keep)$/)
      ? of("write", ["."], call, { deep: true, how: "undo" })
      : only("act"),
  ...{ branch: names, tag: names },
  fetch: () => only("network"),
  pull: () => [...only("network"), { kind: "write", path: "", how: "aside" }],
  clone: (call) => [
    ...only("network", "act"),
    ...of("write", operands(call.args).slice(1), call, { how: "aside" }),
  ],
  apply: (call) => {
    if (has(call.args, /^--check$/)) return [];
    const named = patchedIn(call.heredoc ?? "");
    const files = operands(call.args).filter((arg) => !/\.(?:patch|diff)$/.test(arg));
    return named.length > 0
      ? of("write", named, call)
      : files.length > 0
        ? of("write", files, call)
        : only("act");
  },
  ...{ stash: unlessShown(/^(?:list|show)$/, only("act")), worktree: unlessShown(/^list$/, []) },
  ...{ remote: unlessShown(/^(?:show|get-url)$/, []), notes: unlessShown(/^(?:list|show)$/, []) },
  submodule: unlessShown(/^(?:status|summary)$/, []),
  bisect: unlessShown(/^(?:log|view|visualize|terms)$/, []),
  config: ({ args }) =>
    operands(args).length > 1 ||
    has(args, /^--(?:add|unset|replace-all|edit)/) ||
    valuesOf(args, /^--unset$/).length > 0
      ? has(args, /^--(?:get|list)/)
        ? []
        : only("act")
      : [],
};
