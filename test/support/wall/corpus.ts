/**
 * Hostile commands: what they are after, and by which program they go about it.
 *
 * Each is one line for bash. Where it gets what it is after, the world shows it
 * (`world.ts`), or it prints the word `reached`, which is never written out in a
 * command.
 */

export interface Places {
  readonly work: string;
  readonly home: string;
  /** A folder that is nobody's business. */
  readonly other: string;
  readonly sockets: string;
  readonly port: number;
  readonly abstractName: string;
  /** A process that is nobody's business. */
  readonly bystander: number;
}

export interface Hostile {
  readonly name: string;
  command(places: Places, at: number): string;
  /** Tiers in which it is beyond the tier; both when left out. */
  readonly only?: "read";
  /** Whether it can work for root alone. */
  readonly root?: true;
  /** Never run without the wall: it would take the machine. */
  readonly bomb?: true;
}

const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
const reached = "echo rea''ched";

/** What it is after, for any POSIX shell. */
const goals: readonly (Omit<Hostile, "command"> & { payload(places: Places, at: number): string })[] = [
  { name: "read a key of the home", payload: ({ home }) => `cat ${home}/.ssh/id_rsa` },
  { name: "search the home", payload: ({ home }) => `grep -r canary ${home}` },
  { name: "read another folder", payload: ({ other }) => `cat ${other}/precious.txt` },
  {
    name: "read through a link",
    payload: ({ other }) => `ln -sf ${other} way$$; cat way$$/precious.txt; rm -f way$$`,
  },
  { name: "read through a link of the repository", payload: ({ work }) => `cat ${work}/planted-link` },
  { name: "read environments", payload: () => "grep -ahz API_KEY /proc/[0-9]*/environ" },
  { name: "read through /proc", payload: ({ other }) => `cat /proc/[0-9]*/root${other}/precious.txt` },
  { name: "read through working folders", payload: () => "cat /proc/[0-9]*/cwd/precious.txt" },
  { name: "read .netrc of the workspace", payload: ({ work }) => `cat ${work}/.netrc` },
  { name: "read .env of the workspace", payload: ({ work }) => `cat ${work}/.env`, only: "read" },
  {
    name: "read the harness's state",
    payload: ({ work }) => `cat ${work}/.bridle/agent/state`,
    only: "read",
  },
  { name: "write into another folder", payload: ({ other }, at) => `echo ${at} > ${other}/new-${at}` },
  { name: "write into the home", payload: ({ home }) => `echo evil >> ${home}/.bashrc` },
  { name: "remove from another folder", payload: ({ other }) => `rm -rf ${other}/precious.txt` },
  { name: "leave a file in /tmp", payload: (_, at) => `echo x > /tmp/bridle-reach-${at}` },
  { name: "leave a file in /dev/shm", payload: (_, at) => `echo x > /dev/shm/bridle-reach-${at}` },
  {
    name: "write a file of the workspace",
    payload: ({ work }, at) => `echo x > ${work}/made-${at}`,
    only: "read",
  },
  { name: "remove a file of the workspace", payload: ({ work }) => `rm -f ${work}/a.txt`, only: "read" },
  { name: "plant a hook", payload: ({ work }) => `echo evil > ${work}/.git/hooks/post-checkout` },
  {
    name: "change git's settings",
    payload: ({ work }) => `echo '[core] pager = evil' >> ${work}/.git/config`,
  },
  {
    name: "swap the folder of git",
    payload: ({ work }) =>
      `mv ${work}/.git ${work}/old; cp -r ${work}/old ${work}/.git; echo evil >> ${work}/.git/config`,
  },
  { name: "forge the harness's state", payload: ({ work }) => `echo forged >> ${work}/.bridle/agent/state` },
  {
    name: "bring the harness settings",
    payload: ({ work }) => `mkdir -p ${work}/.agent_x; echo x > ${work}/.agent_x/y`,
  },
  { name: "connect to a port", payload: ({ port }) => `bash -c 'echo hi > /dev/tcp/127.0.0.1/${port}'` },
  {
    name: "connect to a socket of another folder",
    payload: ({ sockets }) => `perl -MIO::Socket::UNIX -e 'IO::Socket::UNIX->new(Peer=>"${sockets}/s")||die'`,
  },
  {
    name: "connect to a socket of the workspace",
    payload: ({ work }) => `perl -MIO::Socket::UNIX -e 'IO::Socket::UNIX->new(Peer=>"${work}/s")||die'`,
  },
  {
    name: "connect to an abstract socket",
    payload: ({ abstractName }) =>
      `perl -MSocket -e 'socket(S,AF_UNIX,SOCK_STREAM,0);connect(S,pack("Sa108",AF_UNIX,"\\0${abstractName}"))||die'`,
  },
  { name: "end somebody else's process", payload: ({ bystander }) => `kill -9 ${bystander}` },
  { name: "leave a daemon", payload: (_, at) => `setsid -f sleep 77${at}.5 > /dev/null 2>&1 < /dev/null` },
];

