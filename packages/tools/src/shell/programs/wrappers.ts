/**
 * Programs that start another: judged by what they start.
 */
import { forbidden } from "../forbidden.js";
import { judgeName } from "./builtins.js";
import { type Call, type Handler, texts } from "./call.js";

export const wrappers: Readonly<Record<string, Handler>> = {
  command: (call) => {
    if (/^-[vV]$/.test(call.args[0]?.text ?? "")) return;
    starts(call, call.args[0]?.text === "-p" ? 1 : 0);
  },
  builtin: (call) => starts(call, 0),
  exec: (call) => starts(call, 0),
  nohup: (call) => starts(call, 0),
  setsid: (call) => starts(call, skip(call, /^-[cfw]+$/, /^$/)),
  time: (call) => starts(call, skip(call, /^-[pv]$/, /^$/)),
  nice: (call) => starts(call, skip(call, /^-(?:n?-?\d+)$|^--adjustment=-?\d+$/, /^-n$/)),
  ionice: (call) => starts(call, skip(call, /^-[cn]\d$|^-t$/, /^-[cn]$/)),
  stdbuf: (call) => starts(call, skip(call, /^-[ioe].+$/, /^-[ioe]$/)),
  timeout: (call) => {
    const at = skip(
      call,
      /^--(?:foreground|preserve-status|verbose|signal=\w+|kill-after=[\d.]+\w?)$|^-[sk]\S+$/,
      /^-[sk]$/,
    );
    if (!/^[\d.]+[smhd]?$/.test(call.args[at]?.text ?? "")) {
      call.judgement.anything("destructive", "the time limit is not understood");
    }
    starts(call, at + 1);
  },
  env: (call) => {
    let at = skip(call, /^-(?:i|0)$|^--(?:ignore-environment|null)$/, /^$/);
    for (; at < call.args.length; at += 1) {
      const name = /^([^=]*)=/s.exec(call.args[at]?.text ?? "")?.[1];
      if (name === undefined) break;
      judgeName(call, name);
    }
    if (at < call.args.length) starts(call, at);
  },
  busybox: (call) => starts(call, 0),
  sudo: masters,
  doas: masters,
  su: (call) => call.judgement.anything("destructive", "it acts as another user"),
  eval: (call) => {
    const known = texts(call);
    call.judgement.anything("destructive", "it runs a text as commands");
    call.judgement.runsInput = true;
    if (known.length === call.args.length) call.script(known.join(" "), "bash");
  },
  source: sources,
  ".": sources,
  trap: (call) => {
    call.judgement.anything("destructive", "it runs commands later");
    const [action] = call.args;
    if (action?.text !== undefined && !action.text.startsWith("-")) call.script(action.text, "bash");
  },
  watch: (call) => {
    call.judgement.waits = true;
    call.judgement.anything("destructive", "it runs a command again and again");
    call.script(
      texts(call)
        .filter((text) => !text.startsWith("-"))
        .join(" "),
      "sh",
    );
  },
};

/** Past the options that are known; an unknown one is not harmless. */
function skip(call: Call, plain: RegExp, taking: RegExp): number {
  let at = 0;
  for (; at < call.args.length; at += 1) {
    const text = call.args[at]?.text ?? "";
    if (!text.startsWith("-")) return at;
    if (text === "--") return at + 1;
    if (taking.test(text)) at += 1;
    else if (!plain.test(text))
      call.judgement.anything("destructive", `${call.name} ${text} is not understood`);
  }
  return at;
}

function starts(call: Call, at: number): void {
  const words = call.args.slice(at);
  if (words.length === 0) call.judgement.raise("cautious");
  else call.start(words);
}

function masters(call: Call): void {
  call.judgement.anything("destructive", "it acts as another user");
  starts(call, skip(call, /^-[A-Za-z]+$/, /^-[ughpCDRT]$/));
}

function sources(call: Call): void {
  call.judgement.anything("destructive", "it runs a file as commands of this shell");
  call.judgement.runsInput = true;
  for (const arg of call.args) call.scene.mention(arg, call.judgement);
  if (texts(call).some((text) => /^\/dev\/(?:tcp|udp)/.test(text)))
    call.judgement.forbid(forbidden.remoteCode);
}
