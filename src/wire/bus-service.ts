/**
 * The gRPC service between coordinators, in the form that @grpc/grpc-js takes for servers and clients. Its messages are
 * bytes, which `codecs/bus.ts` reads and writes, as for NATS.
 */

/** The metadata entry with the key of the called coordinator. */
export const BUS_KEY = 'millrace-bus-key';

const toBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const asIs = (bytes: Buffer): Uint8Array => bytes;

export const BUS_SERVICE = {
  envelopes: {
    path: '/millrace.bus.v1.CoordinatorBus/Envelopes',
    originalName: 'envelopes',
    requestStream: true,
    responseStream: true,
    requestSerialize: toBuffer,
    requestDeserialize: asIs,
    responseSerialize: toBuffer,
    responseDeserialize: asIs,
  },
};
