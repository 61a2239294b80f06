/**
 * The second way between coordinators: a gRPC stream to the other one's agent port. The caller proves itself by the
 * called coordinator's key, which is in that one's row of `coordinator`; agents, who know the join token, can't read
 * it. With TLS the called coordinator shows its certificate.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import * as grpc from '@grpc/grpc-js';
import { Secret } from '../lib/secret.ts';
import { BUS_KEY, BUS_SERVICE } from '../wire/bus-service.ts';

type Receive = (bytes: Uint8Array, answer: (bytes: Uint8Array) => void) => void;
type ServerStream = grpc.ServerDuplexStream<Uint8Array, Uint8Array>;

interface Events {
  onMessage(bytes: Uint8Array): void;
  onDrain(): void;
  onClosed(reason: string): void;
}

const KEY_BYTES = 32;
/** When a coordinator stops answering pings, the call is ended and made again. */
const KEEPALIVE = {
  'grpc.keepalive_time_ms': 5_000,
  'grpc.keepalive_timeout_ms': 5_000,
  'grpc.use_local_subchannel_pool': 1,
  'grpc.enable_retries': 0,
};

const { path, requestSerialize, responseDeserialize } = BUS_SERVICE.envelopes;

export class CoordinatorBus {
  /** The key that callers of this coordinator show. */
  readonly key = new Secret(randomBytes(KEY_BYTES).toString('base64url'));
  /** PEM of the authority that signs the coordinators' certificates; undefined without TLS. */
  #authority: string | undefined;
  #receive: Receive | undefined;

  useTls(authority: string | undefined): void {
    this.#authority = authority;
  }

  /** Sets who receives others' messages; undefined: they are refused. */
  serve(receive: Receive | undefined): void {
    this.#receive = receive;
  }

  /** Handlers for BUS_SERVICE. `know` is called with the peer of a caller that has shown the key. */
  handlers(know: (peer: string) => void) {
    return { envelopes: (stream: ServerStream) => this.#take(stream, know) };
  }

  /** Calls another coordinator. `address`: `host:port` or `unix:<path>`; `key`: that coordinator's. Never throws. */
  open({ address, key }: { readonly address: string; readonly key: string }, events: Events) {
    const client = new grpc.Client(address, this.#credentials(), KEEPALIVE);
    const metadata = new grpc.Metadata();
    metadata.set(BUS_KEY, key);
    const call = client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize, metadata);
    let isClosed = false;
    const close = (): void => {
      isClosed = true;
      call.cancel();
      client.close();
    };
    const end = (reason: string): void => {
      if (isClosed) return;
      close();
      events.onClosed(reason);
    };
    call.on('data', (bytes: Uint8Array) => {
      if (!isClosed) events.onMessage(bytes);
    });
    call.on('drain', () => {
      if (!isClosed) events.onDrain();
    });
    call.on('error', (error: grpc.ServiceError) => end(error.details || error.message));
    call.on('end', () => end('closed by the other coordinator'));
    return { write: (bytes: Uint8Array) => call.write(bytes), close };
  }

  #credentials(): grpc.ChannelCredentials {
    if (this.#authority === undefined) return grpc.credentials.createInsecure();
    // The authority signs only for coordinators of this cluster, whatever their addresses are.
    const verify = { checkServerIdentity: () => undefined };
    return grpc.credentials.createSsl(Buffer.from(this.#authority), null, null, verify);
  }

  #take(stream: ServerStream, know: (peer: string) => void): void {
    const receive = this.#receive;
    stream.on('error', () => undefined); // the stream ends on its own then
    const isKnown = this.#isKey(stream.metadata.get(BUS_KEY)[0]);
    if (isKnown) know(stream.getPeer());
    if (!isKnown) refuse(stream, grpc.status.UNAUTHENTICATED, 'this is not the key of this coordinator');
    else if (receive === undefined)
      refuse(stream, grpc.status.UNAVAILABLE, 'this coordinator accepts no messages now');
    if (!isKnown || receive === undefined) return;
    const answer = latestOf(stream);
    stream.on('data', (bytes: Uint8Array) => this.#receive?.(bytes, answer));
    stream.on('end', () => stream.end());
  }

  #isKey(shown: grpc.MetadataValue | undefined): boolean {
    const [a, b] = [Buffer.from(shown ?? ''), Buffer.from(this.key.reveal())];
    return a.length === b.length && timingSafeEqual(a, b);
  }
}

/** Ends a call with a status; destroying the call would leave the caller waiting. */
function refuse(stream: ServerStream, code: grpc.status, details: string): void {
  stream.emit('error', { code, details });
}

/**
 * Writes the latest bytes only: while the stream takes nothing, newer ones replace older ones, since each receipt
 * includes those before it.
 */
function latestOf(stream: ServerStream): (bytes: Uint8Array) => void {
  let isWritable = true;
  let waiting: Uint8Array | undefined;
  stream.on('drain', () => {
    isWritable = true;
    if (waiting === undefined) return;
    const bytes = waiting;
    waiting = undefined;
    isWritable = stream.write(bytes);
  });
  return (bytes) => {
    if (stream.writableEnded || stream.destroyed) return;
    if (isWritable) isWritable = stream.write(bytes);
    else waiting = bytes;
  };
}