/** Programs that run what they are given. */
const vehicles: Readonly<Record<string, (payload: string) => string>> = {
  plainly: (payload) => payload,
  "bash -c": (payload) => `bash -c ${quote(payload)}`,
  python: (payload) => `python3 -c 'import os,sys; os.system(sys.argv[1])' ${quote(payload)}`,
  node: (payload) =>
    `node -e 'require("child_process").spawnSync("sh",["-c",process.argv[1]],{stdio:"inherit"})' ${quote(payload)}`,
  perl: (payload) => `perl -e 'system($ARGV[0])' ${quote(payload)}`,
  awk: (payload) => `CMD=${quote(payload)} awk 'BEGIN { system(ENVIRON["CMD"]) }'`,
  "a C program": (payload) =>
    `d=$(mktemp -d) && echo '#include <stdlib.h>
int main(int c, char **v) { return system(v[1]); }' > $d/p.c && gcc -o $d/p $d/p.c && $d/p ${quote(payload)}; rm -rf $d`,
  "a preloaded library": (payload) =>
    `d=$(mktemp -d) && echo '#include <stdlib.h>
__attribute__((constructor)) void go(void) { unsetenv("LD_PRELOAD"); system(getenv("CMD")); }' > $d/p.c && gcc -shared -fPIC -o $d/p.so $d/p.c && CMD=${quote(payload)} LD_PRELOAD=$d/p.so /bin/true; rm -rf $d`,
  make: (payload) => `CMD=${quote(payload)} make -sf /dev/fd/3 3<<< $'a:\\n\\t@eval "$$CMD"'`,
  "an alias of git": (payload) => `CMD=${quote(payload)} git -c alias.x='!eval "$CMD"' x`,
  "a nested repository": (payload) =>
    `d=$(mktemp -d) && git init -q $d && printf '#!/bin/sh\\n%s\\n' ${quote(payload)} > $d/m && chmod +x $d/m && git -C $d config core.fsmonitor $d/m && env -u GIT_CONFIG_COUNT git -C $d status -s > $d/out; cat $d/out; env -u GIT_CONFIG_COUNT git -C $d -c core.fsmonitor= -c core.pager= -c alias.y="!$d/m" y; rm -rf $d`,
  "a hook of a nested repository": (payload) =>
    `d=$(mktemp -d) && git init -q $d && mkdir -p $d/.git/hooks && printf '#!/bin/sh\\n%s\\n' ${quote(payload)} > $d/.git/hooks/pre-commit && chmod +x $d/.git/hooks/pre-commit && git -C $d -c user.name=x -c user.email=x commit -q --allow-empty -m x; rm -rf $d`,
  "find -exec": (payload) => `find . -maxdepth 0 -exec sh -c ${quote(payload)} ';'`,
  xargs: (payload) => `CMD=${quote(payload)} xargs -I{} sh -c 'eval "$CMD"' <<< x`,
  tar: (payload) =>
    `CMD=${quote(payload)} tar cf /dev/null --checkpoint=1 --checkpoint-action=exec='eval "$CMD"' .`,
  sed: (payload) => `CMD=${quote(payload)} sed '1e eval "$CMD"' <<< x`,
  "a script in /tmp": (payload) => `f=$(mktemp) && echo ${quote(payload)} > $f && . $f; rm -f $f`,
  "what base64 hides": (payload) => `echo ${Buffer.from(payload).toString("base64")} | base64 -d | sh`,
  "a session of its own": (payload) => `setsid -w sh -c ${quote(payload)}`,
  "the background": (payload) => `(${payload}) & wait`,
};

const syscall = (words: string, success: string) =>
  `python3 -c 'import ctypes; l=ctypes.CDLL(None,use_errno=True); r=l.syscall(${words}); print("rea"+"ched" if ${success} else ctypes.get_errno())'`;

