/**
 * git: which of its commands only look.
 *
 * What a newcomer gets wrong: git takes abbreviations of long options and runs
 * programs that options and settings name (pagers, external diffs, editors,
 * upload-pack), so options are allowed by name, and whatever is not on the list
 * is not harmless. What the user's own settings run is the user's affair.
 */
import { exactly, type Value } from "../values.js";
import { type Call, texts } from "./call.js";

const looking = new Set([
  ...[
    "status",
    "diff",
    "log",
    "show",
    "rev-parse",
    "blame",
    "ls-files",
    "ls-tree",
    "cat-file",
    "describe",
    "shortlog",
  ],
  ...[
    "reflog",
    "rev-list",
    "merge-base",
    "name-rev",
    "count-objects",
    "check-ignore",
    "show-ref",
    "for-each-ref",
  ],
  ...["diff-tree", "diff-index", "diff-files", "grep", "whatchanged", "show-branch", "version", "cherry"],
]);
const changing = new Set([
  "add",
  "commit",
  "merge",
  "cherry-pick",
  "revert",
  "mv",
  "switch",
  "apply",
  "am",
  "init",
  "notes",
]);
const outgoing = new Set([
  "push",
  "pull",
  "fetch",
  "clone",
  "ls-remote",
  "submodule",
  "send-email",
  "request-pull",
  "svn",
  "p4",
  "bundle",
]);

const harmlessLong = new Set(
  (
    "short long branch porcelain show-stash ignored untracked-files ahead-behind no-ahead-behind renames no-renames column " +
    "cached staged stat numstat shortstat dirstat summary patch no-patch raw patch-with-stat name-only name-status color no-color color-words " +
    "word-diff word-diff-regex color-moved unified ignore-all-space ignore-space-change ignore-space-at-eol ignore-blank-lines " +
    "no-ext-diff no-textconv no-prefix relative no-relative diff-filter diff-algorithm minimal patience histogram find-renames find-copies " +
    "exit-code quiet check full-index abbrev no-abbrev abbrev-commit no-abbrev-commit binary text function-context inter-hunk-context merge-base " +
    "oneline graph decorate no-decorate decorate-refs pretty format date relative-date all branches tags remotes since after until before author committer grep " +
    "all-match invert-grep regexp-ignore-case extended-regexp fixed-strings perl-regexp first-parent merges no-merges reverse follow max-count skip " +
    "topo-order date-order author-date-order no-walk do-walk left-right cherry-pick cherry-mark cherry boundary full-history simplify-merges ancestry-path " +
    "no-notes notes source parents children encoding pickaxe-regex pickaxe-all log-size cc combined-all-paths " +
    "show-toplevel show-cdup show-prefix git-dir git-common-dir absolute-git-dir is-inside-work-tree is-inside-git-dir is-bare-repository verify symbolic-full-name abbrev-ref symbolic " +
    "others modified deleted exclude-standard stage unmerged killed directory error-unmatch full-name eol deduplicate exclude " +
    "line-porcelain root show-name show-number show-email incremental " +
    "always dirty long match candidates contains exact-match numbered email list sort points-at merged no-merged no-contains count verbose show-current heads dereference " +
    "is-ancestor fork-point octopus objects name-objects line-number files-with-matches files-without-match word-regexp ignore-case untracked heading break " +
    "context after-context before-context show-function and or not max-depth stdin batch batch-check"
  ).split(" "),
);
const harmlessShort = /^-(?:[abcdeghiklmnpqrstuvwxyzABCDEFGHIKLMNPQRSTUVWXYZ0-9]+|[SGLUMCBX].*|n\s*\d+)$/s;

export function git(call: Call): void {
  const { judgement, scene } = call;
  let at = 0;
  for (; at < call.args.length; at += 1) {
    const text = call.args[at]?.text ?? "";
    if (!text.startsWith("-")) break;
    if (/^(?:--no-pager|-P|--no-optional-locks|--literal-pathspecs)$/.test(text)) continue;
    if (text === "--version" || text === "--help") return;
    judgement.anything("destructive", `git ${text} may run programs or look elsewhere`);
    if (/^(?:-c|-C|--git-dir|--work-tree|--namespace|--exec-path|--config-env)$/.test(text)) at += 1;
  }
  const name = call.args[at]?.text;
  const args = call.args.slice(at + 1);
  if (name === undefined) {
    if (at < call.args.length)
      judgement.anything("destructive", "which git command it is, is only known when it runs");
    return;
  }
  const inner = { ...call, name, args };
  if (looking.has(name) || isListing(name, texts(inner))) looks(inner);
  else if (outgoing.has(name) || (name === "remote" && texts(inner).length > 0) || name === "archive") {
    judgement.outbound(`git ${name} reaches another repository`);
    if (name === "push" && texts(inner).some((text) => /^(?:--delete|-d|:.+|--mirror|--prune)$/.test(text)))
      judgement.removes.add("branches of a remote");
  } else if (changing.has(name)) changes(inner);
  else ruins(inner);
  for (const arg of args) if (scene.namesSecret(arg)) scene.mention(arg, judgement);
}

