/**
 * Which addresses never leave this machine.
 *
 * `0.0.0.0` and `::` are not among them although they include it: a server bound
 * there is open to the network. A name other than `localhost` is not either, even
 * when it resolves to 127.0.0.1 today.
 */
import { BlockList, isIP } from "node:net";

const loopbackRanges = new BlockList();
loopbackRanges.addSubnet("127.0.0.0", 8, "ipv4");
loopbackRanges.addAddress("::1", "ipv6");

export function isLoopback(host: string): boolean {
  switch (isIP(host)) {
    case 4:
      return loopbackRanges.check(host, "ipv4");
    case 6:
      return loopbackRanges.check(host, "ipv6");
    default:
      return host.toLowerCase() === "localhost";
  }
}

/** As it stands in a URL or a Host header: IPv6 in brackets. */
export function inUrl(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host;
}

/** The address without the brackets it wears in a URL; undefined when it is a name. */
export function addressInUrl(host: string): string | undefined {
  const bare = host.startsWith("[") && host.endsWith("]") ? host.slice(1, -1) : host;
  return isIP(bare) === 0 ? undefined : bare;
}