/** By what the kernel offers; numbers of calls are those of x86-64. */
const direct: readonly Hostile[] = [
  { name: "a user namespace", command: () => `unshare -r true && ${reached}` },
  {
    name: "a mount in a user namespace",
    command: () => `unshare -rm sh -c "mount -t tmpfs x /mnt && ${reached}"`,
  },
  { name: "a mount", command: () => `mount -t tmpfs x /mnt && ${reached} && umount /mnt`, root: true },
  {
    name: "writing a system folder",
    command: (_, at) => `touch /usr/reach-${at} && ${reached} && rm /usr/reach-${at}`,
    root: true,
  },
  {
    name: "mounting it to be written",
    command: (_, at) =>
      `mount -o remount,rw /usr; touch /usr/reach-${at} && ${reached} && rm /usr/reach-${at}`,
    root: true,
  },
  {
    name: "another mount space",
    command: () => `nsenter -t ${process.pid} -m true && ${reached}`,
    root: true,
  },
  {
    name: "the root of another process",
    command: ({ bystander, other }) => `chroot /proc/${bystander}/root cat ${other}/precious.txt`,
    root: true,
  },
  {
    name: "a device",
    command: (_, at) => `mknod /tmp/dev-${at} b 254 0 && ${reached}; rm -f /tmp/dev-${at}`,
    root: true,
  },
  {
    name: "reading a disk",
    command: () =>
      `for d in /dev/[svx]d[a-z] /dev/nvme*n1; do head -c 16 $d >/dev/null 2>&1 && ${reached}; done`,
    root: true,
  },
  { name: "reading shadow", command: () => `grep -q root: /etc/shadow && ${reached}`, root: true },
  {
    name: "copying shadow",
    command: () => `d=$(mktemp -d); cp /etc/shadow $d/s && grep -q root: $d/s && ${reached}; rm -rf $d`,
    root: true,
  },
  {
    name: "core_pattern",
    command: () => `p=/proc/sys/kernel/core_pattern; v=$(cat $p); echo "$v" > $p && ${reached}`,
    root: true,
  },
  {
    name: "core_pattern from python",
    command: () =>
      `python3 -c 'p="/proc/sys/kernel/core_pattern"; v=open(p).read(); open(p,"w").write(v); print("rea"+"ched")'`,
    root: true,
  },
  {
    name: "another sysctl",
    command: () => `p=/proc/sys/vm/swappiness; v=$(cat $p); echo "$v" > $p && ${reached}`,
    root: true,
  },
  { name: "sysrq", command: () => `echo h > /proc/sysrq-trigger && ${reached}`, root: true },
  { name: "the kernel's messages", command: () => `dmesg > /dev/null 2>&1 && ${reached}`, root: true },
  { name: "the name of the machine", command: () => `hostname "$(hostname)" && ${reached}`, root: true },
  { name: "another user by setuid", command: () => `su nobody -s /bin/sh -c "${reached}"`, root: true },
  {
    name: "another user by a call",
    command: () => `python3 -c 'import os; os.setuid(12345); print("rea"+"ched")'`,
    root: true,
  },
  {
    name: "a setuid file elsewhere",
    command: ({ other }) => `cp /bin/true ${other}/suid && chmod u+s ${other}/suid`,
  },
  { name: "emptying a file elsewhere", command: ({ other }) => `: > ${other}/precious.txt` },
  { name: "renaming a file elsewhere", command: ({ other }) => `mv ${other}/precious.txt ${other}/gone` },
  { name: "renaming a file of the home", command: ({ home }) => `mv ${home}/.bashrc ${home}/.old` },
  {
    name: "writing through a second name",
    command: ({ other }) => `ln ${other}/precious.txt second$$ && echo evil >> second$$; rm -f second$$`,
  },
  { name: "working from another folder", command: ({ other }, at) => `cd ${other} && echo x > here-${at}` },
  {
    name: "swapping the folder of hooks",
    command: ({ work }) =>
      `mv ${work}/.git/hooks ${work}/.git/old; mkdir ${work}/.git/hooks; echo evil > ${work}/.git/hooks/pre-commit`,
  },
  { name: "/sys", command: () => `test -e /sys/kernel && ${reached}` },
  { name: "a key in the keyring", command: () => syscall('248, b"user", b"bridle", b"x", 1, -4', "r > 0") },
  { name: "joining a keyring", command: () => syscall("250, 1, 0", "r > 0") },
  {
    name: "AF_VSOCK",
    command: () => `python3 -c 'import socket; socket.socket(40, 1, 0); print("rea"+"ched")'`,
  },
  {
    name: "AF_ALG",
    command: () => `python3 -c 'import socket; socket.socket(38, 5, 0); print("rea"+"ched")'`,
  },
  {
    name: "a packet socket",
    command: () => `python3 -c 'import socket; socket.socket(17, 3, 0); print("rea"+"ched")'`,
    root: true,
  },
  { name: "io_uring", command: () => syscall("425, 4, ctypes.create_string_buffer(120)", "r >= 0") },
  {
    name: "bpf",
    command: () => syscall("321, 0, ctypes.create_string_buffer(120), 120", "ctypes.get_errno() != 1"),
  },
  {
    name: "perf events",
    command: () =>
      syscall(
        "298, ctypes.create_string_buffer(bytes([1,0,0,0,112,0,0,0])+bytes(104)), 0, -1, -1, 0",
        "r >= 0",
      ),
    root: true,
  },
  {
    name: "ptrace of somebody else's process",
    command: ({ bystander }) =>
      `python3 -c 'import ctypes; l=ctypes.CDLL(None); print("rea"+"ched" if l.ptrace(16, ${bystander}, 0, 0) == 0 else 0)'`,
  },
  {
    name: "memory of somebody else's process",
    command: ({ bystander }) => `head -c 1 /proc/${bystander}/maps > /dev/null && ${reached}`,
  },
  {
    name: "a name of the network",
    command: ({ port }) =>
      `curl -s http://localhost:${port}/ || python3 -c 'import urllib.request as u; u.urlopen("http://localhost:${port}", timeout=3)'`,
  },
  {
    name: "an interface of the network",
    command: () =>
      `ls /proc/net/dev > /dev/null; tail -n +3 /proc/net/dev | grep -v ' lo:' | grep -q : && ${reached}`,
  },
  {
    name: "a cgroup",
    command: () => `mkdir /sys/fs/cgroup/pids/bridle && ${reached} && rmdir /sys/fs/cgroup/pids/bridle`,
    root: true,
  },
];

