/**
 * The system calls that no command behind the wall gets, as the bytes that
 * `bwrap --seccomp` takes: a program of the kernel's packet filter.
 *
 * What a newcomer gets wrong: this is not what keeps files safe, mounts do that.
 * It takes away what knows no namespace: keyrings of the user, sockets that reach
 * the hypervisor (AF_VSOCK) or the kernel's ciphers, and io_uring, which opens
 * sockets without a system call. A refused call fails with "not permitted"; the
 * program goes on.
 */

interface Machine {
  readonly audit: number;
  readonly socket: number;
  readonly socketpair: number;
  readonly denied: readonly number[];
}

/** Numbers of calls that both machines share. */
const ioUring = [425, 426, 427];
const machines: Readonly<Record<string, Machine>> = {
  x64: {
    audit: 0xc000_003e,
    socket: 41,
    socketpair: 53,
    denied: [
      ...[248, 249, 250], // add_key, request_key, keyctl
      ...[298, 321, 323], // perf_event_open, bpf, userfaultfd
      ...[246, 320, 169, 167, 168, 163, 103], // kexec_load, kexec_file_load, reboot, swapon, swapoff, acct, syslog
      ...[303, 304], // name_to_handle_at, open_by_handle_at
      ...ioUring,
    ],
  },
  arm64: {
    audit: 0xc000_00b7,
    socket: 198,
    socketpair: 199,
    denied: [
      ...[217, 218, 219], // add_key, request_key, keyctl
      ...[241, 280, 282], // perf_event_open, bpf, userfaultfd
      ...[104, 294, 142, 224, 225, 89, 116], // kexec_load, kexec_file_load, reboot, swapon, swapoff, acct, syslog
      ...[264, 265], // name_to_handle_at, open_by_handle_at
      ...ioUring,
    ],
  },
};

/** AF_UNIX, AF_INET, AF_INET6, and AF_NETLINK, by which programs learn their own addresses. */
const families = [1, 2, 10, 16];

const load = (offset: number) => [0x20, 0, 0, offset] as const;
const allow = [0x06, 0, 0, 0x7fff_0000] as const;
const fail = (errno: number) => [0x06, 0, 0, 0x0005_0000 | errno] as const;
const [eperm, enosys, eafnosupport] = [1, 38, 97];

/** Undefined for a machine whose calls are not known here. */
export function seccompFilter(arch: string): Uint8Array | undefined {
  const machine = machines[arch];
  if (machine === undefined) return undefined;
  const { audit, socket, socketpair, denied } = machine;
  type Step = readonly [code: number, yes: number, no: number, value: number];
  const steps: Step[] = [];
  // Calls of another kind of machine have other numbers: a 32-bit program gets none of them.
  steps.push(load(4), [0x15, 1, 0, audit], fail(enosys));
  steps.push(load(0), [0x35, 0, 1, 0x4000_0000], fail(enosys));
  for (const number of denied)
    steps.push([0x15, 0, 1, number], fail(ioUring.includes(number) ? enosys : eperm));
  steps.push([0x15, 1, 0, socket], [0x15, 0, families.length + 2, socketpair], load(16));
  for (const [i, family] of families.entries()) steps.push([0x15, families.length - i, 0, family]);
  steps.push(fail(eafnosupport), allow);
  const bytes = Buffer.alloc(steps.length * 8);
  for (const [i, [code, yes, no, value]] of steps.entries()) {
    bytes.writeUInt16LE(code, i * 8);
    bytes.writeUInt8(yes, i * 8 + 2);
    bytes.writeUInt8(no, i * 8 + 3);
    bytes.writeUInt32LE(value >>> 0, i * 8 + 4);
  }
  return bytes;
}