function isListing(name: string, args: readonly string[]): boolean {
  const onlyOptions = (pattern: RegExp) => args.every((arg) => pattern.test(arg));
  switch (name) {
    case "branch":
      return (
        onlyOptions(
          /^(?:-[avr]+|-vv|--list|-l|--all|--remotes|--show-current|--verbose|--no-color|--(?:sort|format|contains|merged|no-merged)=.*)$/,
        ) ||
        (/^(?:--list|-l)$/.test(args[0] ?? "") && args.slice(1).every((arg) => !arg.startsWith("-")))
      );
    case "tag":
      return (
        onlyOptions(/^(?:-l|--list|-n\d*|--sort=.*|--contains)$/) ||
        (/^(?:--list|-l)$/.test(args[0] ?? "") && args.slice(1).every((arg) => !arg.startsWith("-")))
      );
    case "remote":
      return onlyOptions(/^(?:-v|--verbose)$/);
    case "stash":
      return args[0] === "list" || (args[0] === "show" && args.length > 0);
    case "worktree":
      return args[0] === "list";
    default:
      return false;
  }
}

function looks(call: Call): void {
  const { judgement, scene, name } = call;
  if (name === "ls-files") judgement.listsFiles = true;
  let ended = false;
  for (const arg of call.args) {
    const text = arg.text;
    if (text === "--") ended = true;
    else if (!ended && text?.startsWith("-") === true) {
      if (!isHarmless(name, text))
        judgement.anything("destructive", `git ${name} ${text} is not known to be harmless`);
    } else if (
      !(name === "grep" && arg === call.args.find(({ text: other }) => other?.startsWith("-") !== true))
    )
      mentions(call, arg);
    else if (text === undefined) mentions(call, arg);
  }
  if (name === "reflog" && /^(?:expire|delete|drop)$/.test(call.args[0]?.text ?? ""))
    judgement.anything("destructive", "it forgets where branches were");
  scene.read(exactly("."), judgement);
}

function isHarmless(name: string, option: string): boolean {
  if (option === "-") return true;
  if (option.startsWith("--")) return harmlessLong.has(option.slice(2).split("=")[0] ?? "");
  if (/^-u(?:no|normal|all)$/.test(option) || (name === "ls-files" && /^-[cdmosufkvz]+$/.test(option)))
    return true;
  if (name === "grep") return /^-(?:[aiIwvhHEGPFnlLzcpWq0-9]+|[ABCe])$/.test(option);
  return harmlessShort.test(option) && !/^-[a-z]*O/.test(option);
}

function mentions({ judgement, scene }: Call, value: Value): void {
  scene.mention(value, judgement);
  if (value.text === undefined) judgement.raise("destructive", "what git is told is only known when it runs");
}

const drastic =
  /^(?:--amend|--force|-f|--hard|--discard-changes|-C|--force-create|--abort|--no-verify|-n|--edit|--upload-pack.*|--exec.*|-x.*|--orphan|--quit|--skip)$/;

function changes(call: Call): void {
  const { judgement, name } = call;
  judgement.anything("cautious", `git ${name} changes the repository`);
  for (const arg of call.args) {
    if (drastic.test(arg.text ?? "") && !(name === "add" && arg.text === "-n"))
      judgement.raise("destructive", `git ${name} ${arg.text} rewrites or forces`);
    if (name !== "commit") mentions(call, arg);
    else if (arg.text === undefined)
      judgement.raise("destructive", "what git is told is only known when it runs");
  }
}

/** Everything else: what may lose work, what sets settings that run programs, and what we do not know (an alias runs anything). */
function ruins(call: Call): void {
  const { judgement, scene, name } = call;
  const args = texts(call);
  const soft =
    (name === "stash" && /^(?:push|save|apply|pop)?$/.test(args[0] ?? "")) ||
    (name === "checkout" && args[0] === "-b" && args.length <= 3) ||
    (name === "branch" && args.length === 1 && !args[0]?.startsWith("-")) ||
    (name === "tag" && args.length === 1 && !args[0]?.startsWith("-"));
  if (soft) {
    judgement.anything("cautious", `git ${name} changes the repository`);
    for (const arg of call.args) mentions(call, arg);
    return;
  }
  judgement.anything("destructive", `git ${name} may lose work or run programs`);
  const files = call.args.filter(({ text = "x" }) => !text.startsWith("-"));
  if (name === "rm") for (const file of files) scene.remove(file, judgement);
  else for (const file of files) scene.mention(file, judgement);
  if (name === "clean") judgement.removes.add("files that git does not know");
  if (name === "reset" && args.includes("--hard")) judgement.removes.add("changes that were not committed");
  if (name === "branch" || name === "tag") judgement.removes.add(`a ${name}`);
  if (name === "checkout" || name === "restore") {
    judgement.removes.add("changes that were not committed");
    for (const file of files) scene.change(file, judgement);
  }
}
