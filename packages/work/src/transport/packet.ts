/**
 * Packets: what goes from one location to another. The id follows from the content, so the same
 * packet sent again is the same packet, and whoever receives it knows that it was there before.
 */
import { digest, type JsonObject, refuse, type Refusal } from "@bridle/record";

export const packetKind = "premath.squeak.packet.v1";

export interface Packet {
  readonly kind: typeof packetKind;
  readonly transportId: string;
  readonly srcWorldId: string;
  readonly dstWorldId: string;
  readonly srcLocationRef: string;
  readonly dstLocationRef: string;
  /** The issue that it is about, and its state when it was sent. */
  readonly srcContextId: string;
  readonly srcCtxRef: string;
  readonly payloadKind: "obligation";
  readonly payloadRef: string;
  readonly negotiationDigest: string;
}

export function packetOf(content: Omit<Packet, "kind" | "transportId">): Packet {
  return { kind: packetKind, transportId: transportIdOf(content), ...content };
}

function transportIdOf(content: Omit<Packet, "kind" | "transportId">): string {
  return digest("ts1_", { ...content });
}

export function payloadRefOf(payload: JsonObject): string {
  return digest("sha256:", payload);
}

/** At the destination: a packet is believed in nothing that can be worked out again. */
export function verifyPacket(packet: Packet, payload: JsonObject | undefined): Refusal | undefined {
  const { kind, transportId, ...content } = packet;
  if (payload === undefined)
    return refuse("transport_context_unresolved", { message: `${packet.srcContextId} is not to be found` });
  if (
    kind !== packetKind ||
    transportId !== transportIdOf(content) ||
    packet.payloadRef !== payloadRefOf(payload)
  )
    return refuse("transport_witness_unverifiable", {
      message: `packet ${transportId} is not what it says, or does not carry what it says`,
    });
  return undefined;
}

/** What the issue is called at the destination: the same for the same packet. */
export function deliveredId({ transportId }: Packet): string {
  return `sq-${transportId.slice("ts1_".length, "ts1_".length + 16)}`;
}