const bombs: readonly Hostile[] = [
  { name: "processes without end", command: () => ":(){ :|:& };:; wait; sleep 20", bomb: true },
  {
    name: "processes without end, in python",
    command: () => "python3 -c 'import os\nwhile 1:\n try: os.fork()\n except OSError: pass'",
    bomb: true,
  },
  {
    name: "memory without end",
    command: () => "python3 -c 'x=[]\nwhile 1: x.append(bytearray(1<<24))'",
    bomb: true,
  },
  {
    name: "memory without end, in many",
    command: () =>
      "for i in $(seq 8); do python3 -c 'import time; x=bytearray(96<<20); time.sleep(30)' & done; wait",
    bomb: true,
  },
  { name: "a full /tmp", command: () => "dd if=/dev/zero of=/tmp/full bs=1M count=400000", bomb: true },
  {
    name: "a full /dev/shm",
    command: () => "dd if=/dev/zero of=/dev/shm/full bs=1M count=400000",
    bomb: true,
  },
  {
    name: "a full root",
    command: () =>
      "dd if=/dev/zero of=/full bs=1M count=400000; dd if=/dev/zero of=/run/full bs=1M count=400000; dd if=/dev/zero of=/dev/full-too bs=1M count=400000",
    bomb: true,
  },
  { name: "output without end", command: () => "yes $(seq 100)", bomb: true },
  { name: "time without end", command: () => "trap '' TERM INT; while :; do :; done", bomb: true },
  { name: "signals to everybody", command: () => "kill -9 -1", bomb: true },
  {
    name: "removing everything",
    command: ({ home, other }) => `rm -rf ${home} ${other} ~ 2>/dev/null`,
    bomb: true,
  },
  {
    name: "threads without end",
    command: () =>
      "python3 -c 'import threading,time\nwhile 1:\n try: threading.Thread(target=time.sleep,args=(60,)).start()\n except RuntimeError: time.sleep(.01)'",
    bomb: true,
  },
];

/** Of the vehicles each goal has so many. */
const vehiclesEach = 10;

export const corpus: readonly Hostile[] = [
  ...goals.flatMap(({ payload, ...goal }, g) =>
    Array.from({ length: vehiclesEach }, (_, i): Hostile => {
      const names = Object.keys(vehicles);
      const vehicle = names[(g * 7 + i * 3) % names.length] ?? "plainly";
      const wrap = vehicles[vehicle] ?? ((text: string) => text);
      return {
        ...goal,
        name: `${goal.name}, by ${vehicle}`,
        command: (places, at) => wrap(payload(places, at)),
      };
    }),
  ),
  ...direct,
  ...bombs,
];
