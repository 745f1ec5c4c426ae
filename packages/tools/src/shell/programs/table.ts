/**
 * Every program that the policy knows, by name.
 *
 * What a newcomer gets wrong: a program that is not here is not refused; it is
 * destructive, so that somebody has to say yes to it.
 */
import { forbidden } from "../forbidden.js";
import type { Value } from "../values.js";
import { builtins } from "./builtins.js";
import { type Call, type Handler, texts } from "./call.js";
import { changers, mentions } from "./changers.js";
import { filters } from "./filters.js";
import { git } from "./git.js";
import { readers } from "./readers.js";
import { runners } from "./runners.js";
import { wrappers } from "./wrappers.js";

const outgoing = [
  ...[
    "curl",
    "wget",
    "ssh",
    "scp",
    "sftp",
    "rsync",
    "nc",
    "ncat",
    "netcat",
    "telnet",
    "ftp",
    "socat",
    "dig",
    "host",
  ],
  ...["nslookup", "ping", "mail", "sendmail", "aria2c", "http", "https", "gh", "glab", "aws", "gcloud", "az"],
  ...[
    "kubectl",
    "docker",
    "podman",
    "heroku",
    "vercel",
    "openssl",
    "whois",
    "traceroute",
    "rclone",
    "lynx",
    "w3m",
  ],
];
const stopping = ["shutdown", "reboot", "halt", "poweroff"];
const formatting = [
  "mkswap",
  "wipefs",
  "fdisk",
  "sfdisk",
  "cfdisk",
  "parted",
  "sgdisk",
  "blkdiscard",
  "hdparm",
];

const table = new Map<string, Handler>([
  ...Object.entries(readers),
  ...Object.entries(filters),
  ...Object.entries(builtins),
  ...Object.entries(changers),
  ...Object.entries(runners),
  ...Object.entries(wrappers),
  ["git", git],
  ["ps", processes],
  ...outgoing.map((name): [string, Handler] => [name, reachOut]),
  ...stopping.map((name): [string, Handler] => [
    name,
    ({ judgement }) => judgement.forbid(forbidden.machine),
  ]),
  ...formatting.map((name): [string, Handler] => [
    name,
    ({ judgement }) => judgement.forbid(forbidden.device),
  ]),
  ["systemctl", services],
  ["init", services],
  ...["inotifywait", "fswatch"].map((name): [string, Handler] => [name, waits]),
]);

/** Where programs of the system stand. */
const systemFolder = /^(?:\/usr|\/usr\/local|\/opt\/homebrew)?\/s?bin\//;

export function judgeProgram(call: Call, name: Value): void {
  const { judgement, scene } = call;
  if (name.text === undefined) {
    judgement.anything("destructive", "which program it starts is only known when it runs");
    for (const guess of name.guesses) if (!guess.includes(" ") && guess !== "") guessed(call, guess);
    mentions(call);
    return;
  }
  const plain = name.text.replace(systemFolder, "");
  if (/^mkfs(?:\.|$)/.test(plain) || plain.startsWith("newfs")) judgement.forbid(forbidden.device);
  const handler = plain.includes("/") ? undefined : table.get(plain);
  if (handler !== undefined) handler({ ...call, name: plain });
  else if (plain.includes("/") && scene.inside(plain) !== undefined) {
    judgement.anything("cautious", "it runs a program of the project");
    mentions(call);
  } else {
    judgement.anything(
      "destructive",
      `${plain === "" ? "an empty name" : plain} is not a program that the policy knows`,
    );
    mentions(call);
  }
}

/** A name that may come to a known program is judged like it as well, for what is never allowed. */
function guessed(call: Call, guess: string): void {
  const handler = table.get(guess.replace(systemFolder, ""));
  handler?.({ ...call, name: guess });
}

function reachOut(call: Call): void {
  call.judgement.outbound(`${call.name} reaches out of this machine`);
  mentions(call);
}

function waits(call: Call): void {
  call.judgement.waits = true;
  mentions(call);
}

function processes(call: Call): void {
  call.judgement.raise("cautious", "it shows other processes");
  const plain = /^(?:aux|-ef|-e|-f|-p|\d+|-A|ax|x)$/;
  if (!texts(call).every((text) => plain.test(text)) || texts(call).length < call.args.length) {
    call.judgement.raise("destructive", "it may show the settings of other processes");
  }
}

function services(call: Call): void {
  const stops = /^(?:poweroff|reboot|halt|suspend|hibernate|kexec|emergency|rescue|[06])$/;
  if (texts(call).some((text) => stops.test(text))) call.judgement.forbid(forbidden.machine);
  call.judgement.anything("destructive", "it controls the machine's services");
}
