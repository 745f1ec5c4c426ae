/**
 * Programs that reach other machines, databases, containers and services.
 *
 * What a newcomer gets wrong: to ask is no change, and most of these programs do
 * both. Which of the two it is stands in the verb.
 */
import { type Call, has, of, only, operands, type Program, valuesOf } from "./call.js";
import type { Effect } from "./effect.js";

// --- Network ---------------------------------------------------------------------------------------

const local = /^(?:https?:\/\/)?(?:localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[::1\])(?:[:/]|$)/;

function reached(args: readonly string[], file: string | undefined): readonly Effect[] {
  const isRemote = args.some(
    (arg) => /^\w+:\/\/|^[\w-]+(?:\.[\w-]+)+(?:[:/]|$)/.test(arg) && arg !== file && !local.test(arg),
  );
  return isRemote ? only("network") : [];
}

const kept = (file: string | undefined, call: Call) =>
  file === undefined || file === "-" || file.startsWith("/dev/") ? [] : of("write", [file], call);

const curl: Program = (call) => {
  const { args } = call;
  const [file] = valuesOf(args, /^(?:-[a-zA-Z]*o|--output)$/);
  const sends = has(args, /^(?:-[a-zA-Z]*[TdF]|--(?:upload-file|data\S*|form|json))(?:=.*)?$/);
  const [method = ""] = valuesOf(args, /^(?:-X|--request)$/);
  const acts =
    sends || /^(?:POST|PUT|PATCH|DELETE)$/i.test(method) || has(args, /^(?:-[a-zA-Z]*O|--remote-name)$/);
  return [...reached(args, file), ...kept(file, call), ...(acts ? only("act") : [])];
};

const wget: Program = (call) => {
  const [file] = valuesOf(call.args, /^(?:-[a-zA-Z]*O|--output-document)$/);
  const quiet = file === "-" || has(call.args, /^--spider$/);
  return [
    ...reached(call.args, file),
    ...kept(file, call),
    ...(file === undefined && !quiet ? only("act") : []),
  ];
};

const ssh: Program = ({ args }) => {
  const [, ...said] = operands(args);
  const looks =
    said.length === 0 || /^(?:ls|cat|ps|df|uptime|systemctl status|tail|head|grep)\b/.test(said.join(" "));
  return only("network", ...(looks ? [] : (["act"] as const)));
};

const remote: Program = () => only("network");
/** Asks or acts far away, as one of its words says. */
const far =
  (asks: RegExp): Program =>
  ({ args }) => {
    const removes = has(args, /^(?:rm|rb|delete|delete-.+)$/);
    if (removes) return only("network", "delete", "act");
    return only("network", ...(operands(args).some((word) => asks.test(word)) ? [] : (["act"] as const)));
  };
/** `gh api` only asks, unless it is given something to send. */
const gh: Program = (call) => {
  const { args } = call;
  if (operands(args)[0] !== "api") return far(asking)(call);
  const [method = "GET"] = valuesOf(args, /^(?:-X|--method)$/);
  const sends = has(args, /^(?:-[fF]|--(?:raw-)?field|--input)(?:=|$)/) || !/^(?:GET|HEAD)$/i.test(method);
  return only("network", ...(sends ? (["act"] as const) : []));
};
const asking = /^(?:list|ls|view|status|diff|checks|get-\S+|describe\S*|list-\S+|show|get)$/;

// --- Containers and deployments --------------------------------------------------------------------

const containers: Program = ({ args }) => {
  const [verb = "", second = ""] = operands(args);
  if (verb === "push" || second === "push") return only("push", "network");
  if (/^(?:rm|rmi|prune)$/.test(verb) || /^(?:rm|prune)$/.test(second)) return only("delete");
  if (verb === "compose" && second === "down" && has(args, /^(?:-v|--volumes)$/)) return only("delete");
  if (has(args, /^(?:ps|logs|images|inspect|config)$/) || /^(?:version|info|stats|ls)$/.test(verb)) return [];
  if (/^(?:ls|list)$/.test(second)) return [];
  return /^(?:run|build|pull|tag|start|stop|restart|kill|compose|volume|network|exec|create|cp|login|up|down)$/.test(
    verb,
  )
    ? only("act")
    : undefined;
};

function deployed([verb = ""]: readonly string[]): readonly Effect[] | undefined {
  if (/^(?:apply|create|deploy|rollout|scale|patch|replace)$/.test(verb)) return only("deploy", "network");
  if (/^(?:delete|destroy)$/.test(verb)) return only("delete", "network");
  return /^(?:edit|set|label|annotate|expose|run|exec|drain|cordon|init|import|taint|fmt|workspace|state)$/.test(
    verb,
  )
    ? only("act")
    : undefined;
}

const terraform: Program = ({ args }) => {
  if (/^(?:plan|validate|show|output|version)$/.test(args[0] ?? "")) return [];
  if (has(args, /^(?:-check|list|show)$/)) return [];
  return deployed(operands(args));
};

const deploys: Program = ({ args }) =>
  /^(?:status|logs|ls|list|inspect|whoami|--version|help|env|domains)$/.test(args[0] ?? "")
    ? only("network")
    : only("deploy", "network");

// --- Databases -------------------------------------------------------------------------------------

const sql: Program = ({ args, fed, heredoc = "" }) => {
  const text = `${args.join(" ")} ${heredoc}`;
  if (/\b(?:drop|truncate)\s+(?:table|database|schema|index|view)|\bdelete\s+from\b/i.test(text))
    return only("delete");
  if (fed || has(args, /^(?:-f|--file)/)) return only("act");
  if (/\b(?:insert|update|delete|create|drop|alter|truncate|grant|copy|vacuum|replace)\b/i.test(text))
    return only("act");
  return /\bselect\b|\\[dl]|\bexplain\b|\bshow\b|\.schema|\.tables|-l\b/i.test(text) ? [] : undefined;
};

/** A database that is a file is changed as one. */
const sqlite: Program = (call) => {
  const found = sql(call);
  const [file] = operands(call.args);
  return found === undefined || found.length === 0 || file === undefined
    ? found
    : [...of("write", [file], call, { how: "aside" }), ...found];
};

const redis: Program = ({ args }) => {
  if (has(args, /^(?:del|unlink|flushall|flushdb)$/i)) return only("delete");
  return has(args, /^(?:get|keys|ping|info|scan|ttl)$/i) ? [] : has(args, /^set$/i) ? only("act") : undefined;
};

const pushes: Program = ({ args }) =>
  operands(args).slice(0, 2).includes("push") ? only("push", "network") : undefined;
const publishes: Program = () => only("publish", "network");

export const servicePrograms: Readonly<Record<string, Program>> = {
  ...{ curl, wget, ssh, sftp: remote, ftp: remote, telnet: remote, nc: remote, ping: remote },
  ...{
    gh,
    aws: far(asking),
    gcloud: far(asking),
    az: far(asking),
    gsutil: far(/^(?:ls|cat|stat|du)$/),
  },
  ...{ docker: containers, podman: containers, "docker-compose": containers },
  kubectl: ({ args }) =>
    /^(?:get|describe|logs|top|version|config)$/.test(args[0] ?? "")
      ? only("network")
      : deployed(operands(args)),
  terraform,
  ...{ vercel: deploys, netlify: deploys, flyctl: deploys, fly: deploys, heroku: deploys },
  ...{ psql: sql, mysql: sql, duckdb: sql, mongosh: sql, sqlite3: sqlite, "redis-cli": redis },
  ...{ hg: pushes, jj: pushes, twine: publishes, vsce: publishes },
};
